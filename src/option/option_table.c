/* Every option of the library: the only place where its name, default and help are written. */
#include "option/choices.h"
#include "option/options.h"

#define FLAG(name, group, help) {name, NULL, group, HSP_OPTION_FLAG, "no", "yes|no", 0, 0, false, NULL, help}
#define TEXT(name, short, group, initial, argument, help) \
    {name, short, group, HSP_OPTION_TEXT, initial, NULL, 0, 0, false, argument, help}
#define CHOICE(name, short, group, initial, choices, help) \
    {name, short, group, HSP_OPTION_CHOICE, initial, choices, 0, 0, false, choices, help}
#define WHOLE(name, group, initial, min, help) \
    {name, NULL, group, HSP_OPTION_INT, initial, NULL, min, 9e15, false, "N", help}
/* A real number; `min` itself is excluded when open. */
#define REAL(name, short, group, initial, min, open, max, help) \
    {name, short, group, HSP_OPTION_REAL, initial, NULL, min, max, open, "X", help}

const hsp_option hsp_option_table[] = {
    /* reading */
    CHOICE("format", NULL, "read", "auto", "auto|csv|svmlight|jsonl|npy|hsd", "format of the data file"),
    TEXT("target", NULL, "read", NULL, "NAME|NUMBER",
         "column to predict, by name or number from 1 (default: when applying a model, that of the model; otherwise the "
         "column named label, class, target or y, else the last)"),
    CHOICE("header", NULL, "read", "auto", "auto|yes|no", "column names in the first line of a CSV file"),
    TEXT("delimiter", NULL, "read", "auto", "auto|CHARACTER|tab|space",
         "separator between the cells of a CSV file; auto: comma, semicolon, tab, | or space"),
    WHOLE("skip-lines", "read", NULL, 0,
          "number of lines to skip before the first record of a CSV file (default: lines of a title above the table are "
          "recognised and skipped, with a warning)"),
    CHOICE("decimal", NULL, "read", ".", ".|,", "decimal mark of the numbers of a CSV file"),
    CHOICE("thousands", NULL, "read", "none", "none|,|.|'|_|space", "thousands separator of the numbers of a CSV file"),
    TEXT("comment", NULL, "read", NULL, "CHARACTER",
         "character that starts a comment line of a CSV file, such as '#'; "
         "comment lines are skipped"),
    CHOICE("quotes", NULL, "read", "auto", "auto|yes|no",
           "quoted cells in a CSV file; auto: yes, unless a tab-separated file breaks the rules of quoting"),
    TEXT("ignore", NULL, "read", NULL, "NAME|NUMBER,...",
         "columns of a CSV file to ignore; names with a comma are quoted as in CSV"),
    CHOICE("base", NULL, "read", "auto", "auto|0|1", "number of the first feature in an svmlight file"),
    TEXT("weight", NULL, "read", NULL, "NAME|NUMBER",
         "column of row weights, by name or number from 1; svmlight: the feature with that number"),
    CHOICE("task", NULL, "read", "classification", "classification|regression",
           "kind of target: classes, or numbers (default: classification; with -a lasso or elastic-net: regression; when "
           "applying a model: that of the model)"),
    TEXT("labels", NULL, "read", NULL, "FILE",
         "file of labels for a .npy data file, one for each row: .npy, or text with one label per line"),
    FLAG("cache", "read",
         "cache of the parsed data, in a file beside the data (data.csv: data.csv.hsd); reused until either file changes"),
    {"max-memory", NULL, "read", HSP_OPTION_SIZE, NULL, NULL, 0, 0, false, "SIZE",
     "memory that the data may take, such as 48M or 1G; train and convert read data that need more block by block, other "
     "commands refuse them (default: what the machine or its control group allows)"},
    TEXT("map-label", NULL, "read", NULL, "FROM=TO,...", "labels to replace while reading"),
    TEXT("missing-values", NULL, "read", NULL, "TEXT|COLUMN=TEXT,...",
         "texts that mark a missing value in a CSV file, in all columns or in COLUMN; empty cells, ?, NA, N/A, NaN and "
         "null (in any case) always do"),
    TEXT("numeric-levels", NULL, "read", NULL, "NAME|NUMBER,...",
         "when applying a model: categorical columns in which an unseen level (category) counts as the known level of "
         "the same numeric value (1.0 as 1)"),
    FLAG("strict", "read",
         "when applying a model: fail on unseen levels (categories) or words, and on missing columns even where --missing "
         "could fill them"),
    /* encoding of the columns of a table */
    CHOICE("missing", NULL, "table", "error", "error|drop|mean|median|indicator",
           "treatment of missing values: fail, drop their rows, or fill numeric columns with the mean or median; "
           "indicator: mean, and a 0/1 column that marks the filled cells; with mean, median and indicator a missing value "
           "in a categorical column is a level of its own"),
    TEXT("categorical", NULL, "table", NULL, "NAME|NUMBER,...",
         "columns to encode as categories, even if they hold numbers"),
    TEXT("numeric", NULL, "table", NULL, "NAME|NUMBER,...", "columns to read as numbers; any other value is an error"),
    TEXT("date", NULL, "table", NULL, "NAME|NUMBER,...",
         "date columns, encoded as year, month, weekday and days since 1970"),
    TEXT("transform", NULL, "table", NULL, "NAME|NUMBER=X,...",
         "transforms of numeric columns: log1p, sqrt, rank, bins:N, clip:LO:HI or none; numeric=X: for all other numeric "
         "columns"),
    CHOICE("date-order", NULL, "table", "auto", "auto|dmy|mdy|ymd",
           "order of day, month and year in date columns; with --date, needed for dates such as 03/05/24; auto: found "
           "from the cells"),
    TEXT("text", NULL, "table", NULL, "NAME|NUMBER,...", "text columns, encoded as n-grams; see --ngrams"),
    WHOLE("min-count", "table", "1", 1,
          "smallest count of a level (category) or word; rarer levels are pooled, rarer words dropped"),
    TEXT("ngrams", NULL, "table", NULL, "N|N-M",
         "n-gram length in text columns, in words (default 1-2) or characters (default 2-4)"),
    CHOICE("text-unit", NULL, "table", "word", "word|char", "unit of n-grams in text columns"),
    CHOICE("text-value", NULL, "table", "tf-idf", "tf-idf|count|presence", "value of an n-gram in a text"),
    {"hash-bits", NULL, "table", HSP_OPTION_INT, NULL, NULL, 1, 28, false, "N",
     "hashing of the words of a text to 2^N features (default: one feature for each word)"},
    TEXT("cross", NULL, "table", NULL, "A:B,...",
         "interactions of two columns: one feature for each pair of their features"),
    {"degree", NULL, "table", HSP_OPTION_INT, "1", NULL, 1, 2, false, "1|2",
     "polynomial degree; 2 adds the squares and products of the numeric columns"},
    {"rff", NULL, "table", HSP_OPTION_INT, NULL, NULL, 1, 1000000, false, "N",
     "N random Fourier features of the numeric columns, added to them, for non-linear boundaries"},
    REAL("rff-gamma", NULL, "table", NULL, 0, true, 1e300,
         "gamma of the kernel exp(-gamma |x - y|^2) of --rff, on standardised columns (default: 1 / number of columns)"),
    /* the model */
    TEXT("algorithm", "a", "train", "logistic", "NAME",
         "learning algorithm; see `halfspace list algorithms` (default: logistic; with --task regression: ridge)"),
    TEXT("positive", NULL, "train", NULL, "LABEL[,LABEL...]",
         "class with positive scores (default: the greater of two labels); with more than two classes: these labels "
         "against the rest"),
    TEXT("class-weight", NULL, "train", NULL, "LABEL=X,...|balanced",
         "weight of the rows of each class (default: 1); balanced: the same total weight for every class"),
    CHOICE("calibrate", NULL, "train", "none", "none|platt|isotonic|temperature",
           "map from scores to probabilities, fitted on scores of rows that were not trained on; platt: logistic; isotonic: "
           "any ascending function; temperature: scores divided by a number"),
    {"calibrate-folds", NULL, "train", HSP_OPTION_INT, "5", NULL, 2, 1000, false, "N",
     "number of folds whose models give the scores for --calibrate and --decide; rows of one --group stay together"},
    TEXT("decide", NULL, "train", "auto", "auto|X|best:METRIC|cost:FP,FN|recall:X",
         "with two classes, the threshold above which a row is positive; X: of the probability if the model has one, else of "
         "the score; best: the best accuracy, balanced-accuracy, f1 or mcc; cost: the least cost of false positives and false "
         "negatives; recall: the highest threshold with at least that recall; best and recall, and cost without probabilities, "
         "are chosen on rows that were not trained on"),
    TEXT("loss", NULL, "train", NULL, "NAME",
         "loss function; see `halfspace list losses` (default: see `halfspace list algorithms`)"),
    REAL("delta", NULL, "train", NULL, 0, true, 1e300,
         "absolute error above which the huber loss is linear (default: 1.35)"),
    TEXT("penalty", NULL, "train", NULL, "none|l2|l1|elastic",
         "penalty on the weights; see `halfspace list penalties` (default: see `halfspace list algorithms`; plot path "
         "with logistic: l1)"),
    REAL("C", "C", "train", NULL, 0, true, 1e300,
         "weight of the sum of losses against the penalty (default: 1; mlp: 10); equivalent to lambda = 1/(n C), n the sum "
         "of "
         "the row weights"),
    {"lambda", NULL, "train", HSP_OPTION_NUMBER_OR_CHOICE, NULL, "auto", 0, 1e300, false, "X|auto",
     "weight of the penalty against the mean loss (default: 1/n, which is C = 1; mlp: 1/(10 n)); equivalent to C = 1/(n "
     "lambda); auto: by leave-one-out (ridge)"},
    REAL("l1-ratio", NULL, "train", "0.5", 0, false, 1, "share of L1 in the elastic penalty"),
    CHOICE("intercept", NULL, "train", "free", HSP_CHOICE_WORDS(HSP_INTERCEPT_CHOICES),
           "intercept: not penalised, none, or penalised like a weight"),
    CHOICE("scale", NULL, "train", "none", "none|standard|maxabs|minmax",
           "scaling of the columns before training; in a table, only of numeric and date columns; weights are reported "
           "in original units (default: none; mlp: standard, except with --solver gradient)"),
    FLAG("scale-all", "train",
         "--scale applied to every feature, including those of categorical, boolean and text columns and the indicators "
         "of missing values"),
    TEXT("hidden", NULL, "train", NULL, "N[,N...]", "units of each hidden layer of mlp (default: 32)"),
    CHOICE("activation", NULL, "train", NULL, "tanh|relu", "activation of the hidden units of mlp (default: tanh)"),
    {"restarts", NULL, "train", HSP_OPTION_INT, NULL, NULL, 0, 1000, false, "N",
     "number of additional random starts of mlp; the result with the lowest objective is kept (default: see `halfspace "
     "list algorithms`)"},
    TEXT("solver", NULL, "train", "auto", "NAME", "solver of the optimisation problem; see `halfspace list solvers`"),
    CHOICE("kink", NULL, "train", "open", HSP_CHOICE_WORDS(HSP_KINK_CHOICES),
           "subgradient of the hinge loss at its kink, where y times the score is 1; open: 0, so no update; closed: -1, as "
           "below the kink"),
    CHOICE("multiclass", NULL, "train", NULL, "ovr|softmax|crammer-singer",
           "method for more than two classes: one-vs-rest, or one problem for all: softmax (logistic), crammer-singer "
           "(svm) (default: see `halfspace list algorithms`)"),
    FLAG("no-certificate", "train",
         "model file without the dual vector: smaller, but `verify` cannot check the dual bound; no effect on models "
         "without a dual vector"),
    CHOICE("loo", NULL, "train", "auto", "auto|yes|no",
           "leave-one-out error in closed form (least-squares, ridge); auto: if it is cheap; yes: also the leave-one-out "
           "scores"),
    CHOICE("within", NULL, "train", "sum", "sum|pooled",
           "within-class scatter of fisher: sum of the class covariances, or pooled covariance"),
    CHOICE("threshold", NULL, "train", "midpoint", "midpoint|prior|best",
           "threshold of fisher; midpoint: of the projected means; prior: midpoint shifted by the log of the prior ratio; "
           "best: fewest training errors"),
    {"shrinkage", NULL, "train", HSP_OPTION_NUMBER_OR_CHOICE, "none", "none|auto", 0, 1, false, "none|auto|X",
     "shrinkage of the covariance (fisher, lda) towards a multiple of the identity: X, or the Ledoit-Wolf estimate (auto)"},
    TEXT("priors", NULL, "train", "empirical", "empirical|equal|LABEL=X,...", "prior probabilities of the classes (lda)"),
    /* the run of a solver */
    {"learning-rate", NULL, "run", HSP_OPTION_NUMBER_OR_CHOICE, NULL, "auto", 0, 1e300, true, "auto|X",
     "step size of every update, or with --schedule its initial value (default: see `halfspace list algorithms`)"},
    REAL("decay", NULL, "run", NULL, 0, false, 1e300,
         "decay rate of --schedule decay (default: see `halfspace list algorithms`), or exponent of --schedule power "
         "(default: "
         "0.5)"),
    CHOICE(
        "schedule", NULL, "run", NULL, HSP_CHOICE_WORDS(HSP_SCHEDULE_CHOICES),
        "step size of update k = 0, 1, ... for learning rate X; constant: X; harmonic: X/(k+1); decay: X/(1 + decay k); "
        "power: X/(k+1)^decay; pegasos: 1/(lambda (k+1)), which needs a penalty; line-search: found in each step (default: "
        "see `halfspace list algorithms`)"),
    WHOLE("batch", "run", NULL, 1,
          "rows in each step of minibatch (default: 32) and mlp (default: 200; --solver gradient: all)"),
    CHOICE("order", NULL, "run", NULL, HSP_CHOICE_WORDS(HSP_ORDERING_CHOICES),
           "order of the rows: as read, shuffled in each epoch, or drawn at random (default: see `halfspace list "
           "algorithms`)"),
    {"init", NULL, "run", HSP_OPTION_NUMBERS_OR_CHOICE, "zero", HSP_CHOICE_WORDS(HSP_START_CHOICES), 0, 0, false,
     "zero|one-over-d|random|X,X,...",
     "initial weights (perceptron, gradient-descent, sgd, minibatch); as numbers: the weights, then the intercept"},
    CHOICE("update-on", NULL, "run", "nonpositive", HSP_CHOICE_WORDS(HSP_UPDATE_ON_CHOICES),
           "condition for a perceptron update; nonpositive: y times the score is <= 0; negative: it is < 0; mismatch: the "
           "predicted label is wrong"),
    CHOICE("keep", NULL, "run", "best", HSP_CHOICE_WORDS(HSP_KEEP_CHOICES),
           "weights to keep (perceptron, gradient-descent, sgd, minibatch): the last, the best (lowest objective; "
           "perceptron: fewest mistakes), or the average"),
    REAL("tol", NULL, "run", NULL, 0, true, 1,
         "relative duality gap at which training stops (default: 1e-4; mlp: relative decrease of the objective over ten "
         "epochs, see `halfspace help mlp`); exit code 1 if it is not reached (gradient-descent, sgd, minibatch, mlp: only "
         "if "
         "--tol was given)"),
    WHOLE("max-epochs", "run", "1000", 0,
          "limit on passes over the data (default: 1000; mlp with adam: 200); mlp also stops when the objective stops "
          "falling, and so do gradient-descent, sgd and minibatch unless --max-epochs or --tol is given"),
    WHOLE("max-updates", "run", NULL, 0, "limit on updates of the weights"),
    WHOLE("max-steps", "run", NULL, 0, "limit on rows visited, over all passes"),
    REAL("max-seconds", NULL, "run", NULL, 0, false, 1e9, "time limit in seconds"),
    /* splitting, also for train --holdout */
    REAL("test", NULL, "split", "0.3", 0, true, 9e15, "size of the test set: a share below 1, or a number of rows"),
    FLAG("stratify", "split", "equal class proportions in the training set and the test set (train: the held-out rows)"),
    /* generating */
    WHOLE("rows", "generate", "100", 1, "number of rows"),
    REAL("noise", NULL, "generate", NULL, 0, false, 1e6,
         "amount of noise (meaning and default: see `halfspace list generators`)"),
    WHOLE("features", "generate", NULL, 1,
          "number of features of blobs, correlated, decimals, linear and sparse (default: see `halfspace list "
          "generators`)"),
    WHOLE("classes", "generate", "2", 2, "number of classes (blobs)"),
    /* predicting, writing */
    FLAG("scores", "predict", "also the score of each class; with two classes, of the positive class"),
    FLAG("proba", "predict",
         "also the probability of each class (logistic, lda, mlp, models of the logistic loss, and calibrated models)"),
    FLAG("project", "predict", "also the projection on each discriminant direction (fisher, lda)"),
    TEXT("keep-columns", NULL, "columns", NULL, "NAME|NUMBER,...",
         "columns of a CSV file to copy unchanged, before the predictions; the model need not use them"),
    {"explain", NULL, "predict", HSP_OPTION_INT, NULL, NULL, 1, 100, false, "[N=3]",
     "also, for each row, the N features with the largest contributions to its score relative to the mean row, and these "
     "contributions (not mlp)"},
    TEXT("bad-rows", NULL, "predict", "error", "error|skip|report:FILE",
         "rows that cannot be read or encoded: stop at the first, leave them out, or leave them out and list them in a CSV "
         "file"),
    {"importance", NULL, "evaluate", HSP_OPTION_INT, NULL, NULL, 1, 1000, false, "[REPEATS=5]",
     "also the permutation importance of each column: the mean increase of the log loss (models without probabilities: "
     "error rate; regression: RMSE) over REPEATS shuffles of its cells, and the standard deviation"},
    CHOICE("to-format", NULL, "write", "auto", "auto|csv|tsv|svmlight|npy|hsd",
           "output format; auto: by the file extension"),
    CHOICE("explain-format", NULL, "explain", "text", "text|md",
           "format of an explanation: plain text, or Markdown with formulas in TeX"),
    /* plots; the descriptor of a chart lists those that it takes */
    CHOICE("theme", NULL, "picture", "light", "light|dark", "colour theme"),
    TEXT("size", NULL, "picture", "960x640", "WIDTHxHEIGHT",
         "size in CSS pixels; PNG pictures have two image pixels per CSS pixel in each direction, animations one"),
    TEXT("title", NULL, "picture", NULL, "TEXT", "title of the picture, in place of the default"),
    TEXT("x", NULL, "chart", NULL, "NAME|NUMBER", "feature on the horizontal axis; the others are held at their means"),
    TEXT("y", NULL, "chart", NULL, "NAME|NUMBER", "feature on the vertical axis; the others are held at their means"),
    CHOICE("plane", NULL, "plane", "auto", "auto|lda|pca",
           "plane of the picture for more than two features: the two most important features, the discriminant plane, or "
           "the principal components"),
    CHOICE("margins", NULL, "chart", "auto", "auto|yes|no",
           "lines where the score is +1 or -1, and the support vectors; auto: for maximum-margin models and, if several "
           "models are drawn, for those without mistakes"),
    CHOICE("layout", NULL, "chart", "overlay", "overlay|panels",
           "arrangement of several models: in one panel, or in a panel each"),
    WHOLE("top", "chart", "20", 1, "number of features to name, those with the largest weights"),
    TEXT("image", NULL, "chart", NULL, "WIDTHxHEIGHT", "size of an image that shows the weights of each class"),
    {"bins", NULL, "chart", HSP_OPTION_INT, NULL, NULL, 2, 1000, false, "N",
     "number of bars of a histogram (default: chosen from the data)"},
    /* studies */
    TEXT("lambdas", NULL, "study", NULL, "LO:HI[:N]|X,...",
         "values of lambda to try: N values from LO to HI, equally spaced on a log scale (N is 25 if it is not given; "
         "plot path: 100, plot bias-variance: 15), or a list (default: a range chosen from the data; cv: one lambda)"),
    {"steps", NULL, "path", HSP_OPTION_INT, "100", NULL, 1, 1000, false, "N", "number of values of lambda"},
    {"bootstraps", NULL, "study", HSP_OPTION_INT, "50", NULL, 2, 100000, false, "N",
     "number of bootstrap samples of the training rows"},
    {"repeats", NULL, "study", HSP_OPTION_INT, NULL, NULL, 1, 100000, false, "N",
     "cv: number of times that the rows are divided into folds at random (default: 1); plot learning-curve: number of "
     "random "
     "subsets of each size (default: 10)"},
    {"folds", NULL, "folds", HSP_OPTION_INT, "5", "loo", 2, 100000, false, "N|loo",
     "number of folds; loo: leave one out, each row (with --group each group) is a fold"},
    TEXT("group", NULL, "folds", NULL, "NAME|NUMBER",
         "column of groups, such as patients or customers: rows of one group stay in one fold; not a feature"),
    TEXT("time", NULL, "folds", NULL, "NAME|NUMBER",
         "column of times (ISO dates, or numbers): each fold is tested by models of earlier rows only; not a feature"),
    CHOICE("metric", NULL, "folds", NULL,
           "accuracy|balanced-accuracy|log-loss|brier|auc|average-precision|f1|mcc|rmse|mae|r2",
           "metric that decides which model is best; all are reported (default: accuracy; regression: rmse)"),
    TEXT(
        "grid", NULL, "cv", NULL, "NAME=VALUES;...",
        "values of a training option to try: a list (scale=none,standard; with | between values that contain commas), or N "
        "numbers from LO to HI (C=0.01:100:log9, l1-ratio=0.1:0.9:lin5); given again, for another option, all combinations "
        "are tried"),
    CHOICE("choose", NULL, "cv", "best", "best|one-se",
           "model to choose: the one with the best mean, or of those within one standard error of it the one with the "
           "strongest penalty (largest lambda, smallest C)"),
    {"nested", NULL, "cv", HSP_OPTION_INT, NULL, NULL, 2, 1000, false, "N",
     "also an estimate for the whole procedure, choice included: N outer folds, in each of which the choice is made again"},
    TEXT("predictions", NULL, "cv", NULL, "FILE.csv",
         "output file for the predictions of the held-out rows by the chosen model: row, fold, label, prediction, scores, "
         "probabilities"),
    TEXT("only", NULL, "compare", NULL, "NAME,...",
         "algorithms to compare, and majority, the baseline (default: all; see `halfspace compare --list`)"),
    REAL("max-seconds-each", NULL, "compare", NULL, 0, false, 1e9,
         "time limit in seconds for each algorithm, all its fits together"),
    /* films */
    {"frames", NULL, "film", HSP_OPTION_INT, "120", NULL, 2, 10000, false, "N",
     "limit on frames; longer runs are shown at growing intervals"},
    {"fps", NULL, "film", HSP_OPTION_INT, "8", NULL, 1, 50, false, "N", "frames per second"},
    /* pages */
    TEXT("model", NULL, "page", NULL, "MODEL", "output file for a model fitted to all rows with the settings of the report"),
    /* general */
    WHOLE("seed", "general", "1", 0, "seed of all random choices; the same seed gives identical results"),
    WHOLE("threads", "general", NULL, 1, "number of threads; results do not depend on it (default: all cores)"),
};

const int64_t hsp_option_table_size = (int64_t)(sizeof hsp_option_table / sizeof hsp_option_table[0]);
