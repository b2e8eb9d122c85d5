/* Summarises columns one by one. The values of a sample of rows are sorted together with the classes of their rows. The
 * sorted values give quartiles, outliers, the number of distinct values, and how well thresholds on this column alone
 * predict the classes. A few columns are gathered at a time, since a row in cache serves the neighbouring columns too. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/block.h"
#include "data/data.h"
#include "data/matrix.h"
#include "data/table_frame.h"
#include "design/pieces.h"
#include "inspect/checkup.h"
#include "inspect/spots.h"
#include "table/kind.h"
#include "table/transform.h"

#include <math.h>

enum { GATHERED = 8, LEAK_ROWS = 50, LEAK_SIDE = 5, LEAK_WORK = 20000000 };

typedef struct summary_task {
    hsp_checkup *u;
    int64_t sample, classes;
    const int64_t *held; /* classes: rows of each in the sample */
    int64_t counted;     /* classes with at least LEAK_SIDE rows in the sample: `accuracy` leaves out the others */
    hsp_slots slots;     /* (GATHERED + 1) x sample spots, then the scratch of a column */
} summary_task;

/* ---- gathering ---- */

/* The values of columns first to first + count - 1 in one row of the matrix. */
static void row_numbers(const hsp_matrix *x, int64_t row, int64_t first, int64_t count, double *out) {
    hsp_row r = hsp_matrix_row(x, row);
    if (!r.id) {
        for (int64_t k = 0; k < count; k++) out[k] = hsp_row_value(r, first + k);
        return;
    }
    for (int64_t k = 0; k < count; k++) out[k] = 0;
    for (int64_t t = hsp_row_find(r, first); t < r.count && hsp_row_id(r, t) < first + count; t++)
        out[hsp_row_id(r, t) - first] = hsp_row_value(r, t);
}

/* The same in a frame, where text and missing cells are NaN. The search starts at *block. */
static void cell_numbers(const hsp_frame *f, int64_t row, int64_t *block, int64_t first, int64_t count, double *out) {
    while (f->first[*block + 1] <= row) ++*block;
    const hsp_block *b = &f->block[*block];
    for (int64_t k = 0; k < count; k++) out[k] = hsp_block_number(b, row - f->first[*block], first + k);
}

/* Fills spots (count x sample), and values[k] with the number of values of each column. */
static void gather(const summary_task *g, int64_t first, int64_t count, hsp_spot *spots, int64_t *values) {
    const hsp_data *data = g->u->data;
    int64_t block = 0;
    double v[GATHERED];
    for (int64_t k = 0; k < count; k++) values[k] = 0;
    for (int64_t i = 0; i < g->sample; i++) {
        int64_t row = hsp_checkup_sample_row(g->u, i);
        if (g->u->encoding)
            cell_numbers(data->frame, row, &block, first, count, v);
        else
            row_numbers(&data->x, row, first, count, v);
        for (int64_t k = 0; k < count; k++)
            if (!isnan(v[k]))
                spots[k * g->sample + values[k]++] = (hsp_spot){v[k] + 0.0, data->y ? data->y[row] : 0, (int32_t)i};
    }
}

/* ---- quartiles and outliers ---- */

/* The quantile by linear interpolation, the default of most programs. */
static double quantile(const hsp_spot *s, int64_t n, double p) {
    double place = p * (double)(n - 1);
    int64_t low = (int64_t)place, high = low + 1 < n ? low + 1 : low;
    double part = place - (double)low;
    return part > 0 ? s[low].v * (1 - part) + s[high].v * part : s[low].v;
}

/* Values beyond a limit on one side, added one by one as distances from the limit. */
typedef struct beyond {
    double worst, next; /* the largest distance and the second largest; 0: none */
    int64_t far;        /* number of values beyond the limit */
    int64_t count, row; /* number of values at the largest distance; the first row of these */
    double value;       /* the value there */
} beyond;

