/* The ranking of a comparison, the differences to the best, and what follows from them. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "select/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- figures ---- */

/* Trials of each contender that count: those of the repeats that are complete, else of the first. */
static int64_t counted(const hsp_comparison *c) {
    return (c->complete > 0 ? c->complete : 1) * c->folds.count;
}

int64_t hsp_comparison_values(const hsp_comparison *c, int64_t i, int64_t metric, double *out) {
    const double *figure = c->figure + i * hsp_comparison_trials(c) * c->metrics;
    for (int64_t j = 0; j < counted(c); j++) out[j] = figure[j * c->metrics + metric];
    return counted(c);
}

static void describe_values(const double *v, int64_t n, double *mean, double *sd) {
    double sum = 0, squares = 0;
    for (int64_t j = 0; j < n; j++) sum += v[j];
    *mean = sum / (double)n;
    for (int64_t j = 0; j < n; j++) squares += (v[j] - *mean) * (v[j] - *mean);
    *sd = sqrt(squares / (double)(n - 1));
}

/* values: room for the trials that count. */
static hsp_standing standing_of(const hsp_comparison *c, int64_t i, double *values) {
    hsp_standing s = {c->contender[i], i, NULL, NAN, NAN, 0, -INFINITY, {NAN, NAN, NAN}, false, 0};
    const hsp_trial *t = c->trial + i * hsp_comparison_trials(c);
    for (int64_t j = 0; j < counted(c); j++) {
        if (!s.error && t[j].error) s.error = t[j].error;
        s.seconds += t[j].seconds;
        s.gap = isnan(t[j].gap) || isnan(s.gap) ? NAN : fmax(s.gap, t[j].gap);
        s.missed += t[j].missed;
    }
    for (int64_t j = 0; j < counted(c) && !s.error; j++)
        if (!atomic_load(&t[j].done)) s.error = "interrupted";
    if (s.error)
        s.seconds = s.gap = NAN;
    else
        describe_values(values, hsp_comparison_values(c, i, c->rules.metric - hsp_metric_table, values), &s.mean, &s.sd);
    return s;
}

/* ---- ranking ---- */

/* To 12 significant digits: the same predictions in other folds give means that differ in the last bits. */
static double rounded(double v) {
    double unit = v == 0 || !isfinite(v) ? 1 : pow(10, floor(log10(fabs(v))) - 11);
    return nearbyint(v / unit) * unit;
}

/* Whether a comes before b: errors last; of equal means the preferred kind first, then in the order of the table. */
static bool precedes(const hsp_comparison *c, const hsp_standing *a, const hsp_standing *b) {
    if (!a->error != !b->error) return !a->error;
    double u = rounded(a->mean), v = rounded(b->mean);
    if (!a->error && u != v) return hsp_metric_better(c->rules.metric, u, v);
    if (a->contender->preference != b->contender->preference) return a->contender->preference < b->contender->preference;
    return a->index < b->index;
}

static void sort_standings(hsp_comparison *c) {
    for (int64_t i = 1; i < c->contenders; i++) {
        hsp_standing moved = c->standing[i];
        int64_t at = i;
        for (; at > 0 && precedes(c, &moved, &c->standing[at - 1]); at--) c->standing[at] = c->standing[at - 1];
        c->standing[at] = moved;
    }
}

static double mean_of(const double *v, int64_t n) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += v[j];
    return sum / (double)n;
}

int hsp_comparison_rank(hsp_comparison *c, hsp_error **err) {
    int64_t J = counted(c), metric = c->rules.metric - hsp_metric_table;
    double tested = mean_of(c->test_rows, J), trained = mean_of(c->train_rows, J);
    double *best = hsp_alloc(J, sizeof *best), *values = hsp_alloc(J, sizeof *values);
    int status = best && values ? HSP_OK : hsp_fail_memory(err);
    for (int64_t i = 0; !status && i < c->contenders; i++) c->standing[i] = standing_of(c, i, values);
    if (!status) sort_standings(c);
    const hsp_standing *first = &c->standing[0];
    if (!status && first->error) status = hsp_fail(err, HSP_EINPUT, "%s: %s", first->contender->name, first->error);
    if (!status) hsp_comparison_values(c, c->standing[0].index, metric, best);
    for (int64_t i = 0; !status && i < c->contenders; i++) {
        hsp_standing *s = &c->standing[i];
        if (s->error) continue;
        hsp_comparison_values(c, s->index, metric, values);
        if (hsp_difference_estimate(values, best, J, tested, trained, &s->difference)) status = hsp_fail_memory(err);
        if (i == 0) s->difference = (hsp_difference){0, 0, 0};
        if (rounded(s->mean) == rounded(c->standing[0].mean)) s->difference.mean = 0;
        s->tied = i == 0 || hsp_difference_is_open(&s->difference);
    }
    HSP_FREE(best, values);
    return status;
}

/* ---- sentences ---- */

static int64_t count_figures(const hsp_comparison *c) {
    int64_t count = 0;
    while (count < c->contenders && !c->standing[count].error) count++;
    return count;
}

