/* Predicting as a stream: a block of rows is read, scored and printed before the next one is looked at, so memory does not
 * grow with the data. The output appears whole or, when anything goes wrong, not at all. */
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "data/labels.h"
#include "model/model.h"
#include "read/reader.h"
#include "read/writer.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct prediction {
    const hsp_model *m;
    const hsp_options *o;
    const char *file;           /* of the data, for errors */
    bool scores, probabilities; /* to be printed */
    int64_t directions;         /* whose projections are to be printed */
    double *score;              /* of one row: outputs */
    double *p;                  /* of one row: classes */
    double *z;                  /* of one row: directions */
    hsp_text cells;             /* the classes' names as CSV cells, one after the other ... */
    int64_t *cell;              /* ... and where each begins: classes + 1 */
    hsp_text text;              /* of one block */
    hsp_out *out;
    int64_t rows, labelled, unseen;
    double correct;      /* sum of the weights of the rows told right ... */
    double mass;         /* ... and of all that were judged */
    long double squares; /* regression: weighted sum of the squared residuals */
    bool judged;         /* all labels so far are classes of the model, or numbers */
    bool in_order;       /* the rows are not in the model's format: columns are matched by their order alone */
    double read_seconds, predict_seconds;
} prediction;

/* ",score:NAME" and the like */
static void name_cell(hsp_text *t, const char *prefix, const char *name) {
    hsp_text whole = {0};
    hsp_text_add(&whole, prefix);
    hsp_text_add(&whole, name);
    hsp_text_char(t, ',');
    if (whole.failed)
        t->failed = true;
    else
        hsp_csv_cell(t, whole.s, whole.length, ',');
    hsp_text_free(&whole);
}

static void print_header(prediction *p) {
    const hsp_classes *classes = &p->m->prepare.classes;
    hsp_text_add(&p->text, "prediction");
    if (p->scores && p->m->outputs == 1) hsp_text_add(&p->text, ",score");
    for (int64_t k = 0; p->scores && p->m->outputs > 1 && k < p->m->outputs; k++) {
        name_cell(&p->text, "score:", classes->name[k]);
    }
    for (int64_t k = 0; p->probabilities && k < classes->count; k++) name_cell(&p->text, "p:", classes->name[k]);
    for (int64_t j = 1; j <= p->directions; j++) hsp_text_format(&p->text, ",z%lld", (long long)j);
    hsp_text_char(&p->text, '\n');
}

/* What is asked for must be in the model. */
static int choose_columns(prediction *p, hsp_error **err) {
    const hsp_model *m = p->m;
    p->scores = hsp_options_flag(p->o, "scores");
    p->probabilities = hsp_options_flag(p->o, "proba");
    if (p->probabilities && m->link == HSP_LINK_NONE) return hsp_model_no_probabilities(m, err);
    if (!hsp_options_flag(p->o, "project")) return 0;
    const hsp_extra *directions = hsp_model_extra(m, "directions");
    if (!directions) {
        return hsp_fail(err, HSP_EUSAGE, "a model of %s has no discriminant directions: train with fisher or lda",
                        m->algorithm);
    }
    p->directions = directions->rows;
    return 0;
}

/* Room for the figures of a row, the cells of the classes, the header line. */
static int begin(prediction *p, hsp_error **err) {
    const hsp_classes *classes = &p->m->prepare.classes;
    p->score = hsp_alloc(p->m->outputs, sizeof *p->score);
    p->p = hsp_alloc(classes->count + 1, sizeof *p->p);
    p->z = hsp_alloc(p->directions + 1, sizeof *p->z);
    p->cell = hsp_alloc(classes->count + 1, sizeof *p->cell);
    if (!p->score || !p->p || !p->z || !p->cell) return hsp_fail_memory(err);
    p->cell[0] = 0;
    for (int64_t k = 0; k < classes->count; k++) {
        hsp_csv_cell(&p->cells, classes->name[k], (int64_t)strlen(classes->name[k]), ',');
        p->cell[k + 1] = p->cells.length;
    }
    print_header(p);
    return p->cells.failed ? hsp_fail_memory(err) : 0;
}

static double weight_of(const hsp_block *block, int64_t i) {
    return block->weighted ? block->weight[i] : 1;
}

/* The residuals of the block's rows; ends the judging at the first label that is no number. */
static void judge_numbers(prediction *p, const hsp_block *block, const double *predicted) {
    for (int64_t i = 0; i < block->rows && p->judged; i++) {
        double y;
        int64_t at = block->label[i];
        p->judged = hsp_parse_number(block->text + at, (size_t)(block->label[i + 1] - at), &y) == 0;
        if (!p->judged) return;
        long double residual = (long double)y - (long double)predicted[i], weight = (long double)weight_of(block, i);
        p->squares += weight * residual * residual;
        p->mass += (double)weight;
    }
}

