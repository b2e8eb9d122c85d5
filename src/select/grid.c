#include "select/grid.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "classifier/classifier.h"
#include "fit/fit.h"
#include "select/grid_values.h"

#include <math.h>
#include <string.h>

static void clear_axis(hsp_grid_axis *a) {
    for (int64_t i = 0; i < a->count; i++) hsp_free(a->text[i]);
    HSP_FREE(a->text, a->number);
    *a = (hsp_grid_axis){0};
}

void hsp_grid_clear(hsp_grid *g) {
    for (int64_t a = 0; a < g->axes; a++) clear_axis(&g->axis[a]);
    hsp_free(g->value);
    *g = (hsp_grid){0};
}

/* ---- the options ---- */

/* Training options without which a fit would not be the same fit, or that are of no use in a grid. */
static bool is_fixed(const char *name) {
    static const char *const fixed[] = {"positive", "max-seconds", "no-certificate", "loo", NULL};
    for (int i = 0; fixed[i]; i++)
        if (strcmp(fixed[i], name) == 0) return true;
    return false;
}

static bool is_training(const hsp_option *p) {
    return (strcmp(p->group, "train") == 0 || strcmp(p->group, "run") == 0) && !is_fixed(p->name);
}

/* The option with this name, or this letter, of n bytes; NULL: none. */
static const hsp_option *find_option(const char *name, size_t n) {
    for (int64_t i = 0; i < hsp_option_table_size; i++) {
        const hsp_option *p = &hsp_option_table[i];
        if (strlen(p->name) == n && memcmp(p->name, name, n) == 0) return p;
        if (n == 1 && p->short_name && *p->short_name == *name) return p;
    }
    return NULL;
}

static int fail_option(const char *name, size_t n, const hsp_option *p, hsp_error **err) {
    enum { MOST = 255 };
    const char *names[MOST + 1] = {NULL};
    char shown[HSP_EXCERPT];
    hsp_excerpt(shown, name, (int64_t)n);
    if (p)
        return hsp_fail(err, HSP_EUSAGE,
                        "--grid cannot vary %s%s: give a training option such as C, lambda, scale or algorithm",
                        hsp_option_dashes(p->name), p->name);
    int count = 0;
    for (int64_t i = 0; count < MOST && i < hsp_option_table_size; i++)
        if (is_training(&hsp_option_table[i])) names[count++] = hsp_option_table[i].name;
    const char *nearest = hsp_name_nearest(shown, names);
    if (nearest) return hsp_fail(err, HSP_EUSAGE, "--grid: unknown option '%s': did you mean %s?", shown, nearest);
    return hsp_fail(err, HSP_EUSAGE,
                    "--grid: unknown option '%s': give a training option such as C, lambda, scale or algorithm", shown);
}

/* ---- the axes ---- */

static int add_axis(hsp_grid *g, const hsp_options *o, const hsp_option *p, const char *flag, const char *values,
                    int64_t length, hsp_error **err) {
    if (hsp_grid_axis_of(g, p->name) >= 0)
        return hsp_fail(err, HSP_EUSAGE, "--grid has %s twice: give all of its values in one list", p->name);
    if (hsp_options_is_set(o, p->name))
        return hsp_fail(err, HSP_EUSAGE, "%s%s %s is set, and --%s varies it: leave one of them out",
                        hsp_option_dashes(p->name), p->name, hsp_options_text(o, p->name), flag);
    if (g->axes == HSP_GRID_AXES)
        return hsp_fail(err, HSP_EUSAGE, "--grid varies more than %d options: leave some out", HSP_GRID_AXES);
    hsp_grid_axis *a = &g->axis[g->axes];
    a->option = p;
    int status = hsp_grid_values(p, flag, values, length, a, err);
    if (status)
        clear_axis(a);
    else
        g->axes++;
    return status;
}

