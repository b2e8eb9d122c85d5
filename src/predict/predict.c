/* Streaming prediction: all threads parse, score and format pieces of the file, and their lines are written in the order of
 * the rows. Memory does not grow with the data, and the output does not depend on the number of threads. After a failure
 * there is no output file; a pipe or terminal has received the lines before it. */
#include "predict/predict.h"

#include "base/advance.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/pipeline.h"
#include "base/pool.h"
#include "base/text.h"
#include "data/bad_rows.h"
#include "data/block.h"
#include "data/labels.h"
#include "data/schema.h"
#include "data/unseen_levels.h"
#include "option/options.h"
#include "predict/answers.h"
#include "predict/bad_output.h"
#include "predict/true_labels.h"
#include "prepare/prepare.h"
#include "read/kept.h"
#include "read/reader.h"
#include "table/encoding.h"
#include "table/kind.h"
#include "table/unseen.h"
#include "write/writer.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* Bytes of a piece's lines that are formatted ahead; the rest is formatted when the piece is placed, to bound the memory for
 * many outputs of short rows. */
#define TEXT_LIMIT ((int64_t)1 << 24)

/* A piece of the file and its predictions. */
typedef struct predict_piece {
    hsp_parcel parcel;
    hsp_block encoded; /* the rows of a table, as features */
    hsp_block *rows;   /* borrowed: encoded, or the block of the parcel */
    hsp_encode_room encode_room;
    hsp_unseen unseen_cells;
    hsp_bad_rows bad; /* rows that are left out */
    hsp_kept kept;    /* cells that are copied */
    int fault;        /* status of a cell that cannot be encoded; 0: none */
    int base;         /* of the ids in the file */
    bool pause;       /* no more input is available now: the output is flushed */
    int failed;       /* HSP_EMEMORY */
    int64_t bad_line; /* of a row with an id below the base, which ends the piece; 0: none */
    hsp_text text;
    int64_t answered; /* rows in the text */
    int64_t unseen;
    double *predicted, *truth; /* owned; of each row: class or number */
    int64_t predicted_capacity, truth_capacity;
    int64_t known; /* rows with a known true label */
    hsp_answers_scratch scratch;
    hsp_true_labels true_labels;
    double read_seconds, predict_seconds;
} predict_piece;

/* Seconds by what they were spent on. */
typedef struct predict_seconds {
    double fetch, read, predict;
} predict_seconds;

typedef struct prediction {
    const hsp_model *m;
    const hsp_options *o;
    hsp_advance advance;
    hsp_stream *stream;
    hsp_reading reading;
    hsp_answers answers;
    hsp_bad_output bad;
    hsp_out *out;
    bool direct, terminal; /* properties of the output */
    predict_piece *pieces;
    int slots;
    int64_t rows, labelled, unseen;
    hsp_unseen unseen_cells;
    double correct;                       /* sum of the weights of correctly predicted rows */
    double mass;                          /* sum of the weights of all rows with a known label */
    long double squares;                  /* regression: weighted sum of the squared residuals */
    atomic_bool all_known;                /* all labels so far are known; accuracy is not reported over some */
    hsp_error *fetch_error, *place_error; /* of different threads */
    predict_seconds spent;                /* of all threads */
} prediction;

/* ---- fetch: one at a time ---- */

static int fail_cancelled(hsp_error **err) {
    return hsp_fail(err, HSP_ECANCELLED, "interrupted before all rows were predicted: no file was written");
}

static int fetch_piece(void *ctx, int slot) {
    prediction *p = ctx;
    predict_piece *k = &p->pieces[slot];
    if (hsp_advance_rows(&p->advance, 0)) return fail_cancelled(&p->fetch_error);
    double start = hsp_clock_seconds();
    int status = hsp_reading_cut(&p->reading, &k->parcel, &p->fetch_error);
    p->spent.fetch += hsp_clock_seconds() - start;
    if (status <= 0) return status;
    k->base = p->reading.schema->base;
    k->pause = p->direct && !hsp_stream_ready(p->stream);
    return status;
}