static void add_distance(beyond *b, double distance, double v, int64_t row) {
    if (!(distance > 0)) return;
    b->far++;
    if (distance > b->worst) {
        b->next = b->worst;
        *b = (beyond){distance, b->next, b->far, 1, row, v};
    } else if (distance == b->worst) {
        b->count++;
    } else if (distance > b->next) {
        b->next = distance;
    }
}

/* Missing values stay missing. */
static double transformed(const hsp_transform *t, double v) {
    return t && !isnan(v) ? hsp_transform_apply(t, v) : v;
}

/* Quartiles come from the sample, outliers from all rows, because the sample may miss a single outlier. Transformed columns
 * are measured as the model sees them; intervals have no outliers. */
static void measure_outliers(const summary_task *g, int64_t c, hsp_column_summary *summary) {
    const hsp_checkup *u = g->u;
    int64_t f = hsp_checkup_feature(u, c), n = u->data->x.n, block = 0;
    const hsp_transform *t = hsp_checkup_transform(u, c);
    if (t && t->rule.kind->intervals) return;
    double lower = transformed(t, summary->lower), upper = transformed(t, summary->upper), range = upper - lower;
    double least = lower - 10 * range, most = upper + 10 * range;
    if (!(range > 0) || !isfinite(least) || !isfinite(most)) return;
    if (u->stats.min[f] >= least && u->stats.max[f] <= most) return;
    beyond low = {0}, high = {0};
    for (int64_t i = 0; i < n; i++) {
        double v;
        if (u->encoding)
            cell_numbers(u->data->frame, i, &block, c, 1, &v);
        else
            row_numbers(&u->data->x, i, c, 1, &v);
        double as_seen = transformed(t, v);
        add_distance(&low, least - as_seen, v, i);
        add_distance(&high, as_seen - most, v, i);
    }
    const beyond *b = low.worst > high.worst ? &low : &high;
    int64_t far = low.far + high.far;
    if (far == 0 || (far > 3 && 100 * far > n)) return; /* too many to be errors or codes: a long tail */
    summary->far = far;
    summary->distance = (b->worst + 10 * range) / range;
    summary->worst = b->value;
    summary->worst_row = b->row;
    summary->worst_count = b->count;
    summary->alone = b->worst - b->next >= b->next + 10 * range;
}

/* ---- classes by thresholds ---- */

/* Scratch of a column: one number for each class. */
typedef struct ranks {
    double *mean;   /* of the column within the class */
    double *best;   /* by rank: largest sum of recalls over the rows so far, if the last one is in this class's interval */
    double *begin;  /* by rank: the first value of that interval ... */
    double *before; /* ... and the last value before it */
    double *rank;   /* by rank: the class */
    double *absent; /* rows of the class whose value is missing */
    double *place;  /* rank of the class; -1: none */
} ranks;

/* Ranks the classes by their means and returns their number. Leaves out classes with too few rows or no value. */
static int64_t rank_classes(const summary_task *g, const hsp_spot *s, int64_t n, ranks *r) {
    for (int64_t k = 0; k < g->classes; k++) {
        r->mean[k] = 0;
        r->absent[k] = (double)g->held[k];
    }
    double unit = fmax(fabs(s[0].v), fabs(s[n - 1].v)); /* prevents overflow of the sums */
    for (int64_t i = 0; i < n; i++) {
        r->mean[s[i].class] += unit > 0 ? s[i].v / unit : 0;
        r->absent[s[i].class]--;
    }
    int64_t count = 0;
    for (int64_t k = 0; k < g->classes; k++) {
        r->place[k] = -1;
        double present = (double)g->held[k] - r->absent[k];
        if (g->held[k] < LEAK_SIDE || present < 1) continue;
        r->mean[k] /= present;
        int64_t place = count++;
        for (; place > 0 && r->mean[(int64_t)r->rank[place - 1]] > r->mean[k]; place--) r->rank[place] = r->rank[place - 1];
        r->rank[place] = (double)k;
    }
    for (int64_t q = 0; q < count; q++) r->place[(int64_t)r->rank[q]] = (double)q;
    return count;
}

