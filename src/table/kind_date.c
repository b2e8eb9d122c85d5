/* A date is encoded as year, month, weekday and days since 1970. A missing one is filled by the date of the mean (or median)
 * day, so that its parts are consistent. */
#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/table_frame.h"
#include "data/unseen_levels.h"
#include "table/date.h"
#include "table/fill.h"
#include "table/odd_cell.h"
#include "table/spelling.h"

#include <math.h>
#include <string.h>

enum { PARTS = 4 };

typedef struct date_state {
    hsp_date_order order; /* of ambiguous cells */
} date_state;

/* The cell as a date. Numbers (20240305) are dates only if an option says so. */
static bool date_of(hsp_cell cell, hsp_date_order order, bool numbers, hsp_date *out) {
    int64_t n;
    const char *s = hsp_cell_word(cell, &n);
    return s ? hsp_date_read(s, n, order, out) : numbers && hsp_date_of_number(cell.number, out);
}

/* ---- learning ---- */

static bool is_not_date(hsp_cell cell, const void *ctx) {
    const hsp_date_order *order = ctx;
    hsp_date d;
    int64_t n;
    const char *s = hsp_cell_word(cell, &n);
    return !(s ? hsp_date_orders_as(s, n, *order, NULL) & *order : hsp_date_of_number(cell.number, &d));
}

static bool is_ambiguous(hsp_cell cell, const void *unused) {
    (void)unused;
    bool differ = false;
    int64_t n;
    const char *s = hsp_cell_word(cell, &n);
    return s && hsp_date_orders(s, n, &differ) && differ;
}

/* The order that --date-order asks for, or has asked for when the rules were learnt; 0: none. */
static hsp_date_order order_asked(const hsp_column_cells *s) {
    hsp_date_order known = s->r->date_order ? s->r->date_order[s->j] : HSP_DATE_NONE;
    if (s->r->date_asked) return s->r->date_asked;
    return known & HSP_DATE_SHORT ? known : HSP_DATE_NONE;
}

typedef struct date_count {
    int64_t j;
    hsp_date_order any;
    int64_t cells, odd;
} date_count;

static int count_rows(void *ctx, const hsp_frame *f, hsp_error **err) {
    date_count *n = ctx;
    (void)err;
    for (int64_t k = 0; k < f->blocks; k++)
        for (int64_t i = 0; i < f->block[k].rows; i++) {
            hsp_cells row = hsp_block_cells(&f->block[k], i);
            hsp_cell cell = hsp_cells_at(&row, n->j);
            if (hsp_cell_missing(cell)) continue;
            n->cells += 1;
            n->odd += is_not_date(cell, &n->any);
        }
    return 0;
}

/* How many cells are not missing, and how many of those are not dates. */
static void count_not_dates(const hsp_column_cells *s, int64_t *cells, int64_t *odd) {
    date_count n = {.j = s->j, .any = HSP_DATE_EITHER | order_asked(s)};
    hsp_frame_each(s->f, count_rows, &n, NULL);
    *cells = n.cells;
    *odd = n.odd;
}

/* One odd cell may stand for a missing value; if there are many, the column holds something else. */
static int fail_not_date(const hsp_column_cells *s, hsp_error **err) {
    const hsp_date_order any = HSP_DATE_EITHER | order_asked(s);
    int64_t cells, not_dates;
    hsp_odd_cell odd;
    hsp_odd_cell_find(s, is_not_date, &any, &odd);
    count_not_dates(s, &cells, &not_dates);
    if (2 * not_dates > cells)
        return hsp_fail_at(err, HSP_EINPUT, odd.where,
                           "column '%s' holds '%s', and %lld of its %lld values are not dates: leave it out of --date, or "
                           "write dates as 2024-03-05",
                           odd.column, odd.held, (long long)not_dates, (long long)cells);
    return hsp_fail_at(err, HSP_EINPUT, odd.where,
                       "column '%s' holds '%s', which is not a date: write it as 2024-03-05, or use --missing-values '%s' "
                       "to count it as missing",
                       odd.column, odd.held, odd.held);
}

/* A cell is not a date in the order that was asked for. */
static int fail_order(const hsp_column_cells *s, hsp_error **err) {
    const hsp_date_order asked = order_asked(s);
    static const char *const names[] = {[HSP_DATE_DMY] = "dmy", [HSP_DATE_MDY] = "mdy", [HSP_DATE_YMD] = "ymd"};
    hsp_odd_cell odd;
    hsp_odd_cell_find(s, is_not_date, &asked, &odd);
    return hsp_fail_at(err, HSP_EINPUT, odd.where,
                       "column '%s' holds '%s', which is not a date with --date-order %s: choose another order, or use "
                       "--missing-values '%s' to count it as missing",
                       odd.column, odd.held, names[asked], odd.held);
}