/* ---- work: on all threads ---- */

/* Makes ids, which count from the file's base, count from 0. */
static void subtract_base(predict_piece *k, hsp_block *block) {
    uint32_t base = (uint32_t)k->base;
    k->bad_line = 0;
    if (block->dense || base == 0 || block->rows == 0) return;
    for (int64_t i = 0; i < block->rows; i++) {
        if (block->row[i] == block->row[i + 1] || block->id[block->row[i]] >= base) continue;
        k->bad_line = block->line[i];
        block->rows = i;
    }
    for (int64_t t = 0; t < block->row[block->rows]; t++) block->id[t] -= base;
}

/* Encodes the rows of a table. A fault ends the piece; place makes its message. */
static int encode_rows(const prediction *p, predict_piece *k) {
    const hsp_encoding *e = p->m->prepare.encoding;
    k->rows = e ? &k->encoded : &k->parcel.block;
    k->fault = 0;
    k->unseen_cells.by_value = p->unseen_cells.by_value;
    hsp_unseen_clear(&k->unseen_cells);
    if (!e) return 0;
    if (p->bad.skips)
        return hsp_encode_good_rows(e, &k->parcel.block, &k->encode_room, &k->encoded, &k->unseen_cells, &k->bad);
    k->fault = hsp_encode_block(e, &k->parcel.block, NULL, &k->encode_room, &k->encoded, &k->unseen_cells, NULL);
    return k->fault == HSP_EMEMORY ? HSP_EMEMORY : 0;
}

/* Formats the lines of the rows from `first` on; returns the next row. */
static int64_t answer_rows(const prediction *p, predict_piece *k, int64_t first) {
    return hsp_answers_rows(&p->answers, k->rows, first, TEXT_LIMIT, p->answers.kept > 0 ? &k->kept : NULL, &k->scratch,
                            k->predicted, &k->unseen, &k->text);
}

static int predict_rows(prediction *p, predict_piece *k) {
    if (encode_rows(p, k)) return HSP_EMEMORY;
    hsp_block *block = k->rows;
    subtract_base(k, block);
    if (hsp_reserve((void **)&k->predicted, &k->predicted_capacity, block->rows, sizeof *k->predicted) ||
        hsp_reserve((void **)&k->truth, &k->truth_capacity, block->rows, sizeof *k->truth))
        return HSP_EMEMORY;
    if (p->answers.kept > 0 && hsp_reading_keep(&p->reading, &k->parcel, block, &k->kept)) return HSP_EMEMORY;
    k->answered = answer_rows(p, k, 0);
    if (k->text.failed) return HSP_EMEMORY;
    if (block->labelled && atomic_load_explicit(&p->all_known, memory_order_relaxed)) {
        k->known = hsp_true_labels_read(&k->true_labels, block, k->truth);
        if (k->known < 0) return HSP_EMEMORY;
    }
    return 0;
}

static void predict_piece_rows(void *ctx, int slot) {
    prediction *p = ctx;
    predict_piece *k = &p->pieces[slot];
    double start = hsp_clock_seconds();
    hsp_reading_parse(&p->reading, &k->parcel);
    double read = hsp_clock_seconds();
    hsp_text_clear(&k->text);
    k->unseen = k->known = 0;
    k->failed = predict_rows(p, k);
    k->read_seconds = read - start;
    k->predict_seconds = hsp_clock_seconds() - read;
    hsp_advance_rows(&p->advance, k->rows->rows);
}

/* ---- place: one at a time, in order ---- */

/* Sums in the order of the rows: the same bits however the file is cut. */
static int add_figures(prediction *p, const predict_piece *k) {
    const hsp_block *block = k->rows;
    p->rows += block->rows;
    p->unseen += k->unseen;
    if (hsp_unseen_join(&p->unseen_cells, &k->unseen_cells)) return HSP_EMEMORY;
    if (!block->labelled) return 0;
    p->labelled += block->rows;
    if (k->known < block->rows) {
        atomic_store_explicit(&p->all_known, false, memory_order_relaxed);
        return 0;
    }
    for (int64_t i = 0; i < block->rows; i++) {
        double weight = block->weighted ? block->weight[i] : 1;
        p->mass += weight;
        if (p->m->prepare.regression) {
            long double residual = (long double)k->truth[i] - (long double)k->predicted[i];
            p->squares += (long double)weight * residual * residual;
        } else if (k->truth[i] == k->predicted[i]) {
            p->correct += weight;
        }
    }
    return 0;
}

