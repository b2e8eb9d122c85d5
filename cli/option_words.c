#include "option_words.h"

#include <string.h>

/* Commands that apply a model take target, task and levels from it. */
#define APPLY "predict evaluate verify"
#define TRAIN "train cv film explain"

static const struct {
    const char *commands; /* separated by blanks */
    const char *option;
    const char *argument; /* NULL: as in the option table */
    const char *help;
} words[] = {
    {APPLY, "target", NULL, "column to predict, by name or number from 1 (default: the model's)"},
    {TRAIN " compare split inspect convert", "target", NULL,
     "column to predict, by name or number from 1 (default: the column named label, class, target or y, else the last)"},
    {APPLY, "task", NULL, "kind of target: classes, or numbers (default: the model's)"},
    {TRAIN, "task", NULL,
     "kind of target: classes, or numbers (default: classification; with -a lasso or elastic-net: regression)"},
    {"split inspect convert", "task", NULL, "kind of target: classes, or numbers"},
    {APPLY, "numeric-levels", NULL,
     "categorical columns in which an unseen level (category) counts as the known level of the same numeric value (1.0 "
     "as 1)"},
    {APPLY, "strict", NULL,
     "fail on unseen levels (categories) or words, and on missing columns even if the --missing of the training could "
     "fill them"},
    {"train verify", "stratify", NULL, "equal class proportions in the training rows and the held-out rows"},
    {"split", "stratify", NULL, "equal class proportions in the training set and the test set"},
    {"cv explain plot film", "tol", NULL,
     "relative duality gap at which training stops (default: 1e-4; mlp: relative decrease of the objective over ten "
     "epochs, "
     "see `halfspace help mlp`)"},
    {"train cv explain film", "penalty", NULL,
     "penalty on the weights; see `halfspace list penalties` (default: see `halfspace list algorithms`)"},
    {"inspect", "missing", NULL,
     "treatment of missing values: fail, drop their rows, or fill numeric columns with the mean or median; indicator: "
     "mean, and a 0/1 column that marks the filled cells (default: missing values are reported; the separability test "
     "then fills them with the mean)"},
    {"inspect", "intercept", "free|none", "hyperplanes to test: any, or only those through the origin"},
    {"inspect", "scale", NULL,
     "the --scale planned for training: any but none omits the warning about columns of very different scales"},
    {"plot", "lambdas", NULL,
     "values of lambda to try: N values from LO to HI, equally spaced on a log scale (default of N: 25; path: 100; "
     "bias-variance: 15), or a list (default: a range chosen from the data)"},
    {"path", "algorithm", NULL,
     "logistic, svm, ridge, lasso or elastic-net: short for a loss and a penalty (default: --loss and --penalty decide)"},
    {"path", "loss", NULL, "loss function; see `halfspace list losses` (default: logistic; regression: squared)"},
    {"path", "penalty", "l1|elastic|l2", "penalty on the weights (default: l1; -a svm and -a ridge: l2)"},
    {"path", "tol", NULL, "relative duality gap at which each fit stops (default: 1e-6); exit code 1 if it is not reached"},
    {"plot", "folds", NULL,
     "path: number of folds of a cross-validation; loo: each row is a fold (default: no cross-validation)"},
    {"plot", "metric", NULL,
     "path: metric of the cross-validation (default: log-loss; losses without probabilities: accuracy; regression: rmse)"},
    {"path", "folds", NULL,
     "number of folds of a cross-validation; loo: leave one out, each row is a fold (default: no cross-validation)"},
    {"path", "metric", NULL,
     "metric of the cross-validation (default: log-loss; losses without probabilities: accuracy; regression: rmse)"},
    {"path", "lambdas", NULL,
     "values of lambda: N values from LO to HI, equally spaced on a log scale (N is that of --steps if it is not given), "
     "or a "
     "list (default: --steps values down from the smallest at which all weights are 0)"},
    {"path", "task", NULL,
     "kind of target: classes, or numbers (default: classification; with -a lasso or elastic-net: regression)"},
    {"path", "target", NULL,
     "column to predict, by name or number from 1 (default: the column named label, class, target or y, else the last)"},
    {"film", "lambda", "X",
     "weight of the penalty against the mean loss (default: 1/n, which is C = 1; mlp: 1/(10 n)); equivalent to C = 1/(n "
     "lambda)"},
    {"cv", "lambdas", NULL,
     "values of lambda to try: N values (25 if N is not given) from LO to HI, equally spaced on a log scale, or a list; "
     "short "
     "for --grid lambda=..."},
    {"cv compare", "repeats", NULL, "number of times that the rows are divided into folds at random (default: 1)"},
    {"train", "algorithm", "NAME|auto",
     "learning algorithm; see `halfspace list algorithms`; auto: the best of a comparison (default: logistic; with --task "
     "regression: ridge)"},
    {"train", "repeats", NULL, "-a auto: number of times that the rows are divided into folds at random (default: 1)"},
    {"compare", "folds", "N", "number of folds"},
    {"train", "folds", "N", "-a auto: number of folds"},
    {"train", "group", NULL,
     "column of groups: rows of one group stay in one fold of -a auto, --calibrate or --decide; not a feature"},
    {"train", "time", NULL,
     "column of times: each fold of -a auto, --calibrate or --decide is tested by models of earlier rows only; not a "
     "feature"},
    {"train", "metric", "NAME",
     "-a auto: metric that decides; see `halfspace compare --help` (default: accuracy; regression: rmse)"},
    {"compare", "metric", "NAME",
     "metric that decides: accuracy, balanced-accuracy, log-loss, brier, auc, average-precision, f1, mcc; for regression "
     "rmse, mae, r2; all are reported (default: accuracy; regression: rmse)"},
    {"train", "only", NULL, "-a auto: algorithms to compare (default: all; see `halfspace compare --list`)"},
    {"train", "max-seconds-each", NULL, "-a auto: time limit in seconds for each algorithm, all its fits together"},
    {"train", "max-seconds", NULL, "time limit in seconds; -a auto: of the comparison"},
    {"compare", "max-seconds", NULL, "time limit in seconds for all algorithms together"},
    {"compare", "scale", NULL,
     "scaling of the columns for all algorithms; in a table, only of numeric and date columns (default: see --list)"},
    {"compare", "task", NULL, "kind of target: classes, or numbers"},
    {"plot", "repeats", NULL, "number of random subsets of each size (default: 10)"},
};

/* Whether `name` is one of the blank-separated words of `list`. */
static bool is_among(const char *list, const char *name) {
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == '\0' || at[n] == ' ')) return true;
    return false;
}

void hsp_cli_option_reword(const hsp_cli_command *command, hsp_cli_option *option) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].option, option->name) != 0 || !is_among(words[i].commands, command->name)) continue;
        option->help = words[i].help;
        if (words[i].argument) option->argument = words[i].argument;
    }
}