/* No order suits all cells. */
static int fail_contradiction(const hsp_column_cells *s, hsp_error **err) {
    const hsp_date_order day = HSP_DATE_DAY_FIRST, month = HSP_DATE_MONTH_FIRST;
    hsp_odd_cell first, second;
    hsp_odd_cell_find(s, is_not_date, &month, &first);
    hsp_odd_cell_find(s, is_not_date, &day, &second);
    return hsp_fail_at(
        err, HSP_EINPUT, second.where,
        "column '%s' holds '%s', with the month first, and '%s', with the day first: write dates as 2024-03-05",
        second.column, second.held, first.held);
}

static int fail_ambiguous(const hsp_column_cells *s, hsp_error **err) {
    hsp_odd_cell odd;
    hsp_odd_cell_find(s, is_ambiguous, NULL, &odd);
    return hsp_fail_at(
        err, HSP_EINPUT, odd.where,
        "column '%s' holds '%s', and no cell shows whether the day or the month comes first: use --date-order "
        "dmy or mdy, or --categorical '%s' to encode them as levels",
        odd.column, odd.held, odd.column);
}

/* Finds the order in which all words are dates. */
static int find_order(const hsp_column_cells *s, hsp_date_order *order, hsp_error **err) {
    bool ambiguous = false;
    const hsp_profile *p = s->p;
    const hsp_date_order asked = order_asked(s);
    *order = HSP_DATE_EITHER;
    for (int64_t k = 0; k < hsp_profile_levels(p); k++) {
        bool differ = false;
        const char *word = hsp_intern_text(p->dictionary, k);
        hsp_date_order orders = hsp_date_orders_as(word, (int64_t)strlen(word), asked, &differ);
        if (orders == HSP_DATE_NONE) return fail_not_date(s, err);
        *order &= orders;
        ambiguous = ambiguous || differ;
    }
    if (asked && !(*order & asked)) return fail_order(s, err);
    if (*order == HSP_DATE_NONE) return fail_contradiction(s, err);
    hsp_date_order known = s->r->date_order ? s->r->date_order[s->j] : HSP_DATE_NONE;
    if (known && (*order & known)) *order &= known;
    if (asked) *order = asked;
    return ambiguous && (*order & HSP_DATE_EITHER) == HSP_DATE_EITHER ? fail_ambiguous(s, err) : HSP_OK;
}

/* ---- numbers that are dates (20240305) ---- */

typedef struct number_counts {
    hsp_intern *number; /* owned: their bits, and how often each occurs */
    int64_t *count, capacity;
} number_counts;

/* The profile counts few different numbers. */
static bool wants_rows(const hsp_column_cells *s) {
    return s->p->numbers > 0 && s->p->distinct > HSP_PROFILE_NUMBERS;
}

static int count_number(number_counts *c, double v, hsp_error **err) {
    char key[sizeof v];
    memcpy(key, &v, sizeof v);
    int64_t known = hsp_intern_count(c->number), at = hsp_intern_add(c->number, key, sizeof key, err);
    if (at < 0) return (int)at;
    if (HSP_RESERVE(c->count, c->capacity, at + 1)) return hsp_fail_memory(err);
    if (at == known) c->count[at] = 0;
    c->count[at]++;
    return HSP_OK;
}

static int gather(const hsp_column_cells *s, const hsp_frame *rows, void **gathered, hsp_error **err) {
    number_counts *c = *gathered;
    int status = HSP_OK;
    if (!c) {
        c = *gathered = hsp_alloc_zero(1, sizeof *c);
        status = c ? hsp_intern_new(&c->number, err) : hsp_fail_memory(err);
    }
    for (int64_t k = 0; !status && k < rows->blocks; k++)
        for (int64_t i = 0; !status && i < rows->block[k].rows; i++) {
            double v = hsp_block_number(&rows->block[k], i, s->j);
            if (!isnan(v)) status = count_number(c, v + 0.0, err);
        }
    return status;
}

static void drop_gathered(void *gathered) {
    number_counts *c = gathered;
    hsp_intern_free(c->number);
    HSP_FREE(c->count, c);
}

/* Days, and how many cells have each. */
typedef struct day_list {
    hsp_weighted *day; /* owned */
    int64_t n;
} day_list;

static int add_number(const hsp_column_cells *s, double v, int64_t count, day_list *to, hsp_error **err) {
    hsp_date d;
    if (!hsp_date_of_number(v, &d)) return fail_not_date(s, err);
    to->day[to->n++] = (hsp_weighted){d.days, count};
    return HSP_OK;
}

