/* The products run on the kernels of src/kernel. Dense rows become inputs in a tile, a block of rows at a time; sparse rows
 * stay sparse: with U = V / unit their first layer is U x + (a - U centre), and the gradient dU = D' X is spread to the columns
 * of the row. For that the units are laid out in panels of up to 16 lanes, as in network/forward.c. */
#include "solve/network/backprop.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "kernel/level.h"

#include <string.h>

enum {
    BLOCK = HSP_BLOCK_DEPTH,     /* rows at a time */
    SLAB = 96,                   /* rows of a slab at least */
    MOST_SLABS = 8,              /* each has a copy of the gradient */
    PANEL = 2 * HSP_LANES_SPARSE /* units of a panel of sparse rows */
};
#define MOST_COPIES ((int64_t)1 << 24) /* parameters in all copies of the gradient */

/* The scratch of a slab, owned. */
typedef struct slab_scratch {
    double *gradient;                    /* of its rows */
    double *inputs;                      /* dense: BLOCK x d */
    double *spread;                      /* sparse: dU in panels */
    double *signal[HSP_NETWORK_LAYERS + 1]; /* BLOCK x size[l], l >= 1: a_l; the last: the scores */
    double *delta[2];                    /* BLOCK x widest layer: D_l */
    double *left, *right;                /* panels of D_l and A_{l-1} */
    double y[BLOCK], c[BLOCK];
    hsp_output_sums sums;
} slab_scratch;

struct hsp_backprop {
    const hsp_examples *e;
    const hsp_network *net;
    const hsp_output *output;
    const hsp_level *level;
    bool dense;
    int64_t slabs; /* at most; scratch for each */
    slab_scratch *slab;
    double *ahead[HSP_NETWORK_LAYERS + 1]; /* panels of W_l' for z_l; sparse rows: U in panels of lanes for l = 1 */
    double *back[HSP_NETWORK_LAYERS + 1];  /* panels of W_l for D_{l-1}, l >= 2 */
    double *offset;                        /* sparse: a - U centre */
};

/* One call. */
typedef struct backprop_call {
    hsp_backprop *b;
    const int64_t *list;
    int64_t count, slabs;
    bool gradient;
} backprop_call;

static int64_t round_up(int64_t n, int64_t to) {
    return (n + to - 1) / to * to;
}

static int64_t widest(const hsp_network *net, int64_t first) {
    int64_t most = 1;
    for (int64_t l = first; l <= net->layers; l++)
        if (net->size[l] > most) most = net->size[l];
    return most;
}

static int64_t lanes_size(const hsp_network *net) {
    return round_up(net->size[1], HSP_LANES_SPARSE) * net->size[0];
}

/* ---- memory ---- */

static bool allocate_slab(const hsp_backprop *b, slab_scratch *s) {
    const hsp_network *net = b->net;
    int64_t wide = widest(net, 1), all = b->dense ? widest(net, 0) : wide, pad = b->level->width;
    bool whole = HSP_ALLOC(s->gradient, hsp_network_parameters(net)) && HSP_ALLOC(s->delta[0], BLOCK * wide) &&
                 HSP_ALLOC(s->delta[1], BLOCK * wide) && HSP_ALLOC(s->left, BLOCK * round_up(wide, pad)) &&
                 HSP_ALLOC(s->right, BLOCK * round_up(all, pad));
    if (whole && b->dense) whole = HSP_ALLOC(s->inputs, BLOCK * (net->size[0] > 0 ? net->size[0] : 1)) != NULL;
    if (whole && !b->dense) whole = HSP_ALLOC(s->spread, lanes_size(net) > 0 ? lanes_size(net) : 1) != NULL;
    for (int64_t l = 1; whole && l <= net->layers; l++) whole = HSP_ALLOC(s->signal[l], BLOCK * net->size[l]) != NULL;
    return whole;
}

static bool allocate_panels(hsp_backprop *b) {
    const hsp_network *net = b->net;
    bool whole = HSP_ALLOC_ZERO(b->offset, net->size[1]) != NULL;
    for (int64_t l = 1; whole && l <= net->layers; l++) {
        int64_t from = net->size[l - 1], to = net->size[l], size = round_up(to, b->level->width) * from;
        if (l == 1 && !b->dense) size = lanes_size(net);
        whole = HSP_ALLOC_ZERO(b->ahead[l], size > 0 ? size : 1) != NULL;
        if (whole && l > 1) whole = HSP_ALLOC_ZERO(b->back[l], round_up(from, b->level->width) * to) != NULL;
    }
    return whole;
}

