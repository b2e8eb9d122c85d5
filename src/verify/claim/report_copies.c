#include "verify/claim/report_copies.h"

#include "base/memory.h"
#include "base/text.h"
#include "data/matrix.h"
#include "prepare/prepare.h"
#include "verify/loss/loss_claim.h"

#include <math.h>
#include <string.h>

typedef struct copies {
    hsp_checks *c;
    const hsp_model *m;
    const hsp_data *data;
    const json_t *report, *options, *found;
} copies;

static const json_t *of_report(const copies *q, const char *key) {
    return json_object_get(q->report, key);
}

static double number_of(const json_t *v) {
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static const char *word_of(const json_t *v) {
    const char *s = json_string_value(v);
    return s ? s : "";
}

/* ---- figures ---- */

/* A fit that was cancelled may claim nothing. */
static bool silent(const json_t *object, const json_t *claimed) {
    return strcmp(word_of(json_object_get(object, "stop_reason")), "cancelled") == 0 && json_is_null(claimed);
}

static void check_figures(const copies *q) {
    const hsp_certificate *c = &q->m->certificate;
    const struct {
        const char *key, *report, *certificate;
        double value;
    } figures[] = {{"objective", "report.objective", "certificate.objective", c->objective},
                   {"dual_bound", "report.dual_bound", "certificate.dual_bound", c->dual_bound},
                   {"relative_gap", "report.relative_gap", "certificate.relative_gap", c->relative_gap}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const json_t *found = json_object_get(q->found, figures[i].key);
        json_t *claimed = hsp_checks_real(q->c, figures[i].value);
        if (silent(q->report, of_report(q, figures[i].key)) && json_is_null(claimed)) continue;
        hsp_checks_same(q->c, figures[i].report, of_report(q, figures[i].key), found);
        hsp_checks_same(q->c, figures[i].certificate, claimed, found);
        json_decref(claimed);
    }
}

static void check_problems(const copies *q) {
    static const char *const keys[] = {"class", "objective", "dual_bound", "relative_gap"};
    const json_t *list = of_report(q, "problems"), *found = json_object_get(q->found, "problems");
    if (!json_is_array(list)) {
        bool several = json_array_size(found) > 1;
        hsp_checks_add(q->c, "report.problems", list, NULL, !several && (!list || json_is_null(list)), NULL);
        return;
    }
    hsp_text t = {0};
    for (size_t k = 0; k < json_array_size(list) || k < json_array_size(found); k++)
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            const json_t *claimed = json_object_get(json_array_get(list, k), keys[i]);
            if (silent(json_array_get(list, k), claimed)) continue;
            hsp_text_clear(&t);
            hsp_text_format(&t, "report.problems[%zu].%s", k, keys[i]);
            if (t.failed) break;
            hsp_checks_same(q->c, t.s, claimed, json_object_get(json_array_get(found, k), keys[i]));
        }
    if (t.failed) q->c->failed = true;
    hsp_text_free(&t);
}

/* The margins of the report are those of the claims, member by member. */
static void check_margin(const copies *q, const char *path, const json_t *claimed, const json_t *found) {
    const char *name;
    json_t *member;
    hsp_text t = {0};
    json_object_foreach((json_t *)claimed, name, member) {
        hsp_text_clear(&t);
        hsp_text_format(&t, "%s.%s", path, name);
        if (t.failed) break;
        hsp_checks_tree(q->c, t.s, member, json_object_get(found, name), NULL);
    }
    if (t.failed) q->c->failed = true;
    hsp_text_free(&t);
}

static void check_margins(const copies *q) {
    const json_t *svm = of_report(q, "svm"), *found = json_object_get(q->found, "problems");
    hsp_text t = {0};
    if (json_is_object(svm)) check_margin(q, "report.svm", svm, json_array_get(found, 0));
    for (size_t k = 0; k < json_array_size(svm); k++) {
        hsp_text_clear(&t);
        hsp_text_format(&t, "report.svm[%zu]", k);
        if (t.failed) break;
        check_margin(q, t.s, json_array_get(svm, k), json_array_get(found, k));
    }
    if (t.failed) q->c->failed = true;
    hsp_text_free(&t);
}

/* ---- what was asked for ---- */

