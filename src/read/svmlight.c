/* svmlight: `label [qid:N] id:value id:value ... [# comment]`, one row per line. Lines are independent, so pieces are parsed
 * in any order (svmlight_row.c); what needs the whole file is done here. */
#include "read/svmlight.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/block.h"
#include "option/options.h"
#include "read/raw_file.h"

#include <string.h>

/* Bytes at the start of a file that determine the base when the model has none. Independent of the size of pieces; a user
 * who types rows gets an answer after the first, since peeking returns what has come. */
#define BEGINNING ((int64_t)64 << 10)

bool hsp_svmlight_is_pair(const char *p, const char *end) {
    if (end - p >= 4 && memcmp(p, "qid:", 4) == 0) return true;
    if (p < end && (*p == '-' || *p == '+')) p++;
    const char *q = p;
    while (q < end && (unsigned char)(*q - '0') < 10) q++;
    return q > p && q < end && *q == ':';
}

/* ---- the end ---- */

static void update_d(hsp_reader *r) {
    int64_t d = r->max_id - r->schema.base + 1;
    r->schema.d = d > r->known_d ? d : r->known_d;
}

static int take_rows(hsp_reader *r, const hsp_parcel *p, int64_t line, hsp_error **err) {
    const hsp_block *b = &p->block;
    (void)line;
    if (b->rows > 0 && r->first == 0) {
        r->first = b->line_base + b->line[0];
        r->labelled = b->labelled;
    }
    if (b->rows > 0 && b->labelled != r->labelled)
        return hsp_svmlight_fail_label(r, b->line_base + b->line[0], b->column[0], b->labelled, err);
    r->rows += b->rows;
    r->duplicates += p->duplicates;
    r->queries += p->queries;
    if (p->least < r->min_id) r->min_id = p->least;
    if (p->largest > r->max_id) r->max_id = p->largest;
    update_d(r);
    return 0;
}

static int finish(hsp_reader *r, hsp_error **err) {
    if (r->assumed.s) return 0;
    if (r->rows > 0 && r->max_id < 0 && r->known_d == 0)
        return hsp_fail_at(err, HSP_EINPUT, (hsp_place){r->file, r->first, 1},
                           "no row has a feature: write rows as `label id:value id:value ...`, or use --format csv");
    if (r->rule == HSP_BASE_FOUND) r->schema.base = r->min_id == 0 ? 0 : 1;
    update_d(r);
    hsp_text *t = &r->assumed;
    hsp_text_format(t, "svmlight, base %d", r->schema.base);
    if (r->rule == HSP_BASE_GIVEN)
        hsp_text_add(t, r->by_model ? " (as in the model)" : " (--base)");
    else if (r->max_id >= 0)
        hsp_text_format(t, " (smallest id %lld)", (long long)r->min_id);
    if (r->by_position) hsp_text_add(t, ", ids matched to the model's columns by position");
    if (!r->labelled && r->rows > 0) hsp_text_add(t, ", no labels");
    if (r->weighted) hsp_text_format(t, ", weights in feature %lld", (long long)r->weight);
    hsp_text_format(t, ", %lld feature%s, %lld row%s", (long long)r->schema.d, r->schema.d == 1 ? "" : "s",
                    (long long)r->rows, r->rows == 1 ? "" : "s");
    if (r->queries > 0) hsp_text_format(t, ", qid ignored (%lld)", (long long)r->queries);
    if (r->duplicates > 0)
        hsp_text_format(t, ", %lld duplicate id%s summed", (long long)r->duplicates, r->duplicates > 1 ? "s" : "");
    return t->failed ? hsp_fail_memory(err) : 0;
}

/* ---- the beginning ---- */

static void close_reader(hsp_reader *r) {
    hsp_chunks_close(&r->chunks);
    hsp_schema_clear(&r->schema);
    hsp_text_free(&r->assumed);
    hsp_free(r);
}

/* The id that holds weights instead of a feature: by option, else the model's. */
static int find_weight(hsp_reader *r, const hsp_options *o, const hsp_schema *known, hsp_error **err) {
    const char *s = hsp_options_text(o, "weight");
    r->weight = hsp_schema_is_svmlight(known) && known->weight_column > 0 ? known->weight_column - 1 : -1;
    if (!s) return 0;
    const char *end = s + strlen(s);
    if (hsp_number_parse_int(s, end, &r->weight) != end || r->weight < 0 || r->weight > HSP_SVMLIGHT_ID_LIMIT)
        return hsp_fail(err, HSP_EUSAGE, "--weight: %s has no feature '%s': give the number of a feature, from 0 or 1",
                        r->file, s);
    r->weighted = true;
    r->schema.weight_column = r->weight + 1;
    return 0;
}