int hsp_backprop_new(const hsp_examples *e, const hsp_network *net, const hsp_output *output, int64_t most,
                     hsp_backprop **out, hsp_error **err) {
    *out = NULL;
    hsp_backprop *b = hsp_alloc_zero(1, sizeof *b);
    if (!b) return hsp_fail_memory(err);
    *b = (hsp_backprop){.e = e, .net = net, .output = output, .level = hsp_level_now(), .dense = e->design->x->dense};
    int64_t copies = MOST_COPIES / (hsp_network_parameters(net) + 1);
    b->slabs = most / SLAB < MOST_SLABS ? most / SLAB : MOST_SLABS;
    if (b->slabs > copies) b->slabs = copies;
    if (b->slabs < 1) b->slabs = 1;
    bool whole = HSP_ALLOC_ZERO(b->slab, b->slabs) && allocate_panels(b);
    for (int64_t s = 0; whole && s < b->slabs; s++) whole = allocate_slab(b, &b->slab[s]);
    if (!whole) {
        hsp_backprop_free(b);
        return hsp_fail_memory(err);
    }
    *out = b;
    return HSP_OK;
}

void hsp_backprop_free(hsp_backprop *b) {
    if (!b) return;
    for (int64_t t = 0; b->slab && t < b->slabs; t++) {
        slab_scratch *s = &b->slab[t];
        HSP_FREE(s->gradient, s->inputs, s->spread, s->delta[0], s->delta[1], s->left, s->right);
        for (int l = 0; l <= HSP_NETWORK_LAYERS; l++) hsp_free(s->signal[l]);
    }
    for (int l = 0; l <= HSP_NETWORK_LAYERS; l++) HSP_FREE(b->ahead[l], b->back[l]);
    HSP_FREE(b->slab, b->offset, b);
}

/* ---- the weights of a call, in panels ---- */

/* Transposes W (to x from) into panels of `width` units, column by column, each column of U divided by its unit if there is
 * one. Eight columns at a time, so that whole cache lines are read. */
static void transpose(const double *w, int64_t to, int64_t from, int64_t width, const double *unit, double *out) {
    enum { NEAR = 8 };
    for (int64_t first = 0; first < to; first += width, out += width * from) {
        int64_t lanes = to - first < width ? to - first : width;
        for (int64_t j = 0; j < from; j += NEAR) {
            int64_t end = j + NEAR < from ? j + NEAR : from;
            for (int64_t k = 0; k < lanes; k++)
                for (int64_t t = j; t < end; t++) {
                    double v = w[(first + k) * from + t];
                    out[t * width + k] = unit ? v / unit[t] : v;
                }
        }
    }
}

/* U for sparse rows: panels of 16 lanes, the last of 8 if that suffices; and the offsets. */
static void lay_out_sparse(hsp_backprop *b) {
    const hsp_network *net = b->net;
    const double *w = hsp_network_weights(net, 1), *a = hsp_network_intercepts(net, 1), *unit = b->e->unit;
    int64_t d = net->size[0], units = net->size[1];
    for (int64_t k = 0; k < units; k += PANEL) {
        int64_t width = units - k > HSP_LANES_SPARSE ? PANEL : HSP_LANES_SPARSE, n = units - k < width ? units - k : width;
        transpose(w + k * d, n, d, width, unit, b->ahead[1] + k * d);
    }
    for (int64_t k = 0; k < units; k++) {
        double sum = 0;
        for (int64_t j = 0; b->e->centred && j < d; j++) sum += w[k * d + j] / unit[j] * b->e->centre[j];
        b->offset[k] = a[k] - sum;
    }
}

static void lay_out_weights(hsp_backprop *b, bool gradient) {
    const hsp_network *net = b->net;
    int64_t width = b->level->width;
    if (!b->dense) lay_out_sparse(b);
    for (int64_t l = b->dense ? 1 : 2; l <= net->layers; l++)
        transpose(hsp_network_weights(net, l), net->size[l], net->size[l - 1], width, NULL, b->ahead[l]);
    for (int64_t l = 2; gradient && l <= net->layers; l++)
        b->level->pack_rows(net->size[l], net->size[l - 1], hsp_network_weights(net, l), net->size[l - 1], NULL,
                            net->size[l] * width, b->back[l], NULL, NULL);
}

/* ---- forward ---- */

static int64_t row_of(const backprop_call *q, int64_t i) {
    return q->b->e->row[q->list ? q->list[i] : i];
}