/* "a", "a and b", "a, b and c": the names of those tied with the best, but for it and `without`. Returns their number. */
static int64_t list_tied(const hsp_comparison *c, const hsp_standing *without, hsp_text *t) {
    int64_t count = 0, at = 0;
    for (int64_t i = 1; i < c->contenders; i++) count += c->standing[i].tied && &c->standing[i] != without;
    for (int64_t i = 1; i < c->contenders; i++) {
        if (!c->standing[i].tied || &c->standing[i] == without) continue;
        hsp_text_format(t, "%s%s", at == 0 ? "" : at == count - 1 ? " and " : ", ", c->standing[i].contender->name);
        at++;
    }
    return count;
}

static const hsp_standing *tied_baseline(const hsp_comparison *c) {
    for (int64_t i = 0; i < c->contenders; i++)
        if (c->standing[i].tied && c->standing[i].contender->preference == HSP_PREFER_NEVER) return &c->standing[i];
    return NULL;
}

void hsp_comparison_summary(const hsp_comparison *c, hsp_text *t) {
    const char *title = c->rules.metric->title, *best = c->standing[0].contender->name;
    hsp_text names = {0};
    int64_t tied = list_tied(c, NULL, &names), ranked = count_figures(c);
    if (ranked == 1)
        hsp_text_format(t, "%s is the only algorithm with a result.", best);
    else if (tied == 0)
        hsp_text_format(t, "%s has the best mean %s; all others can be told apart from it: no 95 %% interval contains 0.", best,
                        title);
    else
        hsp_text_format(t,
                        "%s has the best mean %s; %s cannot be told apart from it: the 95 %% interval%s of the difference%s "
                        "contain%s 0.",
                        best, title, names.s, tied == 1 ? "" : "s", tied == 1 ? "" : "s", tied == 1 ? "s" : "");
    if (ranked > 1 && tied_baseline(c))
        hsp_text_format(t, " So these folds do not show that the features help to predict the target.");
    t->failed |= names.failed;
    hsp_text_free(&names);
}

/* ---- the choice of -a auto ---- */

/* Of those that cannot be told apart from the best, the most preferred kind; of one kind, the best mean. */
const hsp_standing *hsp_comparison_winner(const hsp_comparison *c) {
    const hsp_standing *winner = NULL, *first = NULL;
    for (int64_t i = 0; i < c->contenders && !c->standing[i].error; i++) {
        const hsp_standing *s = &c->standing[i];
        if (s->contender->preference == HSP_PREFER_NEVER) continue;
        if (!first) first = s;
        if (s->tied && (!winner || s->contender->preference < winner->contender->preference)) winner = s;
    }
    return winner ? winner : first;
}

/* With four significant digits. */
static void add_rounded(hsp_text *t, double v) {
    double unit = v == 0 ? 1 : pow(10, floor(log10(fabs(v))) - 3);
    hsp_text_number(t, unit < 1 ? nearbyint(v / unit) / nearbyint(1 / unit) : nearbyint(v / unit) * unit);
}

static void say_best(const hsp_comparison *c, const hsp_standing *w, hsp_text *t) {
    const hsp_standing *best = &c->standing[0];
    long long folds = (long long)c->folds.count, repeats = (long long)(c->complete > 0 ? c->complete : 1);
    hsp_text_format(t, "%s has the best mean %s, ", best->contender->name, c->rules.metric->title);
    add_rounded(t, best->mean);
    hsp_text_format(t, ", of %lld algorithms compared by %lld-fold cross-validation", (long long)count_figures(c), folds);
    if (repeats > 1) hsp_text_format(t, ", repeated %lld times", repeats);
    hsp_text_format(t, "%s", w == best ? ", and was chosen. " : ". ");
}

static void say_why(const hsp_comparison *c, const hsp_standing *w, hsp_text *t) {
    static const char *const kinds[] = {"the optimum of a convex problem", "linear", "a network", "a baseline"};
    const hsp_standing *best = &c->standing[0];
    hsp_text names = {0};
    if (w == best && list_tied(c, NULL, &names) > 0)
        hsp_text_format(t, "%s cannot be told apart from it at the 95 %% level. ", names.s);
    else if (w == best)
        hsp_text_format(t, "%s. ", count_figures(c) > 1 ? "All others are worse at the 95 % level" : "No other has a result");
    else if (w->tied)
        hsp_text_format(t, "%s cannot be told apart from it at the 95 %% level, and was chosen because its model is %s. ",
                        w->contender->name, kinds[w->contender->preference]);
    else
        hsp_text_format(t, "%s was chosen as the best algorithm that uses the features, although it is worse. ",
                        w->contender->name);
    t->failed |= names.failed;
    hsp_text_free(&names);
}

void hsp_comparison_reason(const hsp_comparison *c, const hsp_standing *winner, double value, hsp_text *t) {
    const hsp_contender *w = winner->contender;
    hsp_text typed = {0};
    say_best(c, winner, t);
    say_why(c, winner, t);
    hsp_contender_typed(w, hsp_contender_scale(w, c->o, c->rules.scaled), &typed);
    hsp_text_format(t, "It was fitted to all %lld rows with %s", (long long)c->data->x.n,
                    typed.length > 0 ? typed.s : "its default settings");
    if (!isnan(value)) {
        hsp_text_format(t, " and %s%s ", hsp_option_dashes(w->option), w->option);
        hsp_text_number(t, value);
        hsp_text_format(t, ", chosen by %d-fold cross-validation", HSP_CONTENDER_FOLDS);
    }
    hsp_text_add(t, ".");
    t->failed |= typed.failed;
    hsp_text_free(&typed);
}