/* NAME=VALUES; with or without the dashes before the name. */
static int add_entry(hsp_grid *g, const hsp_options *o, const char *s, int64_t length, hsp_error **err) {
    const char *end = s + length, *equals = memchr(s, '=', (size_t)length);
    char shown[HSP_EXCERPT];
    if (!equals || equals == s || equals + 1 == end)
        return hsp_fail(err, HSP_EUSAGE, "--grid cannot be '%s': give NAME=VALUES, for example C=0.01:100:log9",
                        hsp_excerpt(shown, s, length));
    const char *name = s;
    while (name < equals && *name == '-') name++;
    size_t n = (size_t)(equals - name);
    while (n > 0 && name[n - 1] == ' ') n--;
    const hsp_option *p = find_option(name, n);
    if (!p || !is_training(p)) return fail_option(name, n, p, err);
    return add_axis(g, o, p, "grid", equals + 1, end - equals - 1, err);
}

static int read_axes(hsp_grid *g, const hsp_options *o, hsp_error **err) {
    const char *text = hsp_options_text(o, "grid"), *lambdas = hsp_options_text(o, "lambdas");
    int status = HSP_OK;
    if (text && !*text) return hsp_fail(err, HSP_EUSAGE, "--grid is empty: give NAME=VALUES, for example C=0.01:100:log9");
    while (!status && text && *text) {
        size_t n = strcspn(text, ";");
        const char *s = text;
        int64_t length = (int64_t)n;
        while (length > 0 && *s == ' ') s++, length--;
        while (length > 0 && s[length - 1] == ' ') length--;
        if (length > 0) status = add_entry(g, o, s, length, err);
        text += n + (text[n] == ';');
    }
    if (status || !lambdas) return status;
    if (hsp_options_is_set(o, "C") || hsp_options_is_set(o, "lambda"))
        return hsp_fail(
            err, HSP_EUSAGE,
            "--lambda and -C cannot be used here, as lambda is varied: leave them out, or give the values to try "
            "with --lambdas");
    if (hsp_options_is(o, "penalty", "none"))
        return hsp_fail(err, HSP_EUSAGE, "without a penalty there is no lambda to vary: use --penalty l2, l1 or elastic");
    return add_axis(g, o, hsp_option_find("lambda"), "lambdas", lambdas, (int64_t)strlen(lambdas), err);
}

int64_t hsp_grid_axis_of(const hsp_grid *g, const char *option) {
    for (int64_t a = 0; a < g->axes; a++)
        if (strcmp(g->axis[a].option->name, option) == 0) return a;
    return -1;
}

/* ---- the points ---- */

/* The algorithm of value i of the algorithm axis, or the one of all points. */
static const char *algorithm_at(const hsp_grid *g, const char *chosen, int64_t axis, int64_t i) {
    return axis >= 0 ? g->axis[axis].text[i] : chosen;
}

/* algorithm NULL: none of several. */
static int fail_untaken(const hsp_grid_axis *a, const char *algorithm, hsp_error **err) {
    hsp_text others = {0};
    for (int64_t i = 0; hsp_classifier_table[i]; i++)
        if (hsp_classifier_takes(hsp_classifier_table[i], a->option->name))
            hsp_text_format(&others, "%s%s", others.length ? ", " : "", hsp_classifier_table[i]->name);
    int status =
        hsp_fail(err, HSP_EUSAGE, "%s has %s %s to vary: use one of %s", algorithm ? algorithm : "no algorithm of --grid",
                 algorithm ? "no" : "a", a->option->name, others.s ? others.s : "none");
    hsp_text_free(&others);
    return status;
}

/* Every varied option must be one of at least one algorithm; unknown algorithms are reported first. */
static int check_taken(const hsp_grid *g, const char *chosen, hsp_error **err) {
    int64_t axis = hsp_grid_axis_of(g, "algorithm"), algorithms = axis >= 0 ? g->axis[axis].count : 1;
    const hsp_classifier *c = NULL;
    for (int64_t i = 0; i < algorithms; i++) {
        const char *name = algorithm_at(g, chosen, axis, i);
        if (!hsp_classifier_find(name)) return hsp_grid_unknown_algorithm(name, err);
    }
    for (int64_t a = 0; a < g->axes; a++) {
        bool taken = a == axis;
        for (int64_t i = 0; !taken && i < algorithms; i++) {
            c = hsp_classifier_find(algorithm_at(g, chosen, axis, i));
            taken = hsp_classifier_takes(c, g->axis[a].option->name) ||
                    (c->one_vs_rest && strcmp(g->axis[a].option->name, "multiclass") == 0);
        }
        if (!taken) return fail_untaken(&g->axis[a], algorithms > 1 ? NULL : c->name, err);
    }
    return HSP_OK;
}