/* lambda = 1 / (C sum c). Sums of weights that are no whole numbers depend on their order. */
static void check_lambda(const copies *q) {
    double C = number_of(of_report(q, "C")), sum = 0;
    const double *class_weight = q->m->class_weight;
    bool plain = !q->data->weight && !class_weight;
    if (isnan(C) && isnan(number_of(of_report(q, "lambda")))) return;
    for (int64_t i = 0; i < q->data->x.n && !plain; i++) {
        const char *name = q->data->y ? q->data->classes.name[q->data->y[i]] : "";
        double own = q->data->weight ? q->data->weight[i] : 1;
        int64_t k = class_weight ? hsp_prepare_class(&q->m->prepare, name, (int64_t)strlen(name)) : -1;
        sum += k >= 0 ? own * class_weight[k] : own;
    }
    if (plain) sum = (double)q->data->x.n;
    double tolerance = plain ? 1e-15 : fmin(1e-9, 4e-16 * ((double)q->data->x.n + 8));
    hsp_checks_number(q->c, "report.lambda", of_report(q, "lambda"), 1 / (C * sum), tolerance);
}

/* The offset of output k in the units of the problem that was solved, and what its rounding acts on. */
static double offset_of(const hsp_model *m, int64_t k, double *size) {
    const hsp_prepare *p = &m->prepare;
    double b = m->b[k];
    *size = 0;
    for (int64_t j = 0; p->shift && j < p->schema.d; j++) {
        double part = m->w[k * p->schema.d + j] * p->shift[j];
        b += part;
        *size += fabs(part);
    }
    return b;
}

/* The objective depends on it: free, penalised, or none, and then there is no offset. */
static void check_intercept(const copies *q) {
    const json_t *claimed = json_object_get(q->options, "intercept");
    const char *word = word_of(claimed);
    if (!claimed) return;
    bool holds = strcmp(word, "free") == 0 || strcmp(word, "penalised") == 0 || strcmp(word, "none") == 0;
    for (int64_t k = 0; strcmp(word, "none") == 0 && k < q->m->outputs; k++) {
        double size, b = offset_of(q->m, k, &size);
        bool silent = q->m->b[k] == -1e300; /* a class without rows */
        if (!silent && !(fabs(b) <= 1e-12 * size)) holds = false;
    }
    hsp_checks_add(q->c, "options.intercept", claimed, NULL, holds,
                   "options.intercept is not what the offset of the model says");
}

static void check_options(const copies *q) {
    const char *const keys[] = {"C", "lambda"};
    char name[32];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *claimed = json_object_get(q->options, keys[i]);
        snprintf(name, sizeof name, "options.%s", keys[i]);
        if (claimed) hsp_checks_same(q->c, name, claimed, of_report(q, keys[i]));
    }
    const json_t *tol = json_object_get(q->options, "tol"), *tolerance = of_report(q, "tolerance");
    json_t *certificate = hsp_checks_real(q->c, q->m->certificate.tolerance);
    hsp_checks_same(q->c, "certificate.tolerance", certificate, tolerance);
    if (json_is_number(tol) && json_is_number(tolerance)) hsp_checks_same(q->c, "options.tol", tol, tolerance);
    json_decref(certificate);
    const char *penalty = word_of(of_report(q, "penalty"));
    double ratio = number_of(json_object_get(q->options, "l1-ratio"));
    if (strcmp(penalty, "elastic") == 0)
        hsp_checks_add(q->c, "options.l1-ratio", json_object_get(q->options, "l1-ratio"), NULL, ratio >= 0 && ratio <= 1,
                       "the share of L1 is no number from 0 to 1");
    const json_t *asked = json_object_get(q->options, "penalty"), *loss = json_object_get(q->options, "loss");
    if (asked) hsp_checks_same(q->c, "options.penalty", asked, of_report(q, "penalty"));
    const hsp_claim_loss *stated = hsp_claim_loss_find(word_of(of_report(q, "loss")));
    bool joint = stated && stated->many;
    const json_t *parameter = stated && stated->parameter ? json_object_get(q->options, stated->parameter) : NULL;
    if (parameter && !json_is_null(parameter))
        hsp_checks_same(q->c, "options.delta", parameter, of_report(q, stated->parameter));
    if (loss && !joint && !json_is_null(loss)) hsp_checks_same(q->c, "options.loss", loss, of_report(q, "loss"));
}

