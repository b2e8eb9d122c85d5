/* A date becomes year, month, weekday and days since 1970. A missing one is filled by a whole date, that of the mean (or
 * median) of the days, so that its parts agree. */
#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/block.h"
#include "data/table_frame.h"
#include "table/date.h"
#include "table/fill.h"
#include "table/spelling.h"

#include <math.h>
#include <string.h>

enum { PARTS = 4 };

typedef struct state {
    hsp_date_order order; /* of cells that leave it open */
} state;

/* The cell as a date. Numbers (20240305) are dates only where they were said to be. */
static bool date_of(hsp_cell cell, hsp_date_order order, bool numbers, hsp_date *out) {
    if (!cell.text) return numbers && hsp_date_of_number(cell.number, out);
    const char *s = cell.text;
    int64_t n = cell.length;
    hsp_trim(&s, &n);
    return hsp_date_read(s, n, order, out);
}

/* ---- learning ---- */

static bool is_no_date(hsp_cell cell, const void *ctx) {
    const hsp_date_order *order = ctx;
    hsp_date d;
    if (!cell.text) return !hsp_date_of_number(cell.number, &d);
    const char *s = cell.text;
    int64_t n = cell.length;
    hsp_trim(&s, &n);
    return !(hsp_date_orders(s, n, NULL) & *order);
}

static bool is_open(hsp_cell cell, const void *unused) {
    (void)unused;
    bool differ = false;
    const char *s = cell.text;
    int64_t n = cell.length;
    if (!s) return false;
    hsp_trim(&s, &n);
    return hsp_date_orders(s, n, &differ) && differ;
}

typedef struct learning {
    const hsp_frame *f;
    int64_t j;
    const hsp_profile *p;
    const hsp_table_rules *r;
    const hsp_table_column *c;
    hsp_error **err;
} learning;

static int fail_no_date(const learning *l) {
    const hsp_date_order any = HSP_DATE_EITHER;
    hsp_cell cell = {0};
    char name[HSP_EXCERPT], held[HSP_EXCERPT];
    int64_t line = hsp_frame_first(l->f, l->j, is_no_date, &any, &cell);
    hsp_excerpt(name, l->c->name, (int64_t)strlen(l->c->name));
    return hsp_fail_at(
        l->err, HSP_EINPUT, (hsp_place){l->r->file, line, 0},
        "column '%s' holds '%s', which is no date: write it as 2024-03-05, or --missing-values '%s' counts it "
        "as missing",
        name, hsp_show_cell(held, cell), held);
}

/* No order suits all cells. */
static int fail_contradiction(const learning *l) {
    const hsp_date_order day = HSP_DATE_DAY_FIRST, month = HSP_DATE_MONTH_FIRST;
    hsp_cell one = {0}, other = {0};
    char name[HSP_EXCERPT], first[HSP_EXCERPT], second[HSP_EXCERPT];
    hsp_frame_first(l->f, l->j, is_no_date, &month, &one);
    int64_t line = hsp_frame_first(l->f, l->j, is_no_date, &day, &other);
    return hsp_fail_at(
        l->err, HSP_EINPUT, (hsp_place){l->r->file, line, 0},
        "column '%s' holds '%s', with the month first, and '%s', with the day first: write dates as 2024-03-05",
        hsp_excerpt(name, l->c->name, (int64_t)strlen(l->c->name)), hsp_show_cell(second, other),
        hsp_show_cell(first, one));
}

static int fail_open(const learning *l) {
    hsp_cell cell = {0};
    char name[HSP_EXCERPT], held[HSP_EXCERPT];
    int64_t line = hsp_frame_first(l->f, l->j, is_open, NULL, &cell);
    hsp_excerpt(name, l->c->name, (int64_t)strlen(l->c->name));
    return hsp_fail_at(l->err, HSP_EINPUT, (hsp_place){l->r->file, line, 0},
                       "column '%s' holds '%s', and no cell says whether the day or the month comes first: write dates as "
                       "2024-03-05, or --categorical '%s' takes them as levels",
                       name, hsp_show_cell(held, cell), name);
}

/* The order that suits all words. */
static int settle(const learning *l, hsp_date_order *order) {
    bool open = false;
    const hsp_profile *p = l->p;
    *order = HSP_DATE_EITHER;
    for (int64_t k = 0; k < hsp_profile_levels(p); k++) {
        bool differ = false;
        const char *word = hsp_intern_text(p->dictionary, k);
        hsp_date_order orders = hsp_date_orders(word, (int64_t)strlen(word), &differ);
        if (orders == HSP_DATE_NONE) return fail_no_date(l);
        *order &= orders;
        open = open || differ;
    }
    if (*order == HSP_DATE_NONE) return fail_contradiction(l);
    hsp_date_order known = l->r->date_order ? l->r->date_order[l->j] : HSP_DATE_NONE;
    if (known && (*order & known)) *order &= known;
    return open && *order == HSP_DATE_EITHER ? fail_open(l) : HSP_OK;
}

