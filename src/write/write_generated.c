/* Writes generated rows to a text file block by block, in constant memory. One thread generates the rows, because random
 * numbers are drawn in sequence; all threads format them. */
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/pipeline.h"
#include "base/pool.h"
#include "base/text.h"
#include "data/block.h"
#include "data/data.h"
#include "data/generate.h"
#include "option/options.h"
#include "write/writer.h"

#include <math.h>
#include <string.h>

/* Upper bounds of bytes: a number with its separator, an id, a label. */
enum { NUMBER = 32, ID = 12, LABEL = 34 };

typedef struct page { /* owns block and text */
    hsp_block block;
    char *text;
    int64_t length, capacity;
    bool first;  /* of the file */
    bool failed; /* out of memory */
} page;

typedef struct scribe {
    hsp_generation generation;
    char delimiter; /* of CSV; 0: svmlight */
    page *piece;    /* owned: one per slot */
    hsp_out *out;
    double writing;                      /* seconds */
    hsp_error *make_error, *write_error; /* of different threads */
} scribe;

/* ---- a block as text ---- */

static char *put_number(char *p, double v) {
    int digit = v > 0 && v < 10 ? (int)v : 0; /* counts of words are mostly single digits */
    if (digit > 0 && v == digit) {
        *p = (char)('0' + digit);
        return p + 1;
    }
    return p + hsp_number_format(v, p);
}

static char *put_label(char *p, const hsp_block *b, int64_t i) {
    int64_t n = b->label[i + 1] - b->label[i];
    memcpy(p, b->text + b->label[i], (size_t)n);
    return p + n;
}

static char *put_entry(char *p, int64_t id, double v) {
    *p++ = ' ';
    p += hsp_number_format_int(id, p);
    *p++ = ':';
    return put_number(p, v);
}

/* The first row has the last feature, so that a reader finds d. */
static char *put_svmlight(char *p, const hsp_block *b, int64_t i, int64_t d, bool first) {
    int64_t at = b->dense ? i * b->d : b->row[i], count = b->dense ? b->d : b->row[i + 1] - at, last = 0;
    p = put_label(p, b, i);
    for (int64_t t = 0; t < count; t++) {
        double v = b->value[at + t];
        if (v == 0) continue;
        last = b->dense ? t + 1 : b->id[at + t];
        p = put_entry(p, last, v);
    }
    if (first && last < d) p = put_entry(p, d, 0);
    *p++ = '\n';
    return p;
}

static char *put_csv(char *p, const hsp_block *b, int64_t i, int64_t d, char delimiter) {
    int64_t at = b->dense ? i * b->d : b->row[i], end = b->dense ? at + b->d : b->row[i + 1];
    for (int64_t j = 0; j < d; j++) {
        if (b->dense || (at < end && b->id[at] == j + 1))
            p = put_number(p, b->value[at++]);
        else
            *p++ = '0';
        *p++ = delimiter;
    }
    p = put_label(p, b, i);
    *p++ = '\n';
    return p;
}

/* ---- the pipeline ---- */

static int make_piece(void *ctx, int slot) {
    scribe *s = ctx;
    page *piece = &s->piece[slot];
    if (hsp_cancel_take())
        return hsp_fail(&s->make_error, HSP_ECANCELLED, "interrupted before all rows were generated: no file was written");
    piece->first = s->generation.made == 0;
    int more = hsp_generation_next(&s->generation, &piece->block);
    return more < 0 ? hsp_fail_memory(&s->make_error) : more;
}

static void format_piece(void *ctx, int slot) {
    scribe *s = ctx;
    page *piece = &s->piece[slot];
    const hsp_block *b = &piece->block;
    int64_t d = s->generation.recipe.d, values = b->dense ? b->rows * b->d : b->row[b->rows];
    int64_t needed = values * (NUMBER + ID) + (b->rows + 1) * (LABEL + NUMBER + ID);
    if (s->delimiter && !b->dense) needed += 2 * d * b->rows;
    piece->failed = hsp_reserve((void **)&piece->text, &piece->capacity, needed, 1) != 0;
    if (piece->failed) return;
    char *p = piece->text;
    for (int64_t i = 0; i < b->rows; i++)
        p = s->delimiter ? put_csv(p, b, i, d, s->delimiter) : put_svmlight(p, b, i, d, piece->first && i == 0);
    piece->length = p - piece->text;
}

static int write_piece(void *ctx, int slot) {
    scribe *s = ctx;
    const page *piece = &s->piece[slot];
    if (piece->failed) return hsp_fail_memory(&s->write_error);
    double began = hsp_clock_seconds();
    int status = hsp_out_write(s->out, piece->text, piece->length, &s->write_error);
    s->writing += hsp_clock_seconds() - began;
    return status;
}

/* ---- the file ---- */