/* Lets the interval of a class begin at s[i], after that of any class of lower rank. */
static void begin_here(const hsp_spot *s, int64_t i, int64_t count, ranks *r) {
    double most = r->best[0]; /* of the classes before q, before this update */
    for (int64_t q = 1; q < count; q++) {
        double own = r->best[q];
        if (most > own) {
            r->best[q] = most;
            r->begin[q] = s[i].v;
            r->before[q] = i > 0 ? s[i - 1].v : s[0].v;
        }
        most = fmax(most, own);
    }
}

/* Divides the values into intervals, one for each class in the order of rank, that maximise the balanced accuracy. Dynamic
 * programming over the values: `best` holds the optimum for each class that the current value may belong to. */
static void cut_intervals(const summary_task *g, const hsp_spot *s, int64_t n, int64_t count, ranks *r) {
    for (int64_t q = 0; q < count; q++) {
        r->best[q] = 0;
        r->begin[q] = s[0].v;
        r->before[q] = s[0].v;
    }
    for (int64_t i = 0, end; i < n; i = end) {
        begin_here(s, i, count, r);
        for (end = i; end < n && s[end].v == s[i].v; end++) {
            double q = r->place[s[end].class];
            if (q >= 0) r->best[(int64_t)q] += 1 / (double)g->held[s[end].class];
        }
    }
}

/* The largest contribution of the rows with a missing value, if one class is predicted for all of them. */
static double from_absent(const summary_task *g, const ranks *r) {
    double most = 0, rows = 0;
    for (int64_t k = 0; k < g->classes; k++) {
        rows += r->absent[k];
        if (g->held[k] >= LEAK_SIDE) most = fmax(most, r->absent[k] / (double)g->held[k]);
    }
    return rows >= LEAK_SIDE ? most : 0;
}

static void measure_classes(const summary_task *g, const hsp_spot *s, int64_t n, double *scratch,
                            hsp_column_summary *summary) {
    summary->threshold = NAN;
    if (g->counted < 2 || g->sample < LEAK_ROWS || g->counted * summary->distinct > LEAK_WORK) return;
    int64_t k = g->classes;
    ranks r = {scratch, scratch + k, scratch + 2 * k, scratch + 3 * k, scratch + 4 * k, scratch + 5 * k, scratch + 6 * k};
    int64_t count = rank_classes(g, s, n, &r);
    double most = 0;
    if (count > 0) cut_intervals(g, s, n, count, &r);
    for (int64_t q = 0; q < count; q++) most = fmax(most, r.best[q]);
    double absent = from_absent(g, &r);
    summary->accuracy = (most + absent) / (double)g->counted;
    bool two = g->counted == 2 && count == 2;
    if (two) summary->threshold = r.before[1] / 2 + r.begin[1] / 2;
    summary->coded =
        summary->distinct <= 2 * g->counted || absent > 0.5 || (two && (r.before[1] == s[0].v || r.begin[1] == s[n - 1].v));
}

/* ---- all columns ---- */

