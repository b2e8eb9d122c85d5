/* Predicting as a stream: a block of rows is read, scored and printed before the next one is looked at, so memory does not
 * grow with the data. The output appears whole or, when anything goes wrong, not at all. */
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "data/labels.h"
#include "model/model.h"
#include "read/reader.h"
#include "read/writer.h"

#include <string.h>

typedef struct prediction {
    const hsp_model *m;
    const hsp_options *o;
    const char *file; /* of the data, for errors */
    bool scores;      /* to be printed */
    double *score;    /* of one row: outputs */
    hsp_text cells;   /* the classes' names as CSV cells, one after the other ... */
    int64_t *cell;    /* ... and where each begins: classes + 1 */
    hsp_text text;    /* of one block */
    hsp_out *out;
    int64_t rows, labelled, correct, unseen;
    bool judged;   /* all labels so far are classes of the model */
    bool in_order; /* the rows are not in the model's format: columns are matched by their order alone */
    double read_seconds, predict_seconds;
} prediction;

/* "score:NAME" */
static void score_cell(hsp_text *t, const char *name) {
    hsp_text whole = {0};
    hsp_text_add(&whole, "score:");
    hsp_text_add(&whole, name);
    if (whole.failed)
        t->failed = true;
    else
        hsp_csv_cell(t, whole.s, whole.length, ',');
    hsp_text_free(&whole);
}

static void print_header(prediction *p) {
    hsp_text_add(&p->text, "prediction");
    if (p->scores && p->m->outputs == 1) hsp_text_add(&p->text, ",score");
    for (int64_t k = 0; p->scores && p->m->outputs > 1 && k < p->m->outputs; k++) {
        hsp_text_char(&p->text, ',');
        score_cell(&p->text, p->m->prepare.classes.name[k]);
    }
    hsp_text_char(&p->text, '\n');
}

/* Room for the scores of a row, the cells of the classes, the header line. */
static int begin(prediction *p, hsp_error **err) {
    const hsp_classes *classes = &p->m->prepare.classes;
    p->score = hsp_alloc(p->m->outputs, sizeof *p->score);
    p->cell = hsp_alloc(classes->count + 1, sizeof *p->cell);
    if (!p->score || !p->cell) return hsp_fail_memory(err);
    p->cell[0] = 0;
    for (int64_t k = 0; k < classes->count; k++) {
        hsp_csv_cell(&p->cells, classes->name[k], (int64_t)strlen(classes->name[k]), ',');
        p->cell[k + 1] = p->cells.length;
    }
    print_header(p);
    return p->cells.failed ? hsp_fail_memory(err) : 0;
}

/* How many of the block's rows were told right; ends the judging at the first label that is no class of the model, since
 * an accuracy over some of the rows would mislead. */
static int judge_labels(prediction *p, const hsp_block *block, const int32_t *predicted, hsp_error **err) {
    hsp_labels *labels = NULL;
    hsp_classes none = {0};
    int32_t *y = NULL;
    int status = hsp_labels_new(&p->m->prepare.classes, hsp_options_text(p->o, "map-label"), &labels, err);
    if (status) return status;
    for (int64_t i = 0; i < block->rows && !status; i++) {
        const char *label = block->text + block->label[i];
        status = hsp_labels_add(labels, label, block->label[i + 1] - block->label[i], (hsp_place){0}, NULL);
    }
    if (!status) status = hsp_labels_finish(labels, &none, &y, NULL);
    for (int64_t i = 0; !status && i < block->rows; i++) p->correct += y[i] == predicted[i];
    if (status) p->judged = false;
    hsp_free(y);
    hsp_classes_clear(&none);
    hsp_labels_free(labels);
    return status == HSP_EMEMORY ? hsp_fail_memory(err) : 0;
}

/* Ids in the block count from the file's base; the model's columns count from 0. */
static int take_off_base(const prediction *p, hsp_block *block, int base, hsp_error **err) {
    if (block->dense || base == 0) return 0;
    for (int64_t i = 0; i < block->rows; i++) {
        if (block->row[i] < block->row[i + 1] && block->id[block->row[i]] < (uint32_t)base) {
            return hsp_fail_at(err, HSP_EINPUT, (hsp_place){p->file, block->line[i], 0},
                               "feature 0, but the first one is 1: use --base 0");
        }
        for (int64_t t = block->row[i]; t < block->row[i + 1]; t++) block->id[t] -= (uint32_t)base;
    }
    return 0;
}

static hsp_row block_row(const hsp_block *block, int64_t i) {
    if (block->dense) return (hsp_row){block->d, NULL, block->value + i * block->d, HSP_FLOAT64};
    int64_t begin_at = block->row[i];
    return (hsp_row){block->row[i + 1] - begin_at, block->id + begin_at, block->value + begin_at, HSP_FLOAT64};
}

static void print_row(prediction *p, int64_t class) {
    hsp_text_add_n(&p->text, p->cells.s + p->cell[class], p->cell[class + 1] - p->cell[class]);
    for (int64_t k = 0; p->scores && k < p->m->outputs; k++) {
        hsp_text_char(&p->text, ',');
        hsp_text_number(&p->text, p->score[k]);
    }
    hsp_text_char(&p->text, '\n');
}

