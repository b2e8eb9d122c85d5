/* Every option of the library: the only place where its name, default and help are written. */
#include "option/choices.h"
#include "option/options.h"

#define FLAG(name, group, help) \
    { name, NULL, group, HSP_OPTION_FLAG, "no", "yes|no", 0, 0, false, NULL, help }
#define TEXT(name, short, group, initial, argument, help) \
    { name, short, group, HSP_OPTION_TEXT, initial, NULL, 0, 0, false, argument, help }
#define CHOICE(name, short, group, initial, choices, help) \
    { name, short, group, HSP_OPTION_CHOICE, initial, choices, 0, 0, false, choices, help }
#define WHOLE(name, group, initial, min, help) \
    { name, NULL, group, HSP_OPTION_INT, initial, NULL, min, 9e15, false, "N", help }
/* A real number; `min` itself is excluded when open. */
#define REAL(name, short, group, initial, min, open, max, help) \
    { name, short, group, HSP_OPTION_REAL, initial, NULL, min, max, open, "X", help }

const hsp_option hsp_option_table[] = {
    /* reading */
    CHOICE("format", NULL, "read", "auto", "auto|csv|svmlight|npy|hsd", "how the data file is written"),
    TEXT("target", NULL, "read", NULL, "NAME|NUMBER",
         "the column to predict, by name or number from 1; default: one named label, class, target or y, else the last"),
    CHOICE("header", NULL, "read", "auto", "auto|yes|no", "whether the first line of a CSV file holds names"),
    CHOICE("delimiter", NULL, "read", "auto", "auto|,|;|tab|space", "what stands between the cells of a CSV file"),
    CHOICE("quotes", NULL, "read", "auto", "auto|yes|no",
           "whether a CSV file has quotes round cells; auto: yes, but not where a file with tabs breaks their rules"),
    TEXT("ignore", NULL, "read", NULL, "NAME|NUMBER,...", "columns of a CSV file to leave out"),
    CHOICE("base", NULL, "read", "auto", "auto|0|1", "the number of the first feature in an svmlight file"),
    TEXT("weight", NULL, "read", NULL, "NAME|NUMBER",
         "the column that holds the weight of each row, by name or number from 1; svmlight: the feature of that number"),
    CHOICE("task", NULL, "read", "classification", "classification|regression",
           "whether the target is a class or a number to predict"),
    TEXT("labels", NULL, "read", NULL, "FILE",
         "labels of rows that have none, one for each: .npy, or text with one on a line"),
    FLAG("cache", "read", "keep the data read in FILE.hsd beside the text FILE, and use it as long as neither has changed"),
    TEXT("map-label", NULL, "read", NULL, "FROM=TO,...", "labels to replace while reading"),
    TEXT("missing-values", NULL, "read", NULL, "TEXT,...",
         "cells of a CSV file that count as missing, besides empty ones, NA, N/A, NaN, null and ?"),
    FLAG("strict", "read",
         "for a model: columns that are not there, levels and words that training had not seen are errors"),
    /* encoding of the columns of a table */
    CHOICE("missing", NULL, "table", "error", "error|drop|mean|median|indicator",
           "missing values: refused, their rows left out, or filled, with a column that says where (indicator: mean)"),
    TEXT("categorical", NULL, "table", NULL, "NAME|NUMBER,...", "columns whose values are categories, numbers or not"),
    TEXT("numeric", NULL, "table", NULL, "NAME|NUMBER,...", "columns that hold numbers, whatever they look like"),
    TEXT("date", NULL, "table", NULL, "NAME|NUMBER,...",
         "columns of dates: each becomes year, month, weekday and days since 1970"),
    TEXT("text", NULL, "table", NULL, "NAME|NUMBER,...", "columns of text: each becomes its words and word pairs"),
    WHOLE("min-count", "table", "1", 1, "levels of a category that occur less often are pooled, words of a text left out"),
    TEXT("ngrams", NULL, "table", NULL, "N|N-M",
         "how many words (default 1-2) or characters (default 2-4) of a text make a feature"),
    CHOICE("text-unit", NULL, "table", "word", "word|char", "what a text is cut into"),
    CHOICE("text-value", NULL, "table", "tf-idf", "tf-idf|count|presence", "the value of a word in a text"),
    {"hash-bits", NULL, "table", HSP_OPTION_INT, NULL, NULL, 1, 28, false, "N",
     "hash the words of a text to 2^N features (default: each word is a feature)"},
    TEXT("cross", NULL, "table", NULL, "A:B,...", "products of two columns: one feature for each pair of their features"),
    {"degree", NULL, "table", HSP_OPTION_INT, "1", NULL, 1, 2, false, "N",
     "2: also the squares and products of all numbers"},
    {"rff", NULL, "table", HSP_OPTION_INT, NULL, NULL, 1, 1000000, false, "N",
     "random Fourier features: N waves in all numbers, for bent boundaries"},
    REAL("rff-gamma", NULL, "table", NULL, 0, true, 1e300,
         "width of their kernel exp(-gamma |x - y|^2), columns standardised (default: 1 / columns)"),
    /* the model */
    TEXT("algorithm", "a", "train", "logistic", "NAME", "the classifier; see `halfspace list algorithms`"),
    TEXT("positive", NULL, "train", NULL, "LABEL[,LABEL...]",
         "the class of positive scores, default the greater of two; of more than two: these against the rest"),
    TEXT("class-weight", NULL, "train", NULL, "LABEL=X,...|balanced",
         "weight of the rows of each class, 1 when not named; balanced: so that all classes weigh the same"),
    TEXT("loss", NULL, "train", NULL, "NAME", "the loss to minimise; see `halfspace list losses`"),
    REAL("delta", NULL, "train", NULL, 0, true, 1e300,
         "size of an error from which the huber loss is linear (default 1.35)"),
    TEXT("penalty", NULL, "train", NULL, "none|l2|l1|elastic",
         "the penalty on the weights; see `halfspace list penalties`"),
    REAL("C", "C", "train", NULL, 0, true, 1e300, "weight of the losses against the penalty; the same as lambda = 1/(n C)"),
    {"lambda", NULL, "train", HSP_OPTION_NUMBER_OR_CHOICE, NULL, "auto", 0, 1e300, true, "X|auto",
     "weight of the penalty against the mean loss; the same as C = 1/(n lambda); ridge: auto, by leave-one-out"},
    REAL("l1-ratio", NULL, "train", "0.5", 0, false, 1, "share of L1 in the elastic penalty"),
    CHOICE("intercept", NULL, "train", "free", HSP_CHOICE_WORDS(HSP_INTERCEPT_CHOICES),
           "the offset b: not penalised, absent, or penalised like a weight"),
    CHOICE("scale", NULL, "train", "none", "none|standard|maxabs|minmax",
           "transform the columns first; weights are reported in original units"),
    TEXT("solver", NULL, "train", "auto", "NAME", "how the problem is solved; see `halfspace list solvers`"),
    CHOICE("kink", NULL, "train", "open", HSP_CHOICE_WORDS(HSP_KINK_CHOICES),
           "slope of the hinge at margin 1: 0 (open) or -1 (closed)"),
    CHOICE("multiclass", NULL, "train", NULL, "ovr|softmax",
           "more than two classes: one problem for each class against the rest, or one for all (logistic)"),
    FLAG("no-certificate", "train",
         "leave the dual vector out of the model: smaller, but its bound can no longer be checked by `verify`"),
    CHOICE(
        "loo", NULL, "train", "auto", "auto|yes|no",
        "leave-one-out error in closed form (least-squares, ridge); auto: when it costs little; yes: the scores as well"),
    CHOICE("within", NULL, "train", "sum", "sum|pooled",
           "fisher's within-class scatter: the sum of the class covariances, or the pooled one"),
    CHOICE("threshold", NULL, "train", "midpoint", "midpoint|prior|best",
           "where fisher cuts its line: between the projected means, moved by the priors, or at the fewest mistakes"),
    {"shrinkage", NULL, "train", HSP_OPTION_NUMBER_OR_CHOICE, "none", "none|auto", 0, 1, false, "none|auto|X",
     "mix the covariance with a multiple of the identity: by X, or as Ledoit and Wolf estimate it"},
    TEXT("priors", NULL, "train", "empirical", "empirical|equal|LABEL=X,...",
         "class probabilities before a row is seen (lda)"),
    /* the run of a solver */
    {"learning-rate", NULL, "run", HSP_OPTION_NUMBER_OR_CHOICE, NULL, "auto", 0, 1e300, true, "auto|X",
     "the step size, or where it starts"},
    REAL("decay", NULL, "run", NULL, 0, false, 1e300, "how fast the schedule `decay` falls: rate / (1 + decay k)"),
    CHOICE("schedule", NULL, "run", NULL, HSP_CHOICE_WORDS(HSP_SCHEDULE_CHOICES),
           "the step size of update k: X, X/(k+1), X/(1+decay k), 1/(lambda (k+1)), or searched for"),
    WHOLE("batch", "run", NULL, 1, "examples in a step of minibatch"),
    CHOICE("order", NULL, "run", NULL, HSP_CHOICE_WORDS(HSP_ORDERING_CHOICES),
           "order of the examples: as read, shuffled each epoch, or drawn"),
    CHOICE("init", NULL, "run", "zero", HSP_CHOICE_WORDS(HSP_START_CHOICES), "the weights to start from"),
    CHOICE("update-on", NULL, "run", "nonpositive", HSP_CHOICE_WORDS(HSP_UPDATE_ON_CHOICES),
           "when the perceptron updates: y g <= 0, y g < 0, or the predicted label differs"),
    CHOICE("keep", NULL, "run", "best", HSP_CHOICE_WORDS(HSP_KEEP_CHOICES), "which weights become the model"),
    REAL("tol", NULL, "run", NULL, 0, true, 1,
         "stop at this relative duality gap (default 1e-4); exit 1 when ridge, logistic, svm or hard-svm miss it, or when "
         "it was "
         "given and missed"),
    WHOLE("max-epochs", "run", "1000", 0, "stop after this many passes over the data"),
    WHOLE("max-updates", "run", NULL, 0, "stop after this many changes of the weights"),
    WHOLE("max-steps", "run", NULL, 0, "stop after this many examples visited"),
    REAL("max-seconds", NULL, "run", NULL, 0, false, 1e9, "stop after this time"),
    /* splitting, also for train --holdout */
    REAL("test", NULL, "split", "0.3", 0, true, 9e15, "test rows: a share below 1, or a number of rows"),
    FLAG("stratify", "split", "keep the shares of the classes in both parts"),
    /* generating */
    WHOLE("rows", "generate", "100", 1, "rows to make"),
    REAL("noise", NULL, "generate", NULL, 0, false, 1e6, "spread of the noise; its meaning depends on the kind"),
    WHOLE("features", "generate", NULL, 1, "columns to make (blobs, correlated, decimals, linear, sparse)"),
    WHOLE("classes", "generate", "2", 2, "classes to make (blobs)"),
    /* predicting, writing */
    FLAG("scores", "predict", "also print the score of each output"),
    FLAG("proba", "predict", "also print the probability of each class"),
    FLAG("project", "predict", "also print the place on each discriminant direction (fisher, lda)"),
    CHOICE("to-format", NULL, "write", "auto", "auto|csv|tsv|svmlight|npy|hsd",
           "what to write; auto goes by the file's ending"),
    /* plots; the descriptor of a chart lists those that it takes */
    CHOICE("theme", NULL, "picture", "light", "light|dark", "the colours of the picture"),
    TEXT("size", NULL, "picture", "960x640", "WIDTHxHEIGHT", "size of the picture in CSS pixels; a PNG has twice as many"),
    TEXT("title", NULL, "picture", NULL, "TEXT", "the title of the picture, in place of its own"),
    TEXT("x", NULL, "chart", NULL, "NAME|NUMBER", "the feature on the horizontal axis; others are held at their means"),
    TEXT("y", NULL, "chart", NULL, "NAME|NUMBER", "the feature on the vertical axis; others are held at their means"),
    CHOICE("plane", NULL, "plane", "auto", "auto|lda|pca",
           "of more than two features: the two that matter most, the discriminant plane, or the principal components"),
    CHOICE("margins", NULL, "chart", "auto", "auto|yes|no",
           "the lines g = +-1 and the support vectors; auto: for models of a margin, or of several models that make no "
           "mistake"),
    CHOICE("layout", NULL, "chart", "overlay", "overlay|panels",
           "several models: over the same points, or a panel for each"),
    WHOLE("top", "chart", "20", 1, "how many features to name, those of the largest weights"),
    TEXT("image", NULL, "chart", NULL, "WIDTHxHEIGHT", "draw the weights of each class as an image of so many features"),
    {"bins", NULL, "chart", HSP_OPTION_INT, NULL, NULL, 2, 1000, false, "N", "bars of a histogram (default: by the data)"},
    /* studies */
    TEXT("lambdas", NULL, "study", NULL, "LO:HI[:N]|X,...", "weights of the penalty to try: a range in N steps, or a list"),
    {"bootstraps", NULL, "study", HSP_OPTION_INT, "50", NULL, 2, 100000, false, "N",
     "samples drawn from the training rows"},
    {"repeats", NULL, "study", HSP_OPTION_INT, "10", NULL, 1, 100000, false, "N", "random parts of each size"},
    {"folds", NULL, "cv", HSP_OPTION_INT, "5", NULL, 2, 100000, false, "N",
     "parts of the rows, each judged by a model of the others"},
    /* films */
    {"frames", NULL, "film", HSP_OPTION_INT, "120", NULL, 2, 10000, false, "N",
     "frames at most; more updates than that are shown at growing intervals"},
    {"fps", NULL, "film", HSP_OPTION_INT, "8", NULL, 1, 50, false, "N", "frames a second"},
    /* general */
    WHOLE("seed", "general", "1", 0, "seed of every random choice; the same seed gives the same bits"),
    WHOLE("threads", "general", NULL, 1, "threads to use; the result is the same for any number (default: all cores)"),
};

const int64_t hsp_option_table_size = (int64_t)(sizeof hsp_option_table / sizeof hsp_option_table[0]);