static int write_lines(prediction *p, predict_piece *k, hsp_error **err) {
    const hsp_block *block = k->rows;
    for (;;) {
        if (k->text.failed) return hsp_fail_memory(err);
        int status = hsp_out_write(p->out, k->text.s, k->text.length, err);
        if (status) return status;
        if (k->answered == block->rows) break;
        hsp_text_clear(&k->text);
        k->answered = answer_rows(p, k, k->answered);
    }
    return k->pause || p->terminal ? hsp_out_flush(p->out, err) : 0;
}

static int place_piece(prediction *p, predict_piece *k, hsp_error **err) {
    if (k->failed) return hsp_fail_memory(err);
    int status = hsp_reading_take(&p->reading, &k->parcel, err);
    if (!status) status = write_lines(p, k, err);
    if (!status) status = hsp_bad_output_add(&p->bad, &k->bad, hsp_stream_name(p->stream), k->parcel.block.line_base, err);
    if (status) return status;
    if (add_figures(p, k)) return hsp_fail_memory(err);
    const hsp_encoding *e = p->m->prepare.encoding;
    if (e) status = hsp_unseen_check(&p->unseen_cells, &e->raw, p->o, hsp_stream_name(p->stream), err);
    if (status) return status;
    if (k->bad_line > 0) {
        hsp_place at = {hsp_stream_name(p->stream), k->parcel.block.line_base + k->bad_line, 0};
        return hsp_fail_at(err, HSP_EINPUT, at, "feature 0, but features are numbered from 1: use --base 0");
    }
    if (k->fault < 0) /* again, for the message: the line numbers are known now */
        return hsp_encode_block(p->m->prepare.encoding, &k->parcel.block, hsp_stream_name(p->stream), &k->encode_room,
                                &k->encoded, &k->unseen_cells, err);
    return hsp_reading_fault(&p->reading, &k->parcel, err);
}

static int place_and_time(void *ctx, int slot) {
    prediction *p = ctx;
    predict_piece *k = &p->pieces[slot];
    double start = hsp_clock_seconds();
    int status = place_piece(p, k, &p->place_error);
    p->spent.read += k->read_seconds;
    p->spent.predict += k->predict_seconds + hsp_clock_seconds() - start;
    return status;
}

/* ---- the whole ---- */

static int make_pieces(prediction *p, hsp_error **err) {
    const char *map = hsp_options_text(p->o, "map-label");
    p->pieces = hsp_alloc_zero(p->slots, sizeof *p->pieces);
    if (!p->pieces) return hsp_fail_memory(err);
    for (int i = 0; i < p->slots; i++) {
        if (p->bad.skips) p->pieces[i].parcel.bad = &p->pieces[i].bad;
        hsp_true_labels_init(&p->pieces[i].true_labels, &p->m->prepare, map);
        if (hsp_answers_scratch_new(&p->pieces[i].scratch, &p->answers)) return hsp_fail_memory(err);
    }
    return 0;
}

static void free_pieces(prediction *p) {
    for (int i = 0; p->pieces && i < p->slots; i++) {
        predict_piece *k = &p->pieces[i];
        hsp_parcel_free(&k->parcel);
        hsp_block_free(&k->encoded);
        hsp_encode_room_free(&k->encode_room);
        hsp_unseen_clear(&k->unseen_cells);
        hsp_bad_rows_free(&k->bad);
        hsp_kept_free(&k->kept);
        hsp_text_free(&k->text);
        HSP_FREE(k->predicted, k->truth);
        hsp_answers_scratch_free(&k->scratch);
        hsp_true_labels_free(&k->true_labels);
    }
    hsp_unseen_clear(&p->unseen_cells);
    hsp_free(p->pieces);
}

