#include "unknown.h"
#include "arguments.h"
#include "fail.h"
#include "halfspace_internal.h"

#include <string.h>

/* ---- words of other programs -------------------------------------------------------------------------------------- */

/* The words that users of scikit-learn, LIBLINEAR and other trainers bring: lower case, without dashes, separated by
 * blanks. */
typedef struct foreign_word {
    const char *words;
    const char *option; /* only for commands that take this option; NULL: for all */
    const char *remedy; /* follows "unknown option --X: " */
} foreign_word;

static const foreign_word foreign_commands[] = {
    {"fit learn", NULL, "use train"},
    {"test score validate accuracy metrics", NULL, "use evaluate"},
    {"info describe summary", NULL, "use `halfspace inspect DATA` for data, or `halfspace show MODEL` for a model"},
    {"crossvalidate crossvalidation crossval crossvalscore crossvalpredict gridsearch tune", NULL, "use cv"},
    {"classify apply infer transform", NULL, "use predict"},
    {"prove certify audit", NULL, "use verify"},
    {"draw chart graph", NULL, "use plot"},
    {"animate video movie gif", NULL, "use film"},
    {"make makedata simulate sample", NULL, "use generate"},
    {"traintestsplit holdout partition", NULL, "use split"},
    {"export import save", NULL, "use convert for data; train -o writes the model"},
    {"print cat view weights coef dump", NULL, "use show"},
    {"algorithms solvers losses options", NULL, "use list"},
    {"man usage", NULL, "use help"},
    {NULL, NULL, NULL},
};

static const foreign_word foreign_options[] = {
    {"lr eta eta0 learningrateinit stepsize step rate", "learning-rate", "use --learning-rate"},
    {"epochs nepochs numepochs maxiter niter iterations iter maxiterations passes", "max-epochs", "use --max-epochs"},
    {"alpha reg regparam regularization regularisation weightdecay l2", "lambda",
     "use --lambda, the weight of the penalty against the mean loss, or -C, the weight of the sum of losses"},
    {"c cost", "C", "use -C"},
    {"l1 lasso", "penalty", "use --penalty l1 with --lambda or -C"},
    {"nobias nointercept", "intercept", "use --intercept none"},
    {"bias fitintercept interceptscaling b", "intercept", "use --intercept free, none or penalised"},
    {"kernel rbf", "rff",
     "use --rff N for the features of an RBF kernel, or --degree 2 for a polynomial (models are linear)"},
    {"gamma", "rff-gamma", "use --rff-gamma with --rff"},
    {"poly polynomial interactions", "degree", "use --degree 2"},
    {"metrics scoring scorer", "metric", "use --metric"},
    {"metric metrics scoring", NULL, "leave it out, as `halfspace evaluate` prints all metrics"},
    {"eps epsilon tolerance e", "tol", "use --tol"},
    {"batchsize minibatchsize", "batch", "use --batch"},
    {"shuffle", "order", "use --order shuffle"},
    {"optimizer optimiser", "solver", "use --solver, or another algorithm with -a"},
    {"dual primal", "solver", "use --solver; see `halfspace list solvers`"},
    {"momentum nesterov", "solver", "leave it out, as no solver uses momentum"},
    {"earlystopping patience niternochange", "tol", "use --tol, --max-epochs or --max-seconds to stop early"},
    {"warmstart", "init", "leave it out, as training starts from --init"},
    {"timeout timelimit maxtime", "max-seconds", "use --max-seconds"},
    {"classifier estimator method type", "algorithm", "use -a; see `halfspace list algorithms`"},
    {"s", "algorithm", "use -a, --loss and --penalty"},
    {"lossfunction criterion objective", "loss", "use --loss"},
    {"regression", "task", "use --task regression"},
    {"classweights balanced", "class-weight", "use --class-weight balanced or LABEL=X,..."},
    {"sampleweight sampleweights weights rowweights", "weight", "use --weight COLUMN"},
    {"label labelcolumn targetcolumn response ycolumn outcome", "target",
     "use --target for the name of the column, or --labels for a file"},
    {"posclass poslabel positiveclass", "positive", "use --positive"},
    {"standardize standardise normalize normalise scaler scaling", "scale", "use --scale standard"},
    {"impute imputer fillna", "missing", "use --missing mean, median, indicator or drop"},
    {"navalues nullvalues na", "missing-values", "use --missing-values"},
    {"onehot dummies factors", "categorical", "use --categorical"},
    {"sep separator delim", "delimiter", "use --delimiter"},
    {"noheader", "header", "use --header no"},
    {"drop exclude skipcolumns", "ignore", "use --ignore"},
    {"testsize testsplit testfraction ratio", "test", "use --test"},
    {"test testsize testsplit testfraction validationsplit validationfraction valsplit", "holdout", "use --holdout"},
    {"k kfold kfolds nfolds nsplits cv", "folds", "use --folds"},
    {"k kfold kfolds nfolds nsplits cv crossvalidate", "holdout", "use `halfspace cv DATA --folds N`"},
    {"groups groupby groupkfold subject subjects", "group", "use --group COLUMN"},
    {"timeseries timeseriessplit date dates", "time", "use --time COLUMN"},
    {"alphas cs lambdagrid", "grid", "use --grid, for example --grid C=0.01:100:log9"},
    {"paramgrid params search gridsearch tune", "grid", "use --grid, for example --grid C=0.01:100:log9"},
    {"nrepeats repeat", "repeats", "use --repeats"},
    {"leaveoneout jackknife", "folds", "use --folds loo"},
    {"onese 1se", "choose", "use --choose one-se"},
    {"grid alphas cs lambdagrid", "lambdas", "use --lambdas"},
    {"randomstate randomseed rngseed", "seed", "use --seed"},
    {"njobs jobs j numthreads nthreads workers cores", "threads", "use --threads"},
    {"probability probabilities predictproba", "proba", "use --proba"},
    {"decisionfunction margin rawscore", "scores", "use --scores"},
    {"n samples nsamples", "rows", "use --rows"},
    {"nfeatures dim dimensions d", "features", "use --features"},
    {"nclasses centers", "classes", "use --classes"},
    {"std sigma clusterstd", "noise", "use --noise"},
    {"model modelfile save outfile", "output", "use -o"},
    {"silent", NULL, "use --quiet"},
    {"debug verbosity", NULL, "use --verbose"},
    {NULL, NULL, NULL},
};

