#include "read/sides.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "table/date.h"

#include <math.h>

const char *hsp_side_option(hsp_side side) {
    return side == HSP_SIDE_GROUP ? "group" : "time";
}

bool hsp_sides_any(const hsp_sides *s) {
    return s->wanted[HSP_SIDE_GROUP] || s->wanted[HSP_SIDE_TIME];
}

void hsp_sides_free(hsp_sides *s) {
    hsp_intern_free(s->names);
    HSP_FREE(s->group, s->time, s->line);
    *s = (hsp_sides){0};
}

/* ---- cells ---- */

typedef struct side_cell {
    const char *s;
    int64_t n;
} side_cell;

/* The cell of row i, without the blanks around it. */
static side_cell cell_at(const hsp_kept *cells, int64_t i) {
    const char *text = cells->text.s ? cells->text.s : "", *s = text + cells->start[i], *end = text + cells->start[i + 1];
    while (s < end && (*s == ' ' || *s == '\t')) s++;
    while (end > s && (end[-1] == ' ' || end[-1] == '\t')) end--;
    return (side_cell){s, end - s};
}

/* A number, or a date with the year first, in days since 1970. */
static bool read_time(side_cell c, double *out) {
    hsp_date date;
    if (c.n > 0 && hsp_number_parse(c.s, c.s + c.n, out) == c.s + c.n) return isfinite(*out);
    bool year_first = c.n > 4 && (c.s[4] == '-' || c.s[4] == '/');
    if (!year_first || !hsp_date_read(c.s, c.n, HSP_DATE_EITHER, &date)) return false;
    *out = date.days;
    return true;
}

static hsp_place place_of(const hsp_sides *s, const hsp_block *block, int64_t i) {
    return (hsp_place){s->file, block->line_base + block->line[i], 0};
}

static int fail_empty(const hsp_sides *s, hsp_side side, hsp_place where, hsp_error **err) {
    (void)s;
    return hsp_fail_at(err, HSP_EINPUT, where, "the cell of --%s is empty: fill it in or remove the row",
                       hsp_side_option(side));
}

static int add_group(hsp_sides *s, side_cell c, hsp_place where, int64_t row, hsp_error **err) {
    if (c.n == 0) return fail_empty(s, HSP_SIDE_GROUP, where, err);
    int64_t group = hsp_intern_add(s->names, c.s, c.n, err);
    if (group < 0) return (int)group;
    s->group[row] = (int32_t)group;
    return HSP_OK;
}

static int add_time(hsp_sides *s, side_cell c, hsp_place where, int64_t row, hsp_error **err) {
    char piece[HSP_EXCERPT];
    if (c.n == 0) return fail_empty(s, HSP_SIDE_TIME, where, err);
    if (read_time(c, &s->time[row])) return HSP_OK;
    return hsp_fail_at(
        err, HSP_EINPUT, where,
        "'%s' in the column of --time is neither a date such as 2024-03-05 nor a number: correct it, or choose "
        "another column",
        hsp_excerpt(piece, c.s, c.n));
}

int hsp_sides_add(hsp_sides *s, const hsp_block *block, const hsp_kept cells[HSP_SIDES], hsp_error **err) {
    int64_t n = s->rows + block->rows;
    int status = s->wanted[HSP_SIDE_GROUP] && !s->names ? hsp_intern_new(&s->names, err) : HSP_OK;
    if (status) return status;
    if ((s->wanted[HSP_SIDE_GROUP] && HSP_RESERVE(s->group, s->group_capacity, n)) ||
        (s->wanted[HSP_SIDE_TIME] && HSP_RESERVE(s->time, s->time_capacity, n)) ||
        HSP_RESERVE(s->line, s->line_capacity, n))
        return hsp_fail_memory(err);
    for (int64_t i = 0; !status && i < block->rows; i++) {
        hsp_place where = place_of(s, block, i);
        s->line[s->rows + i] = where.line;
        if (s->wanted[HSP_SIDE_GROUP]) status = add_group(s, cell_at(&cells[HSP_SIDE_GROUP], i), where, s->rows + i, err);
        if (!status && s->wanted[HSP_SIDE_TIME])
            status = add_time(s, cell_at(&cells[HSP_SIDE_TIME], i), where, s->rows + i, err);
    }
    s->rows = n;
    return status;
}

/* ---- the data ---- */

/* Removes the rows that the frame lacks: rows with missing values may be dropped. Both are in the order of their lines. */
static void drop_rows(hsp_sides *s, const hsp_frame *frame) {
    int64_t kept = 0, from = 0;
    for (int64_t k = 0; k < frame->blocks; k++) {
        const hsp_block *b = &frame->block[k];
        for (int64_t i = 0; i < b->rows; i++) {
            int64_t line = b->line_base + b->line[i];
            while (from < s->rows && s->line[from] < line) from++;
            if (from == s->rows) break;
            if (s->group) s->group[kept] = s->group[from];
            if (s->time) s->time[kept] = s->time[from];
            kept++;
            from++;
        }
    }
    s->rows = kept;
}

int hsp_sides_finish(hsp_sides *s, const hsp_frame *frame, hsp_data *data, hsp_error **err) {
    if (!hsp_sides_any(s)) return HSP_OK;
    if (frame && s->rows > data->x.n) drop_rows(s, frame);
    if (s->rows != data->x.n)
        return hsp_fail_file(err, s->file, "internal error, %lld groups or times for %lld rows: please report this bug",
                             (long long)s->rows, (long long)data->x.n);
    data->group = hsp_shrink(s->group, s->rows, sizeof *s->group);
    data->time = hsp_shrink(s->time, s->rows, sizeof *s->time);
    s->group = NULL;
    s->time = NULL;
    return HSP_OK;
}