/* The days of all cells that are there. */
static int gather(const learning *l, hsp_date_order order, double *v, int64_t *n) {
    *n = 0;
    for (int64_t k = 0; k < l->f->blocks; k++) {
        const hsp_block *b = &l->f->block[k];
        for (int64_t i = 0; i < b->rows; i++) {
            hsp_date d;
            hsp_cells cells = hsp_block_cells(b, i);
            hsp_cell cell = hsp_cells_at(&cells, l->j);
            if (hsp_cell_missing(cell)) continue;
            if (!date_of(cell, order, true, &d)) return fail_no_date(l);
            v[(*n)++] = d.days;
        }
    }
    return HSP_OK;
}

static int learn(const hsp_frame *f, int64_t j, const hsp_profile *p, const hsp_table_rules *r, int threads,
                 hsp_table_column *c, hsp_error **err) {
    (void)threads;
    const learning l = {f, j, p, r, c, err};
    int64_t n = 0;
    hsp_date_order order;
    int status = settle(&l, &order);
    if (status) return status;
    double *v = hsp_alloc(p->words + p->numbers + 1, sizeof *v);
    state *s = hsp_alloc_zero(1, sizeof *s);
    c->state = s;
    status = v && s ? gather(&l, order, v, &n) : hsp_fail_memory(err);
    if (!status) {
        s->order = order;
        hsp_fill_learn(c, r, p, PARTS, v, n);
        if (!hsp_date_days_valid(c->fill)) c->fill = 0; /* offsets may lead out of the calendar */
    }
    hsp_free(v);
    return status;
}

hsp_date_order hsp_date_column_order(const hsp_table_column *c) {
    const state *s = c->state;
    return s->order;
}

/* ---- encoding ---- */

static int64_t most(const hsp_table_column *c, int64_t length) {
    (void)length;
    return c->features;
}

static void emit(const hsp_table_column *c, const hsp_date *d, hsp_emit *out) {
    hsp_emit_one(out, c->first, d->year);
    hsp_emit_one(out, c->first + 1, d->month);
    hsp_emit_one(out, c->first + 2, hsp_date_weekday(d));
    hsp_emit_one(out, c->first + 3, d->days);
}

static int encode(const hsp_table_column *c, hsp_cell cell, hsp_encode_room *room, hsp_emit *out, hsp_strange *strange) {
    (void)room, (void)strange;
    const state *s = c->state;
    hsp_date d;
    if (!date_of(cell, s->order, c->asked, &d)) return HSP_EINPUT;
    emit(c, &d, out);
    return HSP_OK;
}

static void encode_missing(const hsp_table_column *c, hsp_emit *out) {
    hsp_date d = hsp_date_of_days(c->fill);
    emit(c, &d, out);
    hsp_fill_indicate(c, out);
}

static void feature(const hsp_table_column *c, int64_t k, hsp_text *t) {
    static const char *const part[PARTS] = {":year", ":month", ":weekday", ":days"};
    if (k == PARTS) {
        hsp_fill_feature(c, t);
        return;
    }
    hsp_text_add(t, c->name);
    hsp_text_add(t, part[k]);
}

/* ---- models ---- */

static const char *const order_name[] = {NULL, "day first", "month first", "either"};

static void save(const hsp_table_column *c, hsp_json *j) {
    const state *s = c->state;
    hsp_json_string(j, "order", order_name[s->order]);
    hsp_fill_save(c, j);
}

static int load(const hsp_json_loader *l, int64_t room, hsp_table_column *c) {
    (void)room;
    const char *name = json_string_value(json_object_get(l->from, "order"));
    hsp_date_order order = HSP_DATE_EITHER;
    while (order && (!name || strcmp(name, order_name[order]) != 0)) order--;
    if (order == HSP_DATE_NONE) return hsp_json_wrong(l, "order");
    int status = hsp_fill_load(l, PARTS, c);
    if (!status && !hsp_date_days_valid(c->fill)) status = hsp_json_wrong(l, "fill");
    if (status) return status;
    state *s = hsp_alloc_zero(1, sizeof *s);
    if (!s) return hsp_fail_memory(l->err);
    s->order = order;
    c->state = s;
    return 0;
}

static void release(hsp_table_column *c) {
    hsp_free(c->state);
    c->state = NULL;
}

const hsp_kind hsp_kind_date = {.name = "date",
                                .help = "year, month, weekday and days since 1970",
                                .learn = learn,
                                .most = most,
                                .encode = encode,
                                .encode_missing = encode_missing,
                                .feature = feature,
                                .save = save,
                                .load = load,
                                .free = release};