static int write_rows(scribe *s, int threads, hsp_error **err) {
    int slots = hsp_pipeline_slots(threads);
    s->piece = hsp_alloc_zero(slots, sizeof *s->piece);
    if (!s->piece) return hsp_fail_memory(err);
    const hsp_pipeline line = {slots, threads, s, make_piece, format_piece, write_piece, NULL};
    int status = hsp_pipeline_run(&line);
    for (int k = 0; k < slots; k++) {
        hsp_block_free(&s->piece[k].block);
        hsp_free(s->piece[k].text);
    }
    hsp_free(s->piece);
    hsp_error **kept = s->write_error ? &s->write_error : &s->make_error;
    if (err) *err = *kept;
    if (err) *kept = NULL;
    hsp_error_free(s->make_error);
    hsp_error_free(s->write_error);
    return status;
}

static int write_text(scribe *s, const char *path, const hsp_options *o, hsp_error **err) {
    const hsp_recipe *r = &s->generation.recipe;
    bool sparse = strcmp(s->generation.kind->format, "svmlight") == 0;
    if (sparse && s->delimiter && (double)r->n * (double)(r->d + 1) > HSP_CELL_LIMIT)
        return hsp_fail(err, HSP_EUSAGE, "a CSV file would have %lld x %lld cells, most of them zero: write svmlight",
                        (long long)r->n, (long long)(r->d + 1));
    int status = hsp_out_open(path, '?', &s->out, err);
    if (status < 0) return status;
    if (s->delimiter) {
        hsp_text t = {0};
        for (int64_t j = 1; j <= s->generation.recipe.d && status == 0; j++) {
            hsp_text_char(&t, 'x');
            hsp_text_int(&t, j);
            hsp_text_char(&t, s->delimiter);
            status = hsp_write_flush(&t, s->out, false, err);
        }
        hsp_text_add(&t, s->generation.kind->regression ? "y\n" : "label\n");
        if (status == 0) status = hsp_write_flush(&t, s->out, true, err);
        hsp_text_free(&t);
    }
    if (status == 0) status = write_rows(s, hsp_pool_threads(hsp_options_int(o, "threads", 0)), err);
    if (status < 0) {
        hsp_out_abandon(s->out);
        return status;
    }
    double began = hsp_clock_seconds();
    status = hsp_out_commit(s->out, err);
    s->writing += hsp_clock_seconds() - began;
    return status;
}

/* Binary formats are written from memory. */
static int write_whole(scribe *s, const char *path, const hsp_options *o, hsp_error **err) {
    hsp_data *data = NULL;
    int status = hsp_generation_collect(&s->generation, &data, err);
    double began = hsp_clock_seconds();
    if (status == 0) status = hsp_data_write(data, path, o, err);
    s->writing = hsp_clock_seconds() - began;
    hsp_data_free(data);
    return status;
}

/* ---- the report ---- */

/* In the order of the labels as numbers: of two classes the second is -1. Classes without rows are none. */
static void report_classes(hsp_json *j, const hsp_generation *g) {
    if (!g->rows_of) {
        hsp_json_null(j, "classes");
        return;
    }
    hsp_json_object(j, "classes");
    for (int64_t t = 0; t < g->recipe.classes; t++) {
        int64_t k = g->recipe.classes == 2 ? 1 - t : t;
        char label[33];
        label[hsp_generation_label(g, k, label)] = '\0';
        if (g->rows_of[k] > 0) hsp_json_int(j, label, g->rows_of[k]);
    }
    hsp_json_object_end(j);
}

static int report(const scribe *s, double seconds, hsp_report **out, hsp_error **err) {
    const hsp_generation *g = &s->generation;
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_string(&j, "kind", g->kind->name);
    hsp_json_int(&j, "rows", g->made);
    hsp_json_int(&j, "features", g->recipe.d);
    hsp_json_int(&j, "nonzeros", g->nonzeros);
    report_classes(&j, g);
    if (g->rows_of) {
        hsp_json_null(&j, "targets");
    } else {
        hsp_json_object(&j, "targets");
        hsp_json_number(&j, "min", g->least);
        hsp_json_number(&j, "max", g->greatest);
        hsp_json_number(&j, "mean", g->target);
        hsp_json_object_end(&j);
    }
    hsp_json_object(&j, "seconds"); /* the two overlap when there are threads: what is not writing counts as generating */
    hsp_json_number(&j, "generate", fmax(seconds - s->writing, 0));
    hsp_json_number(&j, "write", s->writing);
    hsp_json_object_end(&j);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}

int hsp_data_generate_file(const char *kind, const hsp_options *o, const char *path, hsp_report **out, hsp_error **err) {
    *out = NULL;
    scribe s = {0};
    double began = hsp_clock_seconds();
    const hsp_writer *writer = NULL;
    int status = hsp_generation_begin(&s.generation, kind, o, err);
    if (status == 0) status = hsp_writer_choose(path, o, s.generation.kind->format, &writer, err);
    if (status == 0) {
        s.delimiter = writer->delimiter;
        status = writer->text ? write_text(&s, path, o, err) : write_whole(&s, path, o, err);
    }
    if (status == 0) status = report(&s, hsp_clock_seconds() - began, out, err);
    hsp_generation_end(&s.generation);
    return status;
}
