/* Parses the rows of a piece of svmlight. The common entry, a blank and `id:value` with an ascending id, has a fast path: it
 * reads ahead into the padding of the piece, where a line end stops it. Everything else takes the slow path. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/bad_rows.h"
#include "data/block.h"
#include "read/svmlight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct svmlight_entry {
    uint32_t id;
    int64_t order;
    double value;
} svmlight_entry;

/* The state of parsing a piece. */
typedef struct svmlight_piece {
    hsp_svmlight_at at;
    hsp_parcel *parcel;
    int64_t room;       /* rows for which the block has memory */
    int labelled;       /* whether rows have labels; -1: unknown so far */
    bool begun, sorted; /* the row has a feature; its ids ascend */
    double weight;      /* of the row; negative: none so far */
    const char *s;      /* the end of what was parsed */
    int status;
} svmlight_piece;

static inline bool is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

/* Whether c ends an entry. */
static inline bool ends_entry(char c) {
    return hsp_svmlight_is_blank(c) || hsp_svmlight_is_line_end(c) || c == '#';
}

/* ---- the block ---- */

/* Makes room for one more row with a label of `label` bytes, and 16 more because close_row copies 16. */
static int make_room(svmlight_piece *k, int64_t label) {
    hsp_block *b = &k->parcel->block;
    int64_t n = b->rows, rows = n + n / 2 + 64, text = n > 0 ? b->label[n] : 0;
    if (hsp_reserve((void **)&b->row, &b->capacity.row, rows + 1, sizeof *b->row) ||
        hsp_reserve((void **)&b->label, &b->capacity.label, rows + 1, sizeof *b->label) ||
        hsp_reserve((void **)&b->line, &b->capacity.line, rows, sizeof *b->line) ||
        hsp_reserve((void **)&b->column, &b->capacity.column, rows, sizeof *b->column) ||
        hsp_reserve((void **)&b->text, &b->capacity.text, text + label + 16, 1) ||
        (b->weighted && hsp_reserve((void **)&b->weight, &b->capacity.weight, rows, sizeof *b->weight)))
        return hsp_fail_memory(k->at.err);
    if (n == 0) b->row[0] = b->label[0] = 0;
    k->room = rows;
    return 0;
}

static inline void close_row(svmlight_piece *k, const char *label, int64_t length, int64_t column, int64_t entries) {
    hsp_block *b = &k->parcel->block;
    int64_t n = b->rows, text = b->label[n];
    b->row[n + 1] = b->row[n] + entries;
    if (length <= 16)
        memcpy(b->text + text, label, 16);
    else
        memcpy(b->text + text, label, (size_t)length);
    b->label[n + 1] = text + length;
    b->line[n] = k->at.line;
    b->column[n] = column;
    if (b->weighted) b->weight[n] = k->weight;
    b->rows = n + 1;
}