/* The days of all cells that are not missing. */
static int collect_days(const hsp_column_cells *s, hsp_date_order order, day_list *to, hsp_error **err) {
    const hsp_profile *p = s->p;
    const number_counts *many = s->gathered;
    int64_t words = hsp_profile_levels(p), numbers = p->numbers == 0 ? 0
                                                     : many          ? hsp_intern_count(many->number)
                                                                     : p->distinct;
    int status = HSP_OK;
    if (!HSP_ALLOC(to->day, words + numbers + 1)) return hsp_fail_memory(err);
    for (int64_t k = 0; !status && k < words; k++) {
        const char *word = hsp_intern_text(p->dictionary, k);
        hsp_date d;
        if (!hsp_date_read(word, (int64_t)strlen(word), order, &d)) return fail_not_date(s, err);
        to->day[to->n++] = (hsp_weighted){d.days, p->count[k]};
    }
    for (int64_t k = 0; !status && k < numbers; k++) {
        double v = many ? 0 : p->number[k];
        if (many) memcpy(&v, hsp_intern_text(many->number, k), sizeof v);
        status = add_number(s, v, many ? many->count[k] : p->number_count[k], to, err);
    }
    return status;
}

static int learn(const hsp_column_cells *from, hsp_table_column *c, hsp_error **err) {
    hsp_date_order order;
    day_list days = {0};
    int status = find_order(from, &order, err);
    if (status) return status;
    date_state *s = hsp_alloc_zero(1, sizeof *s);
    c->state = s;
    status = s ? collect_days(from, order, &days, err) : hsp_fail_memory(err);
    if (!status) {
        s->order = order;
        hsp_fill_learn_weighted(from, days.day, days.n, c);
        if (!hsp_date_days_valid(c->fill)) c->fill = 0; /* UTC offsets may lead out of the calendar */
    }
    hsp_free(days.day);
    return status;
}

static hsp_date_order order_of(const hsp_table_column *c) {
    const date_state *s = c->state;
    return s->order;
}

/* ---- encoding ---- */

static void emit_date(const hsp_table_column *c, const hsp_date *d, hsp_emit *out) {
    hsp_emit_one(out, c->first, d->year);
    hsp_emit_one(out, c->first + 1, d->month);
    hsp_emit_one(out, c->first + 2, hsp_date_weekday(d));
    hsp_emit_one(out, c->first + 3, d->days);
}

static int encode(const hsp_table_column *c, hsp_cell cell, hsp_encode_room *room, hsp_emit *out, hsp_unseen *unseen) {
    (void)room, (void)unseen;
    const date_state *s = c->state;
    hsp_date d;
    if (!date_of(cell, s->order, c->asked, &d)) return HSP_EINPUT;
    emit_date(c, &d, out);
    return HSP_OK;
}

static void encode_missing(const hsp_table_column *c, hsp_emit *out) {
    hsp_date d = hsp_date_of_days(c->fill);
    emit_date(c, &d, out);
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

/* With the order that was asked for, the name is that of the option. */
static const char *const order_name[] = {[HSP_DATE_DAY_FIRST] = "day first",
                                         [HSP_DATE_MONTH_FIRST] = "month first",
                                         [HSP_DATE_EITHER] = "either",
                                         [HSP_DATE_DMY] = "dmy",
                                         [HSP_DATE_MDY] = "mdy",
                                         [HSP_DATE_YMD] = "ymd"};

static void save(const hsp_table_column *c, hsp_json *j) {
    const date_state *s = c->state;
    hsp_json_string(j, "order", order_name[s->order]);
    hsp_fill_save(c, j);
}

static int load(const hsp_json_loader *l, int64_t room, hsp_table_column *c) {
    const char *name = hsp_json_text(hsp_json_get(l->from, "order"));
    hsp_date_order order = HSP_DATE_YMD;
    while (order && (!name || !order_name[order] || strcmp(name, order_name[order]) != 0)) order--;
    if (order == HSP_DATE_NONE) return hsp_json_wrong(l, "order");
    int status = hsp_fill_load(l, room, c);
    if (!status && !hsp_date_days_valid(c->fill)) status = hsp_json_wrong(l, "fill");
    if (status) return status;
    date_state *s = hsp_alloc_zero(1, sizeof *s);
    if (!s) return hsp_fail_memory(l->err);
    s->order = order;
    c->state = s;
    return 0;
}

const hsp_kind hsp_kind_date = {.name = "date",
                                .help = "year, month, weekday and days since 1970",
                                .cells = "dates",
                                .askable = true,
                                .numbers = PARTS,
                                .wants_rows = wants_rows,
                                .gather = gather,
                                .drop_gathered = drop_gathered,
                                .learn = learn,
                                .encode = encode,
                                .encode_missing = encode_missing,
                                .feature = feature,
                                .order = order_of,
                                .save = save,
                                .load = load};