/* Rejects options that contradict the model, even if no row has a label. */
static int check_options(const prediction *p, hsp_error **err) {
    const char *map = hsp_options_text(p->o, "map-label");
    int status = hsp_read_check(p->o, p->m->prepare.regression, err);
    if (status || !map) return status;
    hsp_labels *labels = NULL;
    status = hsp_labels_new(hsp_prepare_labels(&p->m->prepare), map, &labels, err);
    hsp_labels_free(labels);
    return status;
}

/* The names of the kept columns as cells, a comma after each. */
static void name_kept(const prediction *p, hsp_text *out) {
    hsp_text name = {0};
    for (int64_t k = 0; k < p->answers.kept; k++) {
        hsp_text_clear(&name);
        hsp_reading_keep_name(&p->reading, k, &name);
        if (!name.failed) hsp_csv_cell(out, name.s, name.length, ',');
        hsp_text_char(out, ',');
        out->failed = out->failed || name.failed;
    }
    hsp_text_free(&name);
}

static int open_output(prediction *p, const char *path, hsp_error **err) {
    hsp_text header = {0}, kept = {0};
    p->answers.kept = hsp_reading_kept(&p->reading);
    int status = hsp_bad_output_open(&p->bad, p->o, err);
    if (!status) status = hsp_out_open(path, '?', &p->out, err);
    if (status) return status;
    p->direct = hsp_out_is_direct(p->out);
    p->terminal = hsp_out_is_terminal(p->out);
    name_kept(p, &kept);
    hsp_answers_header(&p->answers, kept.s, &header);
    status = header.failed || kept.failed ? hsp_fail_memory(err) : hsp_out_write(p->out, header.s, header.length, err);
    if (!status && p->terminal) status = hsp_out_flush(p->out, err);
    hsp_text_free(&header);
    hsp_text_free(&kept);
    return status;
}

static int run_pieces(prediction *p, hsp_error **err) {
    int threads = hsp_pool_threads(hsp_options_int(p->o, "threads", 0));
    p->slots = hsp_pipeline_slots(threads);
    int status = make_pieces(p, err);
    if (status) return status;
    const hsp_pipeline line = {.slots = p->slots,
                               .threads = threads,
                               .ctx = p,
                               .fetch = fetch_piece,
                               .work = predict_piece_rows,
                               .place = place_and_time};
    status = hsp_pipeline_run(&line);
    if (!status) status = hsp_reading_finish(&p->reading, &p->place_error);
    if (!status && hsp_advance_rows(&p->advance, 0)) status = fail_cancelled(&p->place_error);
    if (p->place_error) hsp_error_pass(err, p->place_error);
    if (p->fetch_error) hsp_error_pass(err, p->fetch_error);
    if (status || p->rows > 0) return status;
    if (p->bad.count > 0)
        return hsp_fail(err, HSP_EINPUT, "%s (all %lld rows are bad)", p->bad.first.s, (long long)p->bad.count);
    return hsp_fail_file(err, hsp_stream_name(p->stream), "no rows: give a file with data");
}