/* ---- whether it converged ---- */

static bool among(const char *word, const char *const *list) {
    for (; *list; list++)
        if (strcmp(word, *list) == 0) return true;
    return false;
}

static void check_converged(const copies *q) {
    static const char *const good[] = {"gap", "zero-loss", "gradient", NULL};
    static const char *const certified[] = {"logistic", "ridge", "svm", "hard-svm", NULL}; /* the tolerance counts always */
    double gap = number_of(json_object_get(q->found, "relative_gap")), tolerance = number_of(of_report(q, "tolerance"));
    const json_t *claimed = of_report(q, "converged"), *missed = of_report(q, "tolerance_missed");
    const char *stop = word_of(of_report(q, "stop_reason"));
    bool reached = gap <= tolerance;
    if (strcmp(stop, "gap") == 0)
        hsp_checks_add(q->c, "report.converged", claimed, reached ? json_true() : json_false(),
                       reached && json_is_true(claimed), NULL);
    else if (json_is_true(claimed) ? strcmp(stop, "cancelled") == 0 && !reached : among(stop, good))
        hsp_checks_add(q->c, "report.converged", claimed, NULL, false, "converged and stop_reason contradict each other");
    if (json_is_true(missed) || (json_is_false(missed) && among(q->m->algorithm, certified) && !isnan(tolerance)))
        hsp_checks_add(q->c, "report.tolerance_missed", missed, reached ? json_false() : json_true(),
                       json_is_true(missed) == !reached, NULL);
}

/* ---- the data ---- */

static void check_data(const copies *q) {
    const hsp_prepare *p = &q->m->prepare;
    hsp_checks_number(q->c, "report.rows", of_report(q, "rows"), (double)q->data->x.n, 0);
    hsp_checks_number(q->c, "report.features", of_report(q, "features"), (double)q->data->x.d, 0);
    hsp_checks_number(q->c, "report.nonzeros", of_report(q, "nonzeros"), (double)q->data->x.nonzeros, 0);
    json_t *names = hsp_checks_made(q->c, p->regression ? json_null() : json_array()), *weights = json_null();
    for (int64_t k = 0; json_is_array(names) && k < p->classes.count; k++)
        if (json_array_append_new(names, json_string(p->classes.name[k]))) q->c->failed = true;
    if (q->m->class_weight && !p->regression) weights = hsp_checks_made(q->c, json_array());
    for (int64_t k = 0; json_is_array(weights) && k < p->classes.count; k++)
        if (json_array_append_new(weights, json_real(q->m->class_weight[k]))) q->c->failed = true;
    hsp_checks_same(q->c, "report.classes", of_report(q, "classes"), names);
    hsp_checks_tree(q->c, "report.class_weight", of_report(q, "class_weight"), weights, NULL);
    hsp_checks_text(q->c, "report.positive", of_report(q, "positive"),
                    p->positive >= 0 ? p->classes.name[p->positive] : NULL);
    hsp_checks_same(q->c, "report.weighted", of_report(q, "weighted"), q->data->weight ? json_true() : json_false());
    hsp_checks_text(q->c, "report.scale", of_report(q, "scale"), p->scale);
    hsp_checks_text(q->c, "report.algorithm", of_report(q, "algorithm"), q->m->algorithm);
    hsp_checks_text(q->c, "report.task", of_report(q, "task"), q->m->task);
    json_decref(names);
    json_decref(weights);
}