static void summarise_some(void *ctx, int64_t task) {
    summary_task *g = ctx;
    hsp_checkup *u = g->u;
    int64_t first = task * GATHERED, values[GATHERED];
    int64_t count = u->columns - first < GATHERED ? u->columns - first : GATHERED;
    bool any = false;
    for (int64_t k = 0; k < count; k++) any |= hsp_checkup_numeric(u, first + k);
    if (!any) return;
    double *memory = hsp_slots_take(&g->slots), *scratch = memory + 2 * (GATHERED + 1) * g->sample;
    hsp_spot *spots = (hsp_spot *)(void *)memory;
    gather(g, first, count, spots, values);
    for (int64_t k = 0; k < count; k++) {
        hsp_column_summary *summary = &u->summary[first + k];
        hsp_spot *s = spots + k * g->sample;
        if (!hsp_checkup_numeric(u, first + k)) continue;
        *summary = (hsp_column_summary){.numeric = true, .values = values[k], .threshold = NAN};
        if (values[k] == 0) continue;
        hsp_spots_sort(s, values[k], spots + GATHERED * g->sample);
        summary->distinct = values[k] > 0;
        for (int64_t i = 1; i < values[k]; i++) summary->distinct += s[i].v != s[i - 1].v;
        summary->lower = quantile(s, values[k], 0.25);
        summary->upper = quantile(s, values[k], 0.75);
        measure_outliers(g, first + k, summary);
        measure_classes(g, s, values[k], scratch, summary);
    }
    hsp_slots_give(&g->slots, memory);
}

/* Checks whether all rows hold ascending integers. For most columns the first few rows rule it out. */
static void check_counting(const hsp_checkup *u, int64_t c, hsp_column_summary *summary) {
    if (u->encoding) {
        const hsp_profile *p = &u->profile[c];
        summary->whole = p->numbers > 0 && p->whole;
        summary->counting = summary->whole && p->ascending && p->numbers == p->cells;
        return;
    }
    double before = -INFINITY;
    bool differ = summary->distinct == summary->values;
    summary->whole = summary->counting = u->data->x.n > 0;
    for (int64_t i = 0; i < u->data->x.n && summary->whole; i++) {
        double v;
        row_numbers(&u->data->x, i, c, 1, &v);
        summary->whole = v == floor(v) && (differ || summary->counting); /* not needed for other columns */
        summary->counting &= summary->whole && v > before;
        before = v;
    }
}

static int64_t *count_classes(const hsp_checkup *u, int64_t sample, int64_t *counted) {
    int64_t classes = u->data->y ? u->data->classes.count : 0;
    int64_t *held = hsp_alloc_zero(classes > 0 ? classes : 1, sizeof *held);
    *counted = 0;
    if (!held || !u->data->y) return held;
    for (int64_t i = 0; i < sample; i++) held[u->data->y[hsp_checkup_sample_row(u, i)]]++;
    for (int64_t k = 0; k < classes; k++) *counted += held[k] >= LEAK_SIDE;
    return held;
}

int hsp_summarise_columns(hsp_checkup *u, hsp_error **err) {
    _Static_assert(sizeof(hsp_spot) == 2 * sizeof(double), "spots lie in slots of doubles");
    if (u->columns > HSP_CHECKUP_COLUMNS) {
        hsp_checkup_skip(u, "outliers, ids and leaks (%lld columns; at most %d are checked)", (long long)u->columns,
                         (int)HSP_CHECKUP_COLUMNS);
        return HSP_OK;
    }
    int64_t tasks = (u->columns + GATHERED - 1) / GATHERED;
    summary_task g = {.u = u, .sample = hsp_checkup_sample(u), .classes = u->data->y ? u->data->classes.count : 0};
    int64_t *held = count_classes(u, g.sample, &g.counted);
    u->summary = hsp_alloc_zero(u->columns > 0 ? u->columns : 1, sizeof *u->summary);
    g.held = held;
    int status = held && u->summary ? HSP_OK : HSP_EMEMORY;
    if (!status) status = hsp_slots_new(tasks, u->threads, 2 * (GATHERED + 1) * g.sample + 7 * (g.classes + 1), &g.slots);
    if (!status) {
        hsp_pool_run(tasks, u->threads, summarise_some, &g);
        for (int64_t c = 0; c < u->columns; c++)
            if (u->summary[c].numeric) check_counting(u, c, &u->summary[c]);
    }
    hsp_slots_free(&g.slots);
    hsp_free(held);
    return status ? hsp_fail_memory(err) : HSP_OK;
}