/* How many of the block's rows (their weight) were told right; ends the judging at the first label that is no class of the
 * model, since an accuracy over some of the rows would mislead. */
static int judge_labels(prediction *p, const hsp_block *block, const double *predicted, hsp_error **err) {
    const int32_t *merged = p->m->prepare.merged;
    hsp_labels *labels = NULL;
    hsp_classes none = {0};
    int32_t *y = NULL;
    int status = hsp_labels_new(hsp_prepare_labels(&p->m->prepare), hsp_options_text(p->o, "map-label"), &labels, err);
    if (status) return status;
    for (int64_t i = 0; i < block->rows && !status; i++) {
        const char *label = block->text + block->label[i];
        status = hsp_labels_add(labels, label, block->label[i + 1] - block->label[i], (hsp_place){0}, NULL);
    }
    if (!status) status = hsp_labels_finish(labels, &none, &y, NULL);
    for (int64_t i = 0; !status && i < block->rows; i++) {
        int32_t class = merged ? merged[y[i]] : y[i];
        if (class == (int32_t)predicted[i]) p->correct += weight_of(block, i);
        p->mass += weight_of(block, i);
    }
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

static void print_numbers(hsp_text *t, const double *v, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        hsp_text_char(t, ',');
        hsp_text_number(t, v[k]);
    }
}

/* Scores, decides and prints a row; returns the class, or the number that regression predicts. */
static double predict_row(prediction *p, hsp_row x) {
    const hsp_model *m = p->m;
    p->unseen += hsp_model_score(m, x, p->score);
    double predicted = p->score[0];
    if (m->prepare.regression) {
        hsp_text_number(&p->text, predicted);
    } else {
        int64_t class = hsp_model_decide(m, p->score);
        hsp_text_add_n(&p->text, p->cells.s + p->cell[class], p->cell[class + 1] - p->cell[class]);
        predicted = (double)class;
    }
    if (p->scores) print_numbers(&p->text, p->score, m->outputs);
    if (p->probabilities && hsp_model_probabilities(m, p->score, p->p)) {
        print_numbers(&p->text, p->p, m->prepare.classes.count);
    }
    if (p->directions > 0) hsp_model_project(m, x, p->z);
    print_numbers(&p->text, p->z, p->directions);
    hsp_text_char(&p->text, '\n');
    return predicted;
}

static int predict_block(prediction *p, hsp_block *block, int base, double *predicted, hsp_error **err) {
    int status = take_off_base(p, block, base, err);
    if (status) return status;
    for (int64_t i = 0; i < block->rows; i++) predicted[i] = predict_row(p, block_row(block, i));
    p->rows += block->rows;
    if (block->labelled) p->labelled += block->rows;
    if (block->labelled && p->judged) {
        if (p->m->prepare.regression) {
            judge_numbers(p, block, predicted);
        } else {
            status = judge_labels(p, block, predicted, err);
        }
    }
    if (status) return status;
    if (p->text.failed) return hsp_fail_memory(err);
    status = hsp_out_write(p->out, p->text.s, p->text.length, err);
    hsp_text_clear(&p->text);
    return status;
}

static int predict_blocks(prediction *p, const hsp_reader_kind *kind, hsp_reader *reader, hsp_error **err) {
    hsp_block block = {0};
    double *predicted = NULL; /* of a block */
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
    bool labelled = p->labelled == p->rows, judged = labelled && p->judged && p->mass > 0;
    bool regression = p->m->prepare.regression;
    double rmse = (double)fminl(sqrtl(p->squares / (long double)p->mass), (long double)DBL_MAX);
    hsp_json_object(&j, NULL);
    hsp_json_int(&j, "rows", p->rows);
    hsp_json_object(&j, "seconds");
    hsp_json_number(&j, "read", p->read_seconds);
    hsp_json_number(&j, "predict", p->predict_seconds);
    hsp_json_object_end(&j);
    hsp_json_int(&j, "unseen_values", p->unseen);
    hsp_json_bool(&j, "labelled", labelled);
    hsp_json_number(&j, "accuracy", judged && !regression ? p->correct / p->mass : (double)NAN);
    hsp_json_number(&j, "rmse", judged && regression ? rmse : (double)NAN);
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
    int status = hsp_read_check(p->o, p->m->prepare.regression, err);
    if (!status) status = hsp_reader_choose(stream, p->o, &kind, err);
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
    prediction p = {.m = m, .o = o, .judged = true};
    hsp_stream *stream = NULL;
    int status = choose_columns(&p, err);
    if (!status) status = hsp_stream_open(in, &stream, err);
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
    hsp_free(p.p);
    hsp_free(p.z);
    hsp_free(p.cell);
    hsp_text_free(&p.cells);
    hsp_text_free(&p.text);
    return status;
}
