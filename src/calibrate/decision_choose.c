/* The threshold of a rule that needs rows. All cuts between neighbouring levels are tried in one pass over the sorted rows. */
#include "base/error.h"
#include "base/memory.h"
#include "calibrate/calibration.h"
#include "calibrate/decision_rule.h"

#include <math.h>

hsp_decision_counts hsp_decision_count(const hsp_decision_rows *rows, double threshold) {
    hsp_decision_counts c = {0};
    for (int64_t i = 0; i < rows->n; i++) {
        double w = rows->weight ? rows->weight[i] : 1;
        bool answer = rows->level[i] > threshold;
        *(rows->positive[i] ? (answer ? &c.tp : &c.fn) : (answer ? &c.fp : &c.tn)) += w;
    }
    return c;
}

/* How good a cut is: larger is better; -INFINITY: not allowed. */
static double worth(const hsp_decision_rule *rule, const hsp_decision_counts *c) {
    if (rule->kind == HSP_DECIDE_COST) return -(rule->fp * c->fp + rule->fn * c->fn);
    double v = rule->metric->value(c);
    return isnan(v) ? -INFINITY : v;
}

/* The threshold between two neighbouring levels. low -INFINITY or high INFINITY: there is no level beyond. */
static double between(double low, double high, bool of_probability, double standard) {
    if (standard >= low && standard < high) return standard;
    if (of_probability) {
        if (isinf(low)) return high > 0 ? high / 2 : -0.5; /* below every probability */
        if (isinf(high)) return low < 1 ? low / 2 + 0.5 : 1;
    }
    if (isinf(low)) return high - fmax(1, fabs(high)) / 2;
    if (isinf(high)) return low + fmax(1, fabs(low)) / 2;
    double middle = low / 2 + high / 2;
    return middle >= low && middle < high ? middle : low;
}

typedef struct cut_search {
    const hsp_decision_rule *rule;
    bool of_probability;
    double standard; /* the default threshold */
    double best, threshold;
    bool found;
} cut_search;

/* Cuts come from the highest down, so of two at the same distance the first, higher one stays. */
static void try_cut(cut_search *s, const hsp_decision_counts *c, double low, double high) {
    double threshold = between(low, high, s->of_probability, s->standard);
    if (s->rule->kind == HSP_DECIDE_RECALL) {
        if (s->found || !(hsp_decision_recall(c) >= s->rule->x)) return;
        s->threshold = threshold;
        s->found = true;
        return;
    }
    double value = worth(s->rule, c);
    bool nearer = fabs(threshold - s->standard) < fabs(s->threshold - s->standard);
    if (s->found && !(value > s->best || (value == s->best && nearer))) return;
    s->best = value;
    s->threshold = threshold;
    s->found = true;
}

/* Both sums go down the same order, so nothing is left of the total where all rows are positive. */
static void try_cuts(cut_search *s, const hsp_decision_rows *rows, const int64_t *order) {
    double total[2] = {0, 0}, above[2] = {0, 0}, high = INFINITY;
    for (int64_t i = rows->n - 1; i >= 0; i--) total[rows->positive[order[i]]] += rows->weight ? rows->weight[order[i]] : 1;
    for (int64_t i = rows->n - 1; i >= -1;) {
        double level = i >= 0 ? rows->level[order[i]] : -INFINITY;
        const hsp_decision_counts c = {
            .tp = above[1], .fp = above[0], .fn = total[1] - above[1], .tn = total[0] - above[0]};
        try_cut(s, &c, level, high);
        if (i < 0) return;
        for (; i >= 0 && rows->level[order[i]] == level; i--)
            above[rows->positive[order[i]]] += rows->weight ? rows->weight[order[i]] : 1;
        high = level;
    }
}

int hsp_decision_choose(const hsp_decision_rule *rule, const hsp_decision_rows *rows, double *threshold, hsp_error **err) {
    cut_search s = {.rule = rule, .of_probability = rows->of_probability, .standard = rows->of_probability ? 0.5 : 0};
    int64_t *order = hsp_alloc(rows->n > 0 ? rows->n : 1, sizeof *order);
    if (!order || hsp_calibration_order(rows->level, rows->n, order)) {
        hsp_free(order);
        return hsp_fail_memory(err);
    }
    try_cuts(&s, rows, order);
    *threshold = s.threshold;
    hsp_free(order);
    return HSP_OK;
}
