/* svmlight: `label [qid:N] id:value id:value ... [# comment]`, one row a line. Read in one pass straight out of the
 * window; a row whose ids are out of order is sorted afterwards, which real files seldom need. */
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "read/lines.h"
#include "read/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ID_LIMIT INT32_MAX

/* How the number of the first feature is settled. */
typedef enum base_rule {
    BASE_GIVEN,      /* by option or model: a smaller id is an error */
    BASE_FOUND,      /* 0 when an id 0 occurs anywhere, else 1 */
    BASE_FIRST_BLOCK /* rows for a model that knows no base: found in the first block, then it holds */
} base_rule;

typedef struct entry {
    uint32_t id;
    int64_t order;
    double value;
} entry;

struct hsp_reader {
    hsp_lines lines;
    hsp_schema schema;
    hsp_text assumed;
    base_rule rule;
    bool by_model;    /* the base was given by the model, not by an option */
    bool by_position; /* the model knows its columns by other names than ids */
    int64_t known_d;  /* 0: none */
    int64_t weight;   /* id that is no feature but the weight of the row; -1: none */
    bool weighted;    /* it is asked for; otherwise it is left out, as in training */
    bool labelled;    /* as the first row */
    int64_t first;    /* line of the first row, 0: none yet */
    int64_t rows, min_id, max_id, duplicates, queries;
    bool done;
    entry *entries; /* for sorting */
    int64_t entries_capacity;
};

static inline bool blank(char c) {
    return c == ' ' || c == '\t';
}
static inline bool digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

static const char *token_end(const char *p, const char *end) {
    while (p < end && !blank(*p)) p++;
    return p;
}

/* Whether what was read up to p is all of an entry. */
static inline bool is_over(const char *p, const char *end) {
    return p == end || blank(*p) || *p == '#';
}

static bool like_query(const char *p, const char *end) {
    return end - p >= 4 && memcmp(p, "qid:", 4) == 0;
}

bool hsp_svmlight_is_pair(const char *p, const char *end) {
    if (like_query(p, end)) return true;
    if (p < end && (*p == '-' || *p == '+')) p++;
    const char *q = p;
    while (q < end && digit(*q)) q++;
    return q > p && q < end && *q == ':';
}

/* ---- what is wrong with a row ---- */

#define SHAPE "write rows as `label id:value id:value ...`"

static int fail_id(hsp_reader *r, const char *p, const char *colon, hsp_error **err) {
    char piece[HSP_EXCERPT];
    hsp_excerpt(piece, p, colon - p);
    hsp_place at = hsp_lines_place(&r->lines, p);
    const char *q = p + (p < colon && (*p == '-' || *p == '+'));
    bool whole = q < colon;
    for (const char *c = q; c < colon; c++) whole = whole && digit(*c);
    if (whole && *p == '-')
        return hsp_fail_at(err, HSP_EINPUT, at, "feature id %s is negative: ids are whole numbers from 0 or 1", piece);
    if (!whole || *p == '+')
        return hsp_fail_at(err, HSP_EINPUT, at, "'%s' is not a feature id (a whole number): " SHAPE, piece);
    return hsp_fail_at(err, HSP_EINPUT, at, "feature id %s is too large: the largest is %d", piece, ID_LIMIT);
}

static int fail_value(hsp_reader *r, const char *p, const char *end, hsp_error **err) {
    char piece[HSP_EXCERPT];
    hsp_excerpt(piece, p, end - p);
    hsp_place at = hsp_lines_place(&r->lines, p);
    if (p == end)
        return hsp_fail_at(err, HSP_EINPUT, at, "the value after ':' is missing: " SHAPE ", without blanks round ':'");
    double v;
    if (hsp_number_parse(p, end, &v) == end)
        return hsp_fail_at(err, HSP_EINPUT, at, "value %s is too large for a double: scale the column down", piece);
    const char *q = p + (*p == '-' || *p == '+');
    if (end - q >= 3 && (hsp_text_same_letters(q, "nan", 3) || hsp_text_same_letters(q, "inf", 3)))
        return hsp_fail_at(err, HSP_EINPUT, at, "value '%s' is not a finite number: give a number or leave the entry out",
                           piece);
    if (memchr(p, ',', (size_t)(end - p)))
        return hsp_fail_at(err, HSP_EINPUT, at, "value '%s' is not a number: decimals take a point, not a comma", piece);
    return hsp_fail_at(err, HSP_EINPUT, at, "value '%s' is not a number: " SHAPE, piece);
}