static int by_id(const void *a, const void *b) {
    const svmlight_entry *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Sorts the row's entries and adds duplicates, in file order. Returns the number left, or a negative status. */
static int64_t sort_row(svmlight_piece *k, uint32_t *id, double *value, int64_t count) {
    hsp_parcel *p = k->parcel;
    if (count < 2) return count;
    if (hsp_reserve(&p->scratch, &p->scratch_capacity, count, sizeof(svmlight_entry))) return hsp_fail_memory(k->at.err);
    svmlight_entry *e = p->scratch;
    for (int64_t t = 0; t < count; t++) e[t] = (svmlight_entry){id[t], t, value[t]};
    qsort(e, (size_t)count, sizeof *e, by_id);
    int64_t kept = 0;
    for (int64_t t = 0; t < count;) {
        uint32_t same = e[t].id;
        double sum = e[t++].value;
        for (; t < count && e[t].id == same; t++, p->duplicates++) sum += e[t].value;
        if (!isfinite(sum)) return hsp_svmlight_fail_sum(&k->at, same);
        if (sum == 0) continue;
        id[kept] = same;
        value[kept++] = sum;
    }
    return kept;
}

/* ---- entries ---- */

typedef struct found {
    const char *colon; /* the ':' of an entry, NULL when there is none */
    int64_t id;
} found;

static __attribute__((noinline)) found find_long_id(const char *p, uint64_t lanes) {
    int64_t id = (int64_t)hsp_digits_value(lanes);
    for (p += 8; is_digit(*p); p++)
        if (id <= HSP_SVMLIGHT_ID_LIMIT) id = id * 10 + (*p - '0');
    return (found){id <= HSP_SVMLIGHT_ID_LIMIT && *p == ':' ? p : NULL, id};
}

/* The id at p. Most ids have as many digits as the one before, *length, so the processor can predict where the value begins
 * before it has counted the digits. The asm keeps the compiler from using the count instead. */
static inline found find_id(const char *p, unsigned *length) {
    uint64_t lanes = hsp_digits_load(p), stop = hsp_digits_stop(lanes);
    if (stop == 0) return find_long_id(p, lanes);
    if (hsp_digits_count(stop) != *length) {
        *length = hsp_digits_count(stop);
        __asm__ volatile("" : "+r"(*length));
    }
    const char *colon = p + *length;
    return (found){*colon == ':' && colon != p ? colon : NULL, (int64_t)hsp_digits_value(hsp_digits_before(lanes, stop))};
}

/* A single digit is the most frequent value: counts and flags. */
static inline const char *read_value(const char *p, double *v) {
    if ((unsigned char)p[1] > ' ' || !is_digit(*p)) return hsp_number_parse_padded(p, v);
    *v = *p - '0';
    return p + 1;
}

/* The slow path of finding the next entry at s, after an entry that began at `before` (NULL: at the start of the entries).
 * Returns it, or none at the end of the entries; sets k->s to its place. After a fault k->status is negative. A qid is
 * skipped, but must be a number. */
static __attribute__((noinline)) found find_entry(svmlight_piece *k, const char *s, const char *before) {
    const found none = {NULL, 0};
    if (before && !ends_entry(*s)) {
        k->status = hsp_svmlight_fail_pair(&k->at, before);
        return none;
    }
    for (;;) {
        while (hsp_svmlight_is_blank(*s)) s++;
        k->s = s;
        if (ends_entry(*s)) return none;
        unsigned length = 0;
        found f = find_id(s, &length);
        if (f.colon) return f;
        if (strncmp(s, "qid:", 4) != 0) break;
        const char *number = s + 4;
        int64_t query;
        s = hsp_number_parse_int(number, number + strspn(number, "0123456789"), &query);
        if (!s || !ends_entry(*s)) {
            k->status = hsp_svmlight_fail_query(&k->at, number);
            return none;
        }
        k->parcel->queries++;
    }
    k->status = hsp_svmlight_fail_pair(&k->at, s);
    return none;
}

/* Handles an entry, from p to end, whose id does not ascend (`last` is the one before) or is the weight's: 1: it was the
 * weight; 0: it is a feature; or a negative status. */
static __attribute__((noinline)) int check_id(svmlight_piece *k, const char *p, const char *value, const char *end,
                                              int64_t id, int64_t last, double v) {
    const hsp_reader *r = k->at.r;
    hsp_parcel *parcel = k->parcel;
    if (id == r->weight) {
        if (r->weighted && k->weight >= 0) return hsp_svmlight_fail_second_weight(&k->at, p);
        if (r->weighted && !(v >= 0)) return hsp_svmlight_fail_weight(&k->at, value, end);
        k->weight = fabs(v);
        return 1;
    }
    if (id < r->lowest) return hsp_svmlight_fail_base(&k->at, p);
    if (id < parcel->least) parcel->least = id;
    if (id == 0 && parcel->zero_row < 0) parcel->zero_row = parcel->block.rows;
    if (k->begun) {
        k->sorted = false;
        if (last > parcel->largest) parcel->largest = last;
    }
    k->begun = true;
    return 0;
}

/* Parses the entries from p on and sets k->s to their end. Returns their number, or a negative status. The first id of a row
 * counts as not ascending, so that check_id sees it. No callee gets the address of a variable of the loop, so that they
 * stay in registers. */
static int64_t parse_entries(svmlight_piece *k, const char *p) {
    const int64_t weight = k->at.r->weight, tail = k->parcel->block.row[k->parcel->block.rows];
    const uint64_t infinity = UINT64_C(0x7ff) << 53;
    uint32_t *ids = k->parcel->block.id + tail;
    double *values = k->parcel->block.value + tail;
    int64_t count = 0, last = INT64_MAX;
    const char *before = NULL;
    unsigned length = 1;
    k->begun = false;
    k->sorted = true;
    k->weight = -1;
    k->status = 0;
    for (;;) {
        found f = {NULL, 0};
        const char *ended = p;
        if (*p == ' ') f = find_id(++p, &length);
        if (!f.colon) {
            f = find_entry(k, ended, before);
            if (!f.colon) break;
            p = k->s;
        }
        double v = 0;
        uint64_t twice;
        before = p;
        p = read_value(f.colon + 1, &v);
        memcpy(&twice, &v, sizeof twice);
        twice <<= 1;
        if (!p || twice >= infinity) return hsp_svmlight_fail_pair(&k->at, before);
        if (__builtin_expect(f.id <= last || f.id == weight, 0)) {
            if (!ends_entry(*p)) return hsp_svmlight_fail_pair(&k->at, before);
            int status = check_id(k, before, f.colon + 1, p, f.id, last, v);
            if (status < 0) return status;
            if (status > 0) continue;
        }
        last = f.id;
        ids[count] = (uint32_t)f.id;
        values[count] = v;
        count += twice != 0;
    }
    if (k->status < 0) return k->status;
    if (k->begun && last > k->parcel->largest) k->parcel->largest = last;
    if (k->at.r->weighted && k->weight < 0) return hsp_svmlight_fail_unweighted(&k->at);
    return k->sorted ? count : sort_row(k, ids, values, count);
}

/* ---- lines ---- */

/* The start of the line after the line end at s; may be after the piece. */
static inline const char *after_line(const svmlight_piece *k, const char *s) {
    return s + (*s == '\r' && s[1] == '\n' && s + 1 < k->parcel->chunk.end ? 2 : 1);
}

/* From the '#' of a comment to the next line; a NUL in it is a fault. */
static const char *after_comment(svmlight_piece *k, const char *s) {
    for (; !hsp_svmlight_is_line_end(*s); s++) {
        if (*s != 0) continue;
        k->parcel->fault = hsp_svmlight_fail_nul(&k->at, s);
        return NULL;
    }
    return after_line(k, s);
}

/* All rows have labels or none; compares with the first row of the file if that is known, else of the piece. */
static inline int check_labelled(svmlight_piece *k, bool labelled, int64_t column) {
    if (k->labelled < 0) {
        k->labelled = labelled;
        k->parcel->block.labelled = labelled;
    }
    if (k->labelled == labelled) return 0;
    return hsp_svmlight_fail_label(k->at.r, k->at.line, column, labelled, k->at.err);
}

/* Adds the line at s to the block as a row, unless it is empty or a comment. Returns the start of the next line, or NULL
 * after a fault. */
static const char *parse_line(svmlight_piece *k, const char *s) {
    hsp_block *b = &k->parcel->block;
    while (hsp_svmlight_is_blank(*s)) s++;
    if (hsp_svmlight_is_line_end(*s)) return after_line(k, s);
    if (*s == '#') return after_comment(k, s);
    const char *label = s;
    bool colon = false;
    for (; (unsigned char)*s > ' '; s++) colon |= *s == ':';
    int64_t length = s - label, entries = 0;
    bool labelled = !colon || !hsp_svmlight_is_pair(label, s);
    if (!ends_entry(*s))
        entries = hsp_svmlight_fail_pair(&k->at, label);
    else
        entries = check_labelled(k, labelled, label - k->at.begin + 1);
    if (!labelled) {
        s = label;
        length = 0;
    }
    if (entries == 0 && (b->rows == k->room || b->label[b->rows] + length + 16 > b->capacity.text))
        entries = make_room(k, length);
    if (entries == 0) entries = parse_entries(k, s);
    if (entries < 0) {
        k->parcel->fault = (int)entries;
        return NULL;
    }
    s = *k->s == '#' ? after_comment(k, k->s) : after_line(k, k->s);
    if (s) close_row(k, label, length, label - k->at.begin + 1, entries);
    return s;
}

/* Makes room for all entries that the piece can have: the shortest, "1:2 ", takes four bytes. */
static int begin_piece(svmlight_piece *k) {
    hsp_parcel *p = k->parcel;
    hsp_block *b = &p->block;
    int64_t most = (p->chunk.end - p->chunk.begin) / 4 + 1;
    p->lines = p->duplicates = p->queries = p->fault = 0;
    p->least = INT64_MAX;
    p->largest = p->zero_row = -1;
    hsp_block_reset(b, false, 0);
    b->weighted = k->at.r->weighted;
    if (hsp_reserve((void **)&b->id, &b->capacity.id, most, sizeof *b->id) ||
        hsp_reserve((void **)&b->value, &b->capacity.value, most, sizeof *b->value))
        return hsp_fail_memory(k->at.err);
    return make_room(k, 0);
}

/* A NUL in a line is reported before its other faults. */
static const char *find_nul(const char *s) {
    for (; !hsp_svmlight_is_line_end(*s); s++)
        if (*s == 0) return s;
    return NULL;
}

/* Leaves the faulty line out. Returns the start of the next one. */
static const char *skip_line(svmlight_piece *k, const char *s) {
    if (hsp_bad_rows_add(k->parcel->bad, *k->at.err)) {
        *k->at.err = NULL;
        k->parcel->fault = hsp_fail_memory(k->at.err);
        return s;
    }
    *k->at.err = NULL;
    k->parcel->fault = 0;
    while (s < k->parcel->chunk.end && !hsp_svmlight_is_line_end(*s)) s++;
    return s < k->parcel->chunk.end ? after_line(k, s) : s;
}

void hsp_svmlight_parse(const hsp_reader *r, hsp_parcel *p, int64_t line, hsp_error **err) {
    hsp_error *fault = NULL; /* of a row that is left out */
    hsp_error **message = p->bad ? &fault : err;
    svmlight_piece k = {.at = {.r = r, .line = line, .err = message}, .parcel = p, .labelled = -1};
    if (p->fault == HSP_EMEMORY) { /* the rows were lost: it must not succeed now */
        hsp_fail_memory(err);
        return;
    }
    if (err && r->first > 0) k.labelled = r->labelled;
    p->fault = begin_piece(&k);
    const char *s = p->chunk.begin, *end = p->chunk.end;
    while (p->fault == 0 && s < end) {
        k.at.begin = s;
        const char *nul = message ? find_nul(s) : NULL, *next = s;
        if (nul)
            p->fault = hsp_svmlight_fail_nul(&k.at, nul);
        else
            next = parse_line(&k, s);
        s = p->fault == HSP_EINPUT && p->bad ? skip_line(&k, s) : next;
        k.at.line++;
    }
    if (fault) hsp_error_pass(err, fault);
    p->lines = k.at.line - line;
}