/* The model's answers on its own rows, in the arithmetic of predict, and added up as training does. */
static void check_answers(const copies *q, double *scores) {
    const hsp_data *data = q->data;
    double right = 0, mass = 0, sum = 0, squares = 0, residuals = 0;
    for (int64_t i = 0; i < data->x.n; i++) {
        double c = data->weight ? data->weight[i] : 1;
        hsp_model_score_row(q->m, hsp_matrix_row(&data->x, i), scores);
        mass += c;
        if (data->target) {
            double r = data->target[i] - scores[0];
            residuals += c * r * r;
            sum += c * data->target[i];
        } else {
            const char *name = data->classes.name[data->y[i]];
            int64_t own = hsp_prepare_class(&q->m->prepare, name, (int64_t)strlen(name));
            right += hsp_model_decide(q->m, scores) == own ? c : 0;
        }
    }
    for (int64_t i = 0; data->target && i < data->x.n; i++) {
        double t = data->target[i] - sum / mass;
        squares += (data->weight ? data->weight[i] : 1) * t * t;
    }
    if (!data->target) {
        hsp_checks_number(q->c, "report.train_accuracy", of_report(q, "train_accuracy"), right / mass, 0);
        return;
    }
    hsp_checks_number(q->c, "report.train_accuracy", of_report(q, "train_accuracy"), NAN, 0);
    hsp_checks_number(q->c, "report.train_rmse", of_report(q, "train_rmse"), sqrt(residuals / mass), 0);
    hsp_checks_number(q->c, "report.train_r2", of_report(q, "train_r2"),
                      squares > 0 ? 1 - residuals / squares : (double)NAN, 0);
}

static void check_weights(const copies *q) {
    int64_t count = 0, size = q->m->outputs * q->m->prepare.schema.d;
    char hex[17];
    uint64_t sum = hsp_model_checksum(q->m);
    for (int64_t j = 0; j < size; j++) count += q->m->w[j] != 0;
    hsp_hex(sum, hex);
    hsp_checks_number(q->c, "report.nonzero_weights", of_report(q, "nonzero_weights"), (double)count, 0);
    hsp_checks_text(q->c, "report.checksum", of_report(q, "checksum"), hex);
}

/* The transform of the columns, learnt again. */
static void check_scale(const copies *q) {
    const hsp_prepare *p = &q->m->prepare;
    if (!p->factor) return;
    hsp_options *o = NULL;
    hsp_prepare again = {0};
    int status = hsp_options_new(&o, NULL);
    if (!status) status = hsp_options_set(o, "scale", p->scale, NULL);
    if (!status) status = hsp_prepare_fit(q->data, o, &again, NULL);
    size_t size = (size_t)p->schema.d * sizeof(double);
    bool same = !status && again.factor && !again.shift == !p->shift && memcmp(again.factor, p->factor, size) == 0 &&
                (!p->shift || memcmp(again.shift, p->shift, size) == 0);
    if (status == HSP_EMEMORY) q->c->failed = true;
    hsp_checks_add(q->c, "scale", NULL, NULL, same, "the scaling of the columns is not that of the data");
    hsp_prepare_clear(&again);
    hsp_options_free(o);
}

/* How the fit went, of which the weights tell nothing. */
static void list_unchecked(const copies *q) {
    static const char *const history[] = {"objective_start", "stop_reason",   "epochs",        "updates",
                                          "steps",           "solver",        "solver_chosen", "stages",
                                          "schedule",        "decay",         "learning_rate", "multiclass",
                                          "ridge",           "least_squares", "perceptron",    NULL};
    hsp_text t = {0};
    for (const char *const *name = history; *name; name++) {
        if (!of_report(q, *name) || json_is_null(of_report(q, *name))) continue;
        hsp_text_clear(&t);
        hsp_text_format(&t, "report.%s", *name);
        if (!t.failed) hsp_checks_unknown(q->c, t.s);
    }
    if (t.failed) q->c->failed = true;
    hsp_text_free(&t);
    if (of_report(q, "problems") && !json_is_null(of_report(q, "problems")))
        hsp_checks_unknown(q->c, "report.problems: how each ended");
    hsp_checks_unknown(q->c, "report.warnings, and options that no figure depends on");
}

void hsp_report_copies(hsp_checks *c, const hsp_model *m, const hsp_data *data, const hsp_statement *s,
                       const json_t *found) {
    copies q = {.c = c, .m = m, .data = data, .report = s->report, .options = s->options, .found = found};
    double *scores = hsp_alloc(m->outputs, sizeof *scores);
    if (!scores) {
        c->failed = true;
        return;
    }
    check_figures(&q);
    check_lambda(&q);
    check_options(&q);
    check_intercept(&q);
    check_converged(&q);
    check_answers(&q, scores);
    check_problems(&q);
    check_margins(&q);
    check_data(&q);
    check_weights(&q);
    check_scale(&q);
    list_unchecked(&q);
    hsp_free(scores);
}