/* Fills the values of one combination. Options that its algorithm does not take have none; false: the combination repeats
 * another, which differs only in such options. */
static bool fill_point(const hsp_grid *g, const char *chosen, int64_t combination, int32_t *value) {
    int64_t axis = hsp_grid_axis_of(g, "algorithm");
    for (int64_t a = g->axes - 1; a >= 0; a--) { /* the last option varies fastest */
        value[a] = (int32_t)(combination % g->axis[a].count);
        combination /= g->axis[a].count;
    }
    const hsp_classifier *c = hsp_classifier_find(axis >= 0 ? g->axis[axis].text[value[axis]] : chosen);
    for (int64_t a = 0; axis >= 0 && a < g->axes; a++) {
        const char *name = g->axis[a].option->name;
        if (a == axis || hsp_classifier_takes(c, name) || (c->one_vs_rest && strcmp(name, "multiclass") == 0)) continue;
        if (value[a] > 0) return false;
        value[a] = -1;
    }
    return true;
}

static int make_points(hsp_grid *g, const char *chosen, hsp_error **err) {
    int64_t all = 1;
    for (int64_t a = 0; a < g->axes; a++) {
        all *= g->axis[a].count;
        if (all > HSP_GRID_POINTS)
            return hsp_fail(err, HSP_EUSAGE, "--grid has more than %d combinations: give fewer values", HSP_GRID_POINTS);
    }
    g->value = hsp_alloc(all * (g->axes + 1), sizeof *g->value);
    if (!g->value) return hsp_fail_memory(err);
    for (int64_t i = 0; i < all; i++) g->points += fill_point(g, chosen, i, g->value + g->points * g->axes);
    return HSP_OK;
}

int hsp_grid_new(const hsp_options *o, bool regression, hsp_grid *out, hsp_error **err) {
    const char *chosen = hsp_classifier_chosen(o, regression);
    *out = (hsp_grid){0};
    int status = read_axes(out, o, err);
    if (!status && out->axes > 0) status = check_taken(out, chosen, err);
    if (!status) status = make_points(out, chosen, err);
    if (status) hsp_grid_clear(out);
    return status;
}

/* ---- a point ---- */

const char *hsp_grid_text(const hsp_grid *g, int64_t point, int64_t axis) {
    int32_t i = g->value[point * g->axes + axis];
    return i < 0 ? NULL : g->axis[axis].text[i];
}

double hsp_grid_number(const hsp_grid *g, int64_t point, int64_t axis) {
    int32_t i = g->value[point * g->axes + axis];
    return i < 0 || !g->axis[axis].number ? (double)NAN : g->axis[axis].number[i];
}

int hsp_grid_set(const hsp_grid *g, int64_t point, hsp_options *o, hsp_error **err) {
    int status = HSP_OK;
    for (int64_t a = 0; !status && a < g->axes; a++) {
        const char *text = hsp_grid_text(g, point, a);
        if (text) status = hsp_options_set(o, g->axis[a].option->name, text, err);
    }
    return status;
}

double hsp_grid_strength(const hsp_grid *g, int64_t point) {
    int64_t lambda = hsp_grid_axis_of(g, "lambda"), C = hsp_grid_axis_of(g, "C");
    if (lambda >= 0) return hsp_grid_number(g, point, lambda);
    return C >= 0 ? 1 / hsp_grid_number(g, point, C) : (double)NAN;
}

bool hsp_grid_alike(const hsp_grid *g, int64_t p, int64_t q, int64_t axis) {
    for (int64_t a = 0; a < g->axes; a++)
        if (a != axis && g->value[p * g->axes + a] != g->value[q * g->axes + a]) return false;
    return true;
}

void hsp_grid_write(const hsp_grid *g, int64_t point, hsp_json *j) {
    for (int64_t a = 0; a < g->axes; a++) {
        const char *name = g->axis[a].option->name;
        double number = hsp_grid_number(g, point, a);
        if (!isnan(number))
            hsp_json_number(j, name, number);
        else
            hsp_json_string(j, name, hsp_grid_text(g, point, a));
    }
}