static int predict_block(prediction *p, hsp_block *block, int base, int32_t *predicted, hsp_error **err) {
    int status = take_off_base(p, block, base, err);
    if (status) return status;
    for (int64_t i = 0; i < block->rows; i++) {
        p->unseen += hsp_model_score(p->m, block_row(block, i), p->score);
        predicted[i] = (int32_t)hsp_model_decide(p->m, p->score);
        print_row(p, predicted[i]);
    }
    p->rows += block->rows;
    if (block->labelled) p->labelled += block->rows;
    if (block->labelled && p->judged) status = judge_labels(p, block, predicted, err);
    if (status) return status;
    if (p->text.failed) return hsp_fail_memory(err);
    status = hsp_out_write(p->out, p->text.s, p->text.length, err);
    hsp_text_clear(&p->text);
    return status;
}

static int predict_blocks(prediction *p, const hsp_reader_kind *kind, hsp_reader *reader, hsp_error **err) {
    hsp_block block = {0};
    int32_t *predicted = NULL;
    int64_t capacity = 0;
    int status;
    for (;;) {
        double start = hsp_clock_seconds();
        status = kind->next(reader, &block, err);
        double read = hsp_clock_seconds();
        p->read_seconds += read - start;
        if (status <= 0) break;
        status = hsp_reserve((void **)&predicted, &capacity, block.rows, sizeof *predicted) ? hsp_fail_memory(err) : 0;
        if (!status) status = predict_block(p, &block, kind->schema(reader)->base, predicted, err);
        p->predict_seconds += hsp_clock_seconds() - read;
        if (status) break;
        if (hsp_cancel_take()) {
            status = hsp_fail(err, HSP_ECANCELLED, "interrupted before all rows were predicted: no file was written");
            break;
        }
    }
    if (!status && p->rows == 0) {
        status = hsp_fail_at(err, HSP_EINPUT, (hsp_place){.file = p->file}, "has no rows: give a file with data");
    }
    hsp_free(predicted);
    hsp_block_free(&block);
    return status;
}

static int make_report(const prediction *p, const char *out, const char *assumed, char **report, hsp_error **err) {
    hsp_text t = {0};
    hsp_json j = {.out = &t};
    bool labelled = p->labelled == p->rows;
    hsp_json_object(&j, NULL);
    hsp_json_int(&j, "rows", p->rows);
    hsp_json_object(&j, "seconds");
    hsp_json_number(&j, "read", p->read_seconds);
    hsp_json_number(&j, "predict", p->predict_seconds);
    hsp_json_object_end(&j);
    hsp_json_int(&j, "unseen_values", p->unseen);
    hsp_json_bool(&j, "labelled", labelled);
    if (labelled && p->judged) {
        hsp_json_number(&j, "accuracy", (double)p->correct / (double)p->rows);
    } else {
        hsp_json_null(&j, "accuracy");
    }
    hsp_json_bool(&j, "columns_in_order", p->in_order);
    hsp_json_string(&j, "output", out);
    hsp_json_string(&j, "assumed", assumed);
    hsp_json_object_end(&j);
    return hsp_text_take(&t, report, err);
}

static int predict_stream(prediction *p, hsp_stream *stream, const char *out, char **report, hsp_error **err) {
    const hsp_reader_kind *kind = NULL;
    hsp_reader *reader = NULL;
    double start = hsp_clock_seconds();
    int status = hsp_reader_choose(stream, p->o, &kind, err);
    if (!status) status = kind->open(stream, p->o, &p->m->prepare.schema, &reader, err);
    p->read_seconds += hsp_clock_seconds() - start;
    if (!status) p->in_order = strcmp(kind->name, p->m->prepare.schema.format) != 0;
    if (!status) status = begin(p, err);
    if (!status) status = hsp_out_open(out, '?', &p->out, err);
    if (!status) status = predict_blocks(p, kind, reader, err);
    if (!status && report) status = make_report(p, out, kind->assumed(reader), report, err);
    if (reader) kind->free(reader);
    return status;
}

int hsp_predict(const hsp_model *m, const char *in, const char *out, const hsp_options *o, const hsp_hooks *hooks,
                char **report, hsp_error **err) {
    (void)hooks; /* the report says what was assumed */
    if (report) *report = NULL;
    prediction p = {.m = m, .o = o, .scores = hsp_options_flag(o, "scores"), .judged = true};
    hsp_stream *stream = NULL;
    int status = hsp_stream_open(in, &stream, err);
    if (!status) {
        p.file = hsp_stream_name(stream);
        status = predict_stream(&p, stream, out, report, err);
    }
    if (status) {
        hsp_out_abandon(p.out);
    } else {
        status = hsp_out_commit(p.out, err);
    }
    if (status && report) {
        hsp_free(*report);
        *report = NULL;
    }
    hsp_stream_close(stream);
    hsp_free(p.score);
    hsp_free(p.cell);
    hsp_text_free(&p.cells);
    hsp_text_free(&p.text);
    return status;
}