/* Sets the base from the ids at the start of the file, up to the first fault. */
static int find_base(hsp_reader *r, hsp_stream *stream, hsp_error **err) {
    const char *bytes;
    int64_t n = hsp_stream_peek(stream, BEGINNING, &bytes, err);
    if (n < 0) return (int)n;
    hsp_parcel p = {0};
    char *copy = hsp_alloc_zero(n + HSP_CHUNK_PAD, 1);
    int status = copy ? 0 : HSP_EMEMORY;
    if (copy) {
        if (n > 0) memcpy(copy, bytes, (size_t)n);
        copy[n] = '\n';
        p.chunk = (hsp_chunk){.memory = copy, .capacity = n + HSP_CHUNK_PAD, .begin = copy, .end = copy + n};
        hsp_svmlight_parse(r, &p, 1, NULL);
        status = p.fault == HSP_EMEMORY ? HSP_EMEMORY : 0;
    }
    r->schema.base = p.least == 0 ? 0 : 1;
    hsp_parcel_free(&p);
    return status < 0 ? hsp_fail_memory(err) : 0;
}

static int choose_base(hsp_reader *r, hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_error **err) {
    bool auto_base = hsp_options_is(o, "base", "auto");
    int status = 0;
    r->schema.base = 1;
    r->by_model = auto_base && hsp_schema_is_svmlight(known);
    r->rule = r->by_model || !auto_base ? HSP_BASE_GIVEN : known ? HSP_BASE_BEGINNING : HSP_BASE_FOUND;
    if (r->by_model)
        r->schema.base = known->base;
    else if (!auto_base)
        r->schema.base = hsp_options_is(o, "base", "0") ? 0 : 1;
    else if (known)
        status = find_base(r, stream, err);
    r->lowest = r->rule == HSP_BASE_FOUND ? 0 : r->schema.base;
    return status;
}

static int open_reader(hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_reading *g, hsp_error **err) {
    hsp_reader *r = g->reader = hsp_alloc_zero(1, sizeof *r);
    if (!r) return hsp_fail_memory(err);
    g->schema = &r->schema;
    g->assumed = &r->assumed;
    r->file = hsp_stream_name(stream);
    r->min_id = INT64_MAX;
    r->max_id = -1;
    r->known_d = known ? known->d : 0;
    r->schema.d = r->known_d;
    r->schema.format = hsp_strdup("svmlight");
    r->by_position = known && known->format && strcmp(known->format, "csv") == 0;
    int status = r->schema.format ? find_weight(r, o, known, err) : hsp_fail_memory(err);
    if (status == 0) status = hsp_chunks_open(&r->chunks, stream, NULL, NULL, err);
    return status == 0 ? choose_base(r, stream, o, known, err) : status;
}

static int cut(hsp_reader *r, hsp_chunk *chunk, hsp_error **err) {
    return hsp_chunks_next(&r->chunks, chunk, err);
}

static int seek(hsp_reader *r, int64_t from, int64_t to, hsp_error **err) {
    return hsp_chunks_seek(&r->chunks, from, to, err);
}

static int64_t place(const hsp_reader *r, const hsp_parcel *p, int64_t i) {
    (void)r;
    return hsp_chunk_place(&p->chunk, p->block.line[i] - 1);
}

/* ---- rows that are copied ---- */

/* A row is a line: the CSV cursor finds lines if no character is a quote. */
static int open_raw(hsp_raw_file *f, hsp_error **err) {
    f->table.marks = (hsp_csv_marks){.delimiter = ' '};
    int status = hsp_chunks_open(&f->chunks, f->stream, NULL, NULL, err);
    if (status == 0 && f->chunks.marked) hsp_text_add(&f->head, "\xef\xbb\xbf");
    return status;
}

static int take_raw(hsp_raw_file *f, hsp_raw_row *row, hsp_error **err) {
    (void)f;
    (void)err;
    const char *s = row->begin, *end = row->begin;
    while (s < row->stop && hsp_svmlight_is_blank(*s)) s++;
    if (s < row->stop && *s == '#') return 0;
    for (end = s; end < row->stop && (unsigned char)*end > ' '; end++) continue;
    row->unlabelled = hsp_svmlight_is_pair(s, end);
    if (!row->unlabelled) row->label = (hsp_csv_view){.s = s, .n = end - s, .next = end};
    return 1;
}

static void describe_raw(const hsp_raw_file *f, hsp_text *t) {
    (void)f;
    hsp_text_add(t, "svmlight");
}

const hsp_raw_kind hsp_raw_svmlight = {open_raw, take_raw, describe_raw};

const hsp_reader_kind hsp_reader_svmlight = {
    .name = "svmlight",
    .help = "sparse rows `label id:value id:value ...`, the format of LIBSVM",
    .suffixes = ".svm .svmlight .libsvm",
    .open = open_reader,
    .cut = cut,
    .parse = hsp_svmlight_parse,
    .take = take_rows,
    .finish = finish,
    .seek = seek,
    .place = place,
    .raw = &hsp_raw_svmlight,
    .free = close_reader,
};