static bool takes_option(const hsp_cli_command *command, const char *name) {
    hsp_cli_option option;
    return hsp_cli_find_option(command, name, strlen(name), false, &option);
}

/* NULL: the table does not know the word. */
static const char *find_foreign(const foreign_word *table, const hsp_cli_command *command, const char *name) {
    for (; table->words; table++)
        if (hsp_name_listed(table->words, name) && (!table->option || takes_option(command, table->option)))
            return table->remedy;
    return NULL;
}

/* ---- commands ----------------------------------------------------------------------------------------------------- */

const char *hsp_cli_foreign_command(const char *name) {
    return find_foreign(foreign_commands, NULL, name);
}

int hsp_cli_unknown_command(const char *name) {
    const char *names[32];
    size_t n = 0;
    for (; hsp_cli_commands[n] && n + 1 < sizeof names / sizeof names[0]; n++) names[n] = hsp_cli_commands[n]->name;
    names[n] = NULL;
    const char *remedy = hsp_cli_foreign_command(name), *nearest = hsp_name_nearest(name, names);
    if (remedy) return hsp_cli_fail(HSP_EXIT_USAGE, "unknown command '%s': %s", name, remedy);
    if (nearest) return hsp_cli_fail(HSP_EXIT_USAGE, "unknown command '%s': did you mean %s?", name, nearest);
    return hsp_cli_fail(HSP_EXIT_USAGE, "unknown command '%s': see `halfspace --help`", name);
}

/* ---- options ------------------------------------------------------------------------------------------------------ */

static const char *nearest_option(const hsp_cli_command *command, const char *name) {
    const char *names[128];
    size_t n = 0;
    hsp_cli_option option;
    for (int64_t i = 0; n + 1 < sizeof names / sizeof names[0] && hsp_cli_option_at(command, i, &option); i++)
        names[n++] = option.name;
    names[n] = NULL;
    return hsp_name_nearest(name, names);
}

/* The commands that take the option, as "generate, split"; empty when none does. */
static void list_takers(const char *name, size_t n, bool letter, char *out, size_t size) {
    size_t used = 0;
    out[0] = '\0';
    hsp_cli_option option;
    for (int i = 0; hsp_cli_commands[i]; i++) {
        const char *command = hsp_cli_commands[i]->name;
        if (!hsp_cli_find_option(hsp_cli_commands[i], name, n, letter, &option) || used + strlen(command) + 3 > size)
            continue;
        int wrote = snprintf(out + used, size - used, "%s%s", used ? ", " : "", command);
        if (wrote > 0) used += (size_t)wrote;
    }
}

int hsp_cli_unknown_option(const hsp_cli_command *command, const char *typed, const char *letter) {
    /* "-lr" is read as letters, but a long name with one dash is the likelier slip. */
    bool one_letter = letter && (letter != typed + 1 || !letter[1] || letter[1] == '=');
    int dashes = letter ? 1 : 2, length = (int)strcspn(typed, "=");
    char name[64], others[256];
    snprintf(name, sizeof name, "%.*s", one_letter ? 1 : length - dashes, one_letter ? letter : typed + dashes);
    const char *remedy = find_foreign(foreign_options, command, name);
    if (remedy) return hsp_cli_fail(HSP_EXIT_USAGE, "unknown option %.*s%s: %s", dashes, typed, name, remedy);
    const char *first = letter ? letter : name;
    int n = letter ? 1 : (int)strlen(name);
    list_takers(first, (size_t)n, letter != NULL, others, sizeof others);
    if (others[0])
        return hsp_cli_fail(HSP_EXIT_USAGE, "%.*s%.*s is not an option of %s: it is an option of %s", dashes, typed, n,
                            first, command->name, others);
    const char *nearest = one_letter ? NULL : nearest_option(command, name);
    if (nearest)
        return hsp_cli_fail(HSP_EXIT_USAGE, "unknown option %.*s%s: did you mean %s%s?", dashes, typed, name,
                            hsp_option_dashes(nearest), nearest);
    return hsp_cli_fail(HSP_EXIT_USAGE, "unknown option %.*s%s: see `halfspace %s --help`", dashes, typed, name,
                        command->name);
}