static void fill(double *z, int64_t rows, const double *b, int64_t units) {
    for (int64_t i = 0; i < rows; i++) memcpy(z + i * units, b, (size_t)units * sizeof *z);
}

/* The inputs of dense rows, standardised. */
static void read_inputs(const backprop_call *q, int64_t from, int64_t rows, double *out) {
    const hsp_examples *e = q->b->e;
    int64_t d = q->b->net->size[0];
    for (int64_t i = 0; i < rows; i++, out += d) {
        hsp_row_decode(hsp_matrix_row(e->design->x, row_of(q, from + i)), 0, d, NULL, out);
        for (int64_t j = 0; j < d; j++) out[j] = (out[j] - e->centre[j]) / e->unit[j];
    }
}

static void gather_rows(const backprop_call *q, int64_t from, int64_t rows, double *z) {
    const hsp_backprop *b = q->b;
    int64_t d = b->net->size[0], units = b->net->size[1];
    for (int64_t k = 0; k < units; k += PANEL) {
        int64_t lanes = units - k > HSP_LANES_SPARSE ? PANEL : HSP_LANES_SPARSE, n = units - k < lanes ? units - k : lanes;
        for (int64_t i = 0; i < rows; i++) {
            hsp_row x = hsp_matrix_row(b->e->design->x, row_of(q, from + i));
            double acc[PANEL] = {0};
            b->level->gather[hsp_row_form(x)](x.count, x.id, x.value, x.table, b->ahead[1] + k * d, lanes, acc);
            for (int64_t u = 0; u < n; u++) z[i * units + k + u] = acc[u] + b->offset[k + u];
        }
    }
}

static void go_forward(const backprop_call *q, int64_t from, int64_t rows, slab_scratch *s) {
    const hsp_backprop *b = q->b;
    const hsp_network *net = b->net;
    const double *before = s->inputs;
    if (b->dense) read_inputs(q, from, rows, s->inputs);
    for (int64_t l = 1; l <= net->layers; l++) {
        double *z = s->signal[l];
        if (l == 1 && !b->dense) {
            gather_rows(q, from, rows, z);
        } else {
            fill(z, rows, hsp_network_intercepts(net, l), net->size[l]);
            b->level->scores(rows, net->size[l - 1], before, net->size[l - 1], b->ahead[l], net->size[l], z);
        }
        if (l < net->layers) net->activation->apply(rows * net->size[l], z);
        before = z;
    }
}

/* ---- backward ---- */

/* dW_l += D_l' A_{l-1} */
static void add_products(const hsp_backprop *b, int64_t l, int64_t rows, const double *delta, const double *before,
                         slab_scratch *s) {
    int64_t to = b->net->size[l], from = b->net->size[l - 1], step = rows * b->level->width;
    b->level->pack_rows(rows, to, delta, to, NULL, step, s->left, NULL, NULL);
    b->level->pack_rows(rows, from, before, from, NULL, step, s->right, NULL, NULL);
    hsp_product p = {.depth = rows,
                     .a = s->left,
                     .a_step = step,
                     .b = s->right,
                     .b_step = step,
                     .c = s->gradient + b->net->begin[l - 1],
                     .c_step = from,
                     .i1 = to,
                     .j1 = from};
    b->level->multiply(&p);
}

/* dU += D_1' X of sparse rows */
static void scatter_rows(const backprop_call *q, int64_t from, int64_t rows, const double *delta, slab_scratch *s) {
    const hsp_backprop *b = q->b;
    int64_t d = b->net->size[0], units = b->net->size[1];
    for (int64_t k = 0; k < units; k += PANEL) {
        int64_t lanes = units - k > HSP_LANES_SPARSE ? PANEL : HSP_LANES_SPARSE, n = units - k < lanes ? units - k : lanes;
        for (int64_t i = 0; i < rows; i++) {
            hsp_row x = hsp_matrix_row(b->e->design->x, row_of(q, from + i));
            double r[PANEL] = {0};
            memcpy(r, delta + i * units + k, (size_t)n * sizeof *r);
            b->level->scatter[hsp_row_form(x)](x.count, x.id, x.value, x.table, r, lanes, s->spread + k * d);
        }
    }
}

static void add_intercepts(const hsp_network *net, int64_t l, int64_t rows, const double *delta, slab_scratch *s) {
    double *db = s->gradient + net->begin[l] - net->size[l];
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < net->size[l]; k++) db[k] += delta[i * net->size[l] + k];
}