/* `seconds` is wall-clock time, told apart by how long the threads were busy with each, or waited for the input. */
static int make_report(const prediction *p, const char *out, double seconds, hsp_report **report, hsp_error **err) {
    hsp_json j = {0};
    char rule[HSP_MODEL_DECISION];
    bool labelled = p->labelled == p->rows, known = labelled && p->all_known && p->mass > 0;
    bool regression = p->m->prepare.regression;
    double rmse = (double)fminl(sqrtl(p->squares / (long double)p->mass), (long double)DBL_MAX);
    double read = p->spent.fetch + p->spent.read, busy = read + p->spent.predict;
    double share = busy > 0 ? read / busy : 1;
    hsp_json_object(&j, NULL);
    hsp_json_int(&j, "rows", p->rows);
    hsp_json_object(&j, "seconds");
    hsp_json_number(&j, "read", seconds * share);
    hsp_json_number(&j, "predict", seconds * (1 - share));
    hsp_json_object_end(&j);
    hsp_json_int(&j, "unseen_values", p->unseen);
    if (p->m->prepare.encoding) {
        const hsp_schema *s = p->reading.schema;
        hsp_text names = {0};
        hsp_schema_name_absent(s, &names);
        hsp_unseen_report(&p->unseen_cells, &p->m->prepare.encoding->raw, hsp_schema_absent(s), names.s, &j);
        if (names.failed) hsp_json_fail(&j);
        hsp_text_free(&names);
    }
    hsp_json_int(&j, "bad_rows", p->bad.count);
    hsp_json_string(&j, "first_bad_row", p->bad.first.s);
    hsp_json_bool(&j, "labelled", labelled);
    hsp_json_number(&j, "accuracy", known && !regression ? p->correct / p->mass : (double)NAN);
    hsp_json_number(&j, "rmse", known && regression ? rmse : (double)NAN);
    /* In a file of another format columns are matched by position. */
    const char *format = p->reading.schema->format;
    hsp_json_bool(&j, "columns_in_order", !(format && strcmp(format, p->m->prepare.schema.format) == 0));
    hsp_json_string(&j, "decision", hsp_model_decision(p->m, rule));
    hsp_json_string(&j, "output", out);
    hsp_json_string(&j, "assumed", p->reading.assumed->s);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, report, err);
}

/* m decides as it is asked to. */
static int predict_stream(const hsp_model *m, hsp_stream *stream, const char *out, const hsp_options *o,
                          const hsp_hooks *hooks, hsp_report **report, hsp_error **err) {
    prediction p = {.m = m, .o = o, .stream = stream, .all_known = true};
    bool *by_value = NULL; /* of hsp_unseen */
    hsp_advance_begin(&p.advance, hooks, "predict", 0);
    int status = hsp_answers_init(&p.answers, m, o, err);
    if (!status) {
        double start = hsp_clock_seconds();
        status = hsp_advance_stopped(&p.advance) ? fail_cancelled(err) : check_options(&p, err);
        if (!status) status = hsp_reading_open(&p.reading, p.stream, p.o, hsp_prepare_columns(&p.m->prepare), err);
        const hsp_encoding *e = p.m->prepare.encoding;
        if (!status && e) status = hsp_unseen_by_value(p.o, e, hsp_stream_name(p.stream), &by_value, err);
        p.unseen_cells.by_value = by_value;
        p.spent.fetch = hsp_clock_seconds() - start;
        if (!status) status = open_output(&p, out, err);
        if (!status) status = run_pieces(&p, err);
        if (!status && report) status = make_report(&p, out, hsp_clock_seconds() - start, report, err);
    }
    status = hsp_bad_output_close(&p.bad, status, err);
    if (status) {
        hsp_out_abandon(p.out);
    } else {
        status = hsp_out_commit(p.out, err);
    }
    if (status && report) {
        hsp_report_free(*report);
        *report = NULL;
    }
    free_pieces(&p);
    hsp_reading_close(&p.reading);
    hsp_answers_clear(&p.answers);
    hsp_free(by_value);
    return status;
}

int hsp_predict_stream(const hsp_model *m, hsp_stream *stream, const char *out, const hsp_options *o,
                       const hsp_hooks *hooks, hsp_report **report, hsp_error **err) {
    hsp_model deciding;
    if (report) *report = NULL;
    const char *rule = hsp_options_is_set(o, "decide") ? hsp_options_text(o, "decide") : NULL;
    int status = hsp_model_decide_by(m, rule, &deciding, err);
    return status ? status : predict_stream(&deciding, stream, out, o, hooks, report, err);
}

int hsp_predict(const hsp_model *m, const char *in, const char *out, const hsp_options *o, const hsp_hooks *hooks,
                hsp_report **report, hsp_error **err) {
    if (report) *report = NULL;
    hsp_stream *stream = NULL;
    int status = hsp_stream_open(in, &stream, err);
    if (!status) status = hsp_predict_stream(m, stream, out, o, hooks, report, err);
    hsp_stream_close(stream);
    return status;
}
