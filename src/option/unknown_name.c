#include "option/unknown_name.h"

#include "base/error.h"
#include "base/text.h"
#include "halfspace_internal.h"

#include <string.h>

/* The names that users of scikit-learn, LIBLINEAR and the textbooks bring. */
typedef struct foreign_name {
    const char *what;   /* as in the message: "algorithm", "loss" */
    const char *words;  /* lower case, without dashes, separated by blanks */
    const char *remedy; /* follows "unknown algorithm 'X': " */
} foreign_name;

static const foreign_name foreign_names[] = {
    {"algorithm", "logisticregression logreg logit lr maxent softmax multinomial crossentropy", "use -a logistic"},
    {"algorithm", "logisticregressioncv", "use -a logistic, and choose lambda with `halfspace cv --lambdas`"},
    {"algorithm", "linearsvc", "use -a svm --loss squared-hinge, or -a svm for the hinge loss"},
    {"algorithm", "svc libsvm supportvectormachine softmargin hinge", "use -a svm; --rff N adds features of an RBF kernel"},
    {"algorithm", "hardmargin maxmargin maximummargin", "use -a hard-svm"},
    {"algorithm", "svr linearsvr huberregressor", "use -a ridge --loss huber --task regression"},
    {"algorithm", "sgdclassifier stochasticgradientdescent", "use -a sgd"},
    {"algorithm", "sgdregressor", "use -a sgd --task regression"},
    {"algorithm", "pegasos", "use -a sgd --penalty l2 --schedule pegasos"},
    {"algorithm", "adaline deltarule widrowhoff lms leastmeansquares", "use -a sgd --loss squared"},
    {"algorithm", "gd batchgd steepestdescent", "use -a gradient-descent"},
    {"algorithm", "passiveaggressive passiveaggressiveclassifier pla rosenblatt perceptronlearning perceptronalgorithm",
     "use -a perceptron"},
    {"algorithm", "lineardiscriminantanalysis discriminantanalysis", "use -a lda"},
    {"algorithm", "qda quadraticdiscriminantanalysis", "use -a lda; --degree 2 adds the squares and products"},
    {"algorithm", "fld flda fisherdiscriminant fisherlineardiscriminant", "use -a fisher"},
    {"algorithm", "linearregression ols linear lstsq regression", "use -a least-squares --task regression"},
    {"algorithm", "ridgeclassifier ridgeregression tikhonov", "use -a ridge"},
    {"algorithm", "ridgecv ridgeclassifiercv", "use -a ridge --lambda auto"},
    {"algorithm", "lassocv lassolars l1regression", "use -a lasso"},
    {"algorithm", "elastic enet elasticnetcv glmnet", "use -a elastic-net"},
    {"algorithm", "nearestcentroid centroid rocchio nearestclassmean", "use -a nearest-mean"},
    {"algorithm", "naivebayes gaussiannb multinomialnb nb", "use -a lda or -a logistic, which give probabilities too"},
    {"algorithm", "knn kneighborsclassifier tree decisiontree randomforest xgboost gbm",
     "use -a mlp, or -a logistic with --degree 2 or --rff N, for non-linear boundaries"},
    {"algorithm", "neuralnetwork neuralnet nn ann mlpclassifier multilayerperceptron backprop backpropagation",
     "use -a mlp"},
    {"algorithm", "auto automl best automatic", "use `halfspace train -a auto`, which compares all algorithms"},
    {"algorithm", "majority dummy dummyclassifier dummyregressor baseline", "use `halfspace compare`, which has the baseline"},
    {"algorithm", "mlpregressor", "use -a mlp --task regression"},
    {"loss", "log logloss crossentropy bce binarycrossentropy nll deviance", "use --loss logistic"},
    {"loss", "categoricalcrossentropy multinomial", "use -a logistic, which minimises softmax for several classes"},
    {"loss", "mse squarederror squaredloss leastsquares quadratic l2 ols", "use --loss squared"},
    {"loss", "mae l1 absolute absoluteerror epsiloninsensitive squaredepsiloninsensitive quantile",
     "use --loss huber, which is linear for errors above --delta"},
    {"loss", "svm l1svm", "use --loss hinge"},
    {"loss", "hinge2 l2svm", "use --loss squared-hinge"},
    {"loss", "01 error accuracy", "use --loss logistic or --loss hinge, as the error rate cannot be minimised"},
    {"penalty", "ridge tikhonov weightdecay", "use --penalty l2"},
    {"penalty", "lasso", "use --penalty l1"},
    {"penalty", "elasticnet enet l1l2", "use --penalty elastic"},
    {"penalty", "no null off false 0", "use --penalty none"},
    {"solver", "lbfgs bfgs cg tron trustncg", "use --solver newton-cg, or auto"},
    {"solver", "newtoncholesky irls", "use --solver newton, or auto"},
    {"solver", "liblinear libsvm smo sdca dcd", "use --solver dual, or auto"},
    {"solver", "saga sag svrg adam adagrad rmsprop momentum", "use --solver auto; for stochastic steps -a sgd"},
    {"solver", "sgd", "use -a sgd"},
    {"solver", "gd batch", "use -a gradient-descent"},
    {"solver", "cd coordinatedescent glmnet", "use --solver prox-newton for penalties with L1, or dual for margin losses"},
    {"solver", "ipm barrier", "use --solver interior-point"},
    {"solver", "cholesky svd qr closedform exact", "use -a ridge or -a least-squares, which are closed forms"},
    {"generator", "makemoons twomoons", "use moons"},
    {"generator", "makecircles rings", "use circles"},
    {"generator", "makeblobs gaussian gaussians normal clusters", "use blobs"},
    {"generator", "makeclassification classification", "use blobs or correlated"},
    {"generator", "makeregression regression", "use linear"},
    {"generator", "text words zipf", "use sparse"},
};

static const char *find_remedy(const char *what, const char *name) {
    for (size_t i = 0; i < sizeof foreign_names / sizeof *foreign_names; i++)
        if (strcmp(foreign_names[i].what, what) == 0 && hsp_name_listed(foreign_names[i].words, name))
            return foreign_names[i].remedy;
    return NULL;
}

int hsp_fail_unknown_name(const char *what, const char *name, const char *(*name_at)(int64_t i), hsp_error **err) {
    enum { MOST = 63 };
    const char *names[MOST + 1] = {NULL};
    for (int64_t i = 0; i < MOST && (names[i] = name_at(i)) != NULL; i++) {
    }
    const char *remedy = find_remedy(what, name), *nearest = hsp_name_nearest(name, names);
    if (remedy) return hsp_fail(err, HSP_EUSAGE, "unknown %s '%s': %s", what, name, remedy);
    if (nearest) return hsp_fail(err, HSP_EUSAGE, "unknown %s '%s': did you mean %s?", what, name, nearest);
    hsp_text list = {0};
    for (int64_t i = 0; names[i] != NULL; i++) hsp_text_format(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    int status = list.failed ? hsp_fail_memory(err)
                             : hsp_fail(err, HSP_EUSAGE, "unknown %s '%s': choose one of %s", what, name,
                                        list.s != NULL ? list.s : "none");
    hsp_text_free(&list);
    return status;
}