/* The token at p is no pair: says why. */
static int fail_pair(hsp_reader *r, const char *p, const char *end, hsp_error **err) {
    const char *stop = token_end(p, end);
    for (const char *q = p; q < stop; q++)
        if ((unsigned char)*q < 32 || *q == 127)
            return hsp_fail_at(err, HSP_EINPUT, hsp_lines_place(&r->lines, q),
                               "the file looks binary (byte %d): give a text file", (int)(unsigned char)*q);
    const char *colon = memchr(p, ':', (size_t)(stop - p));
    if (!colon) {
        char piece[HSP_EXCERPT];
        return hsp_fail_at(err, HSP_EINPUT, hsp_lines_place(&r->lines, p), "'%s' has no ':': " SHAPE,
                           hsp_excerpt(piece, p, stop - p));
    }
    const char *q = p;
    while (q < colon && digit(*q)) q++;
    int64_t id;
    if (p == colon || q < colon || hsp_number_parse_int(p, colon, &id) != colon || id > ID_LIMIT)
        return fail_id(r, p, colon, err);
    const char *comment = memchr(colon, '#', (size_t)(stop - colon));
    return fail_value(r, colon + 1, comment ? comment : stop, err);
}

static int fail_base(hsp_reader *r, const char *p, hsp_error **err) {
    hsp_place at = hsp_lines_place(&r->lines, p);
    if (r->rule == BASE_FIRST_BLOCK)
        return hsp_fail_at(err, HSP_EINPUT, at, "feature id 0, but the rows before count from 1: give --base 0");
    return hsp_fail_at(err, HSP_EINPUT, at, "feature id 0, but %s count from 1: give --base 0 if the first feature is 0",
                       r->by_model ? "the model's features" : "ids");
}

/* The entry p .. end of the weight's id, whose value is at `value`; seen: there was one before. */
static int check_weight(hsp_reader *r, const char *p, const char *value, const char *end, double v, bool seen,
                        hsp_error **err) {
    char piece[HSP_EXCERPT];
    if (seen)
        return hsp_fail_at(err, HSP_EINPUT, hsp_lines_place(&r->lines, p),
                           "the weight, feature %lld, is given more than once: give it once", (long long)r->weight);
    if (v >= 0) return 0;
    return hsp_fail_at(err, HSP_EINPUT, hsp_lines_place(&r->lines, value),
                       "the weight %s, feature %lld, is negative: weights are 0 or above",
                       hsp_excerpt(piece, value, end - value), (long long)r->weight);
}

static int fail_unweighted(hsp_reader *r, hsp_error **err) {
    return hsp_fail_at(err, HSP_EINPUT, hsp_lines_place(&r->lines, hsp_lines_begin(&r->lines)),
                       "the row has no weight, feature %lld: give it in every row, 0 too", (long long)r->weight);
}

/* ---- rows ---- */