static void go_backward(const backprop_call *q, int64_t from, int64_t rows, slab_scratch *s) {
    const hsp_backprop *b = q->b;
    const hsp_network *net = b->net;
    const double *delta = s->signal[net->layers];
    for (int64_t l = net->layers; l >= 1; l--) {
        int64_t to = net->size[l], below = net->size[l - 1];
        add_intercepts(net, l, rows, delta, s);
        if (l > 1 || b->dense)
            add_products(b, l, rows, delta, l > 1 ? s->signal[l - 1] : s->inputs, s);
        else
            scatter_rows(q, from, rows, delta, s);
        if (l == 1) return;
        double *next = s->delta[l % 2];
        memset(next, 0, (size_t)(rows * below) * sizeof *next);
        b->level->scores(rows, to, delta, to, b->back[l], below, next);
        net->activation->slope(rows * below, s->signal[l - 1], next);
        delta = next;
    }
}

/* ---- slabs ---- */

static void set_targets(const backprop_call *q, int64_t from, int64_t rows, slab_scratch *s) {
    const hsp_examples *e = q->b->e;
    for (int64_t i = 0; i < rows; i++) {
        int64_t row = row_of(q, from + i);
        s->c[i] = e->c ? e->c[row] : 1;
        s->y[i] = e->target         ? (e->target[row] - e->target_centre) / e->target_unit
                  : e->outputs == 1 ? (e->class[row] == e->positive ? 1 : -1)
                                    : (double)e->class[row];
    }
}

/* dV = (dU - (D' 1) centre') / unit, from the panels. */
static void collect_spread(const hsp_backprop *b, slab_scratch *s) {
    const hsp_examples *e = b->e;
    int64_t d = b->net->size[0], units = b->net->size[1];
    const double *db = s->gradient + b->net->begin[1] - units;
    for (int64_t k = 0; k < units; k++) {
        int64_t first = k / PANEL * PANEL, lanes = units - first > HSP_LANES_SPARSE ? PANEL : HSP_LANES_SPARSE;
        const double *from = s->spread + first * d + (k - first);
        double *to = s->gradient + k * d;
        for (int64_t j = 0; j < d; j++) to[j] = (from[j * lanes] - db[k] * e->centre[j]) / e->unit[j];
    }
}

static void run_slab(void *ctx, int64_t index) {
    const backprop_call *q = ctx;
    const hsp_backprop *b = q->b;
    slab_scratch *s = &b->slab[index];
    int64_t begin = q->count * index / q->slabs, end = q->count * (index + 1) / q->slabs;
    s->sums = (hsp_output_sums){0};
    if (q->gradient) memset(s->gradient, 0, (size_t)hsp_network_parameters(b->net) * sizeof *s->gradient);
    if (q->gradient && !b->dense) memset(s->spread, 0, (size_t)lanes_size(b->net) * sizeof *s->spread);
    for (int64_t from = begin; from < end; from += BLOCK) {
        int64_t rows = end - from < BLOCK ? end - from : BLOCK;
        go_forward(q, from, rows, s);
        set_targets(q, from, rows, s);
        hsp_scored scored = {rows, b->net->size[b->net->layers], s->y, s->c, s->signal[b->net->layers]};
        b->output->differentiate(&scored, &s->sums);
        if (q->gradient) go_backward(q, from, rows, s);
    }
    if (q->gradient && !b->dense) collect_spread(b, s);
}

void hsp_backprop_run(hsp_backprop *b, const int64_t *list, int64_t count, double *gradient, hsp_output_sums *sums) {
    backprop_call q = {.b = b, .list = list, .count = count, .gradient = gradient != NULL};
    q.slabs = count / SLAB < b->slabs ? count / SLAB : b->slabs;
    if (q.slabs < 1) q.slabs = 1;
    lay_out_weights(b, q.gradient);
    hsp_pool_run(q.slabs, b->e->design->threads, run_slab, &q);
    *sums = (hsp_output_sums){0};
    for (int64_t t = 0; t < q.slabs; t++) {
        sums->loss += b->slab[t].sums.loss;
        sums->wrong += b->slab[t].sums.wrong;
    }
    if (!gradient) return;
    int64_t size = hsp_network_parameters(b->net);
    memcpy(gradient, b->slab[0].gradient, (size_t)size * sizeof *gradient);
    for (int64_t t = 1; t < q.slabs; t++)
        for (int64_t i = 0; i < size; i++) gradient[i] += b->slab[t].gradient[i];
}