static int by_id(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Sorts the row's entries and adds duplicates together, in file order; the number that is left, or a negative status. */
static int64_t sort_row(hsp_reader *r, uint32_t *id, double *value, int64_t count, hsp_error **err) {
    if (count < 2) return count;
    if (hsp_reserve((void **)&r->entries, &r->entries_capacity, count, sizeof *r->entries)) return hsp_fail_memory(err);
    for (int64_t k = 0; k < count; k++) r->entries[k] = (entry){id[k], k, value[k]};
    qsort(r->entries, (size_t)count, sizeof *r->entries, by_id);
    int64_t kept = 0;
    for (int64_t k = 0; k < count;) {
        uint32_t same = r->entries[k].id;
        double sum = r->entries[k++].value;
        for (; k < count && r->entries[k].id == same; k++, r->duplicates++) sum += r->entries[k].value;
        if (!isfinite(sum))
            return hsp_fail_at(err, HSP_EINPUT, (hsp_place){hsp_stream_name(r->lines.stream), r->lines.line, 1},
                               "the values of feature %u, given more than once, add up to infinity: give it once", same);
        if (sum == 0) continue;
        id[kept] = same;
        value[kept++] = sum;
    }
    return kept;
}

/* The number of a query, at *p, is of no use but must be one; *p goes on to what follows it. */
static int skip_query(hsp_reader *r, const char **p, const char *end, hsp_error **err) {
    int64_t number;
    const char *begin = *p;
    *p = hsp_number_parse_int(begin, end, &number);
    r->queries++;
    if (*p && is_over(*p, end)) return 0;
    char piece[HSP_EXCERPT];
    hsp_excerpt(piece, begin, token_end(begin, end) - begin);
    return hsp_fail_at(err, HSP_EINPUT, hsp_lines_place(&r->lines, begin),
                       "'%s' is not the number of a query: write qid:N, or leave it out", piece);
}

/* The entries of the row from p on, into the block's tail; their number or a negative status. */
static int64_t parse_entries(hsp_reader *r, hsp_block *block, const char *p, const char *end, hsp_error **err) {
    int64_t tail = hsp_block_tail(block), count = 0, last = -1;
    int64_t lowest = r->rule == BASE_FOUND ? 0 : r->schema.base;
    uint32_t *ids = block->id + tail;
    double *values = block->value + tail;
    bool sorted = true;
    double weight = -1;
    for (;;) {
        while (p < end && blank(*p)) p++;
        if (p == end || *p == '#') break;
        const char *q = p;
        int64_t id = 0;
        for (; q < end && digit(*q); q++)
            if (id <= ID_LIMIT) id = id * 10 + (*q - '0');
        if (q == p || q == end || *q != ':' || id > ID_LIMIT) {
            if (!like_query(p, end)) return fail_pair(r, p, end, err);
            p += 4;
            int status = skip_query(r, &p, end, err);
            if (status < 0) return status;
            continue;
        }
        double v;
        const char *after = hsp_number_parse_cell(q + 1, end, &v);
        if (!after || !isfinite(v) || !is_over(after, end)) return fail_pair(r, p, end, err);
        if (id == r->weight) {
            int status = r->weighted ? check_weight(r, p, q + 1, after, v, weight >= 0, err) : 0;
            if (status < 0) return status;
            weight = fabs(v);
            p = after;
            continue;
        }
        if (id < lowest) return fail_base(r, p, err);
        sorted = sorted && id > last;
        last = id;
        if (id > r->max_id) r->max_id = id;
        if (id < r->min_id) r->min_id = id;
        ids[count] = (uint32_t)id;
        values[count] = v;
        count += v != 0;
        p = after;
    }
    if (r->weighted) {
        if (weight < 0) return fail_unweighted(r, err);
        block->weight[block->rows] = weight;
    }
    return sorted ? count : sort_row(r, ids, values, count, err);
}

/* Checks that a row has a label when the first one has, and only then. */
static int check_labelled(hsp_reader *r, bool labelled, const char *p, hsp_error **err) {
    if (r->first == 0) {
        r->first = r->lines.line;
        r->labelled = labelled;
    }
    if (labelled == r->labelled) return 0;
    return hsp_fail_at(err, HSP_EINPUT, hsp_lines_place(&r->lines, p),
                       labelled ? "the row has a label, the first row (line %lld) has none: label all rows or none"
                                : "the row has no label, the first row (line %lld) has one: label all rows or none",
                       (long long)r->first);
}

/* The current line as a row of the block; nothing for an empty line or a comment. */
static int parse_row(hsp_reader *r, hsp_block *block, hsp_error **err) {
    const char *p = hsp_lines_begin(&r->lines), *end = hsp_lines_end(&r->lines);
    while (p < end && blank(*p)) p++;
    if (p == end || *p == '#') return 0;
    const char *label = p, *stop = p;
    for (; stop < end && !blank(*stop); stop++)
        if ((unsigned char)*stop < 32) return fail_pair(r, label, end, err);
    bool labelled = !hsp_svmlight_is_pair(label, stop);
    int status = check_labelled(r, labelled, p, err);
    if (status < 0) return status;
    if (labelled) p = stop;
    /* The shortest entry, "1:2 ", takes four bytes. */
    if (hsp_block_reserve(block, (end - p) / 4 + 1, stop - label) < 0) return hsp_fail_memory(err);
    int64_t count = parse_entries(r, block, p, end, err);
    if (count < 0) return (int)count;
    hsp_block_close_row(block, count, labelled ? label : NULL, labelled ? stop - label : 0, r->lines.line);
    block->column[block->rows - 1] = label - hsp_lines_begin(&r->lines) + 1;
    r->rows++;
    return 0;
}

/* ---- the reader ---- */

/* After every block: the base, when its moment has come, and d so far. */
static void settle(hsp_reader *r, bool first, bool last) {
    bool now = (r->rule == BASE_FIRST_BLOCK && first) || (r->rule == BASE_FOUND && last);
    if (now) r->schema.base = r->min_id == 0 ? 0 : 1;
    int64_t d = r->max_id - r->schema.base + 1;
    r->schema.d = d > r->known_d ? d : r->known_d;
}

static int finish(hsp_reader *r, hsp_error **err) {
    if (r->done) return 0;
    r->done = true;
    if (r->rows > 0 && r->max_id < 0 && r->known_d == 0)
        return hsp_fail_at(err, HSP_EINPUT, (hsp_place){hsp_stream_name(r->lines.stream), r->first, 1},
                           "no row has a feature: " SHAPE ", or give --format csv");
    hsp_text *t = &r->assumed;
    hsp_text_format(t, "svmlight, base %d", r->schema.base);
    if (r->rule == BASE_GIVEN)
        hsp_text_add(t, r->by_model ? " (the model's)" : " (--base)");
    else if (r->max_id >= 0)
        hsp_text_format(t, " (smallest id %lld)", (long long)r->min_id);
    if (r->by_position) hsp_text_add(t, ", ids taken as the model's columns in order");
    if (!r->labelled && r->rows > 0) hsp_text_add(t, ", no labels");
    if (r->weighted) hsp_text_format(t, ", weights in feature %lld", (long long)r->weight);
    hsp_text_format(t, ", %lld feature%s, %lld row%s", (long long)r->schema.d, r->schema.d == 1 ? "" : "s",
                    (long long)r->rows, r->rows == 1 ? "" : "s");
    if (r->queries > 0) hsp_text_format(t, ", qid ignored (%lld)", (long long)r->queries);
    if (r->duplicates > 0)
        hsp_text_format(t, ", %lld duplicate id%s added together", (long long)r->duplicates, r->duplicates > 1 ? "s" : "");
    return t->failed ? hsp_fail_memory(err) : 0;
}

static int next_block(hsp_reader *r, hsp_block *block, hsp_error **err) {
    hsp_block_reset(block, false, 0);
    block->weighted = r->weighted;
    bool first = r->rows == 0;
    if (first && r->rule == BASE_FIRST_BLOCK) r->schema.base = 0; /* any id will do until the block is read */
    while (block->rows < HSP_BLOCK_ROWS && hsp_block_tail(block) < HSP_BLOCK_VALUES) {
        int status = hsp_lines_next(&r->lines, err);
        if (status > 0)
            status = parse_row(r, block, err);
        else if (status == 0) {
            settle(r, first, true);
            status = finish(r, err);
            if (status == 0) return block->rows > 0;
        }
        if (status < 0) return status;
    }
    settle(r, first, false);
    return 1;
}

static void close_reader(hsp_reader *r) {
    if (!r) return;
    hsp_lines_close(&r->lines);
    hsp_schema_clear(&r->schema);
    hsp_text_free(&r->assumed);
    hsp_free(r->entries);
    hsp_free(r);
}

/* The id whose values are no feature: by option, else the model's. */
static int find_weight(hsp_reader *r, const hsp_options *o, const hsp_schema *known, const char *file, hsp_error **err) {
    const char *s = hsp_options_text(o, "weight");
    bool same = known && known->format && strcmp(known->format, "svmlight") == 0;
    r->weight = same && known->weight_column > 0 ? known->weight_column - 1 : -1;
    if (!s) return 0;
    const char *end = s + strlen(s);
    if (hsp_number_parse_int(s, end, &r->weight) != end || r->weight < 0 || r->weight > ID_LIMIT)
        return hsp_fail(err, HSP_EUSAGE, "--weight: %s has no feature '%s': features of svmlight are numbers from 0 or 1",
                        file, s);
    r->weighted = true;
    r->schema.weight_column = r->weight + 1;
    return 0;
}

static int open_reader(hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_reader **out,
                       hsp_error **err) {
    *out = NULL;
    hsp_reader *r = hsp_alloc_zero(1, sizeof *r);
    if (!r) return hsp_fail_memory(err);
    r->min_id = INT64_MAX;
    r->max_id = -1;
    r->known_d = known ? known->d : 0;
    r->schema.base = 1;
    r->schema.d = r->known_d;
    r->schema.format = hsp_strdup("svmlight");
    r->by_position = known && known->format && strcmp(known->format, "csv") == 0;
    r->by_model = hsp_options_is(o, "base", "auto") && known && known->format && strcmp(known->format, "svmlight") == 0;
    if (r->by_model)
        r->schema.base = known->base;
    else if (!hsp_options_is(o, "base", "auto"))
        r->schema.base = hsp_options_is(o, "base", "0") ? 0 : 1;
    else
        r->rule = known ? BASE_FIRST_BLOCK : BASE_FOUND;
    int status = r->schema.format ? find_weight(r, o, known, hsp_stream_name(stream), err) : hsp_fail_memory(err);
    if (status == 0) status = hsp_lines_open(&r->lines, stream, err);
    if (status < 0)
        close_reader(r);
    else
        *out = r;
    return status;
}

static const hsp_schema *get_schema(const hsp_reader *r) {
    return &r->schema;
}

static const char *get_assumed(const hsp_reader *r) {
    return r->assumed.s;
}

const hsp_reader_kind hsp_reader_svmlight = {
    .name = "svmlight",
    .help = "label id:value id:value ..., sparse rows; LIBSVM's format",
    .suffixes = ".svm .svmlight .libsvm",
    .open = open_reader,
    .next = next_block,
    .schema = get_schema,
    .assumed = get_assumed,
    .free = close_reader,
};
