/* Splits a file into training and test rows. Rows of a text file are copied as they are; where a part has another format than
 * the file, its rows are read as data and written. Both ways draw the same rows. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/watched.h"
#include "data/data.h"
#include "data/draw.h"
#include "option/options.h"
#include "read/raw_file.h"
#include "read/reader.h"
#include "read/stream.h"
#include "write/file_source.h"
#include "write/label_tally.h"
#include "write/number_tally.h"
#include "write/row_output.h"
#include "write/writer.h"

#include <string.h>

typedef struct split_output {
    const char *path; /* borrowed */
    const hsp_writer *writer;
    bool copies;              /* its rows are copied as they are */
    int64_t *count;           /* owned: of copied rows, rows of each class */
    int64_t rows;             /* of copied rows */
    hsp_number_tally numbers; /* likewise */
    hsp_data *data;           /* owned: the part as data; NULL: copied */
} split_output;

typedef struct splitting {
    hsp_file_source source;
    split_output part[2]; /* training, test */
} splitting;

/* ---- what can be copied ---- */

/* CSV stays CSV with any delimiter. */
static bool has_same_format(const hsp_reader_kind *kind, const hsp_writer *w) {
    return kind->raw && (w->delimiter ? kind->as_table != NULL : strcmp(kind->name, w->name) == 0);
}

/* Options that ask for other content than that of the file. */
static int check_copied(const hsp_options *o, hsp_error **err) {
    static const char *const options[] = {"map-label", "ignore", "missing", "missing-values"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (hsp_options_is_set(o, options[i]))
            return hsp_fail(
                err, HSP_EUSAGE, "split copies rows as they are, and --%s would change them: %s, or leave the option out",
                options[i], i < 3 ? "use it with `halfspace convert` first" : "give it to the command that trains");
    return 0;
}

/* The delimiter to put in place of the file's; 0: rows are copied byte by byte. The ending .tsv promises tabs, and only .tsv
 * does. */
static char new_delimiter(const hsp_file_source *s, const hsp_writer *w) {
    char found = s->raw->table.marks.delimiter;
    if (!w->delimiter) return 0;
    if (w->delimiter == '\t') return found == '\t' ? 0 : '\t';
    return found == '\t' && hsp_path_ends(s->path, ".tsv") ? w->delimiter : 0;
}

static int choose_outputs(splitting *s, hsp_error **err) {
    hsp_file_source *from = &s->source;
    int status = 0;
    for (int i = 0; i < 2 && status == 0; i++) {
        status = hsp_writer_choose(s->part[i].path, from->o, from->kind->name, &s->part[i].writer, err);
        s->part[i].copies = status == 0 && has_same_format(from->kind, s->part[i].writer);
    }
    if (status == 0 && (s->part[0].copies || s->part[1].copies)) status = check_copied(from->o, err);
    if (status < 0 || s->part[0].copies == s->part[1].copies || hsp_stream_regular(from->stream)) return status;
    return hsp_fail(err, HSP_EUSAGE, "%s can be read only once: write both parts as %s, or neither",
                    hsp_stream_name(from->stream), from->kind->name);
}

/* ---- copied rows ---- */

static int draw_and_copy(splitting *s, hsp_draw *draw, hsp_row_output *out, hsp_error **err) {
    hsp_file_source *from = &s->source;
    bool stratify = from->labels.need != NULL;
    for (int64_t i = 0; i < from->rows; i++) {
        hsp_raw_row row;
        int status = hsp_file_source_next(from, &row, err);
        if (status < 0) return status;
        int64_t class = from->labels.known ? hsp_label_tally_class(&from->labels, &row, err) : 0;
        if (class < 0) return (int)class;
        bool test = hsp_draw_row(draw, stratify ? class : 0);
        split_output *part = &s->part[test];
        part->rows++;
        if (part->count) part->count[class]++;
        status = hsp_number_tally_add(&part->numbers, from->raw, &row, err);
        if (status < 0) return status;
        if (!part->copies) continue;
        status = hsp_row_output_add(&out[test], &row, err);
        if (status < 0) return status;
    }
    return 0;
}

/* Warns when the parts would be read in another way than the file. */
static int warn_of_parts(splitting *s, const hsp_row_output *out, hsp_error **err) {
    const hsp_hooks *hooks = s->source.hooks;
    bool logs = hooks && hooks->size >= offsetof(hsp_hooks, log) + sizeof hooks->log && hooks->log;
    int status = 0;
    for (int i = 0; i < 2 && status == 0 && logs; i++) {
        hsp_text note = {0};
        if (s->part[i].copies) status = hsp_row_output_doubt(&out[i], s->part[i].path, &note, err);
        if (status == 0 && note.length > 0) hooks->log(hooks->user, -1, note.s);
        hsp_text_free(&note);
    }
    return status;
}

static int copy_parts(splitting *s, hsp_error **err) {
    hsp_file_source *from = &s->source;
    hsp_row_output out[2] = {{0}};
    hsp_draw draw = {0};
    int status = hsp_file_source_scan(from, false, err);
    if (status < 0) return status;
    bool stratify = from->labels.need != NULL;
    status = hsp_draw_begin(&draw, from->o, stratify ? from->labels.count : &from->rows,
                            stratify ? from->labels.classes.count : 1, err);
    for (int i = 0; i < 2 && status == 0; i++) {
        split_output *part = &s->part[i];
        part->numbers.targets.known = from->numbers.targets.known;
        part->numbers.weights.known = from->numbers.weights.known;
        if (from->labels.known && !HSP_ALLOC_ZERO(part->count, from->labels.classes.count)) status = hsp_fail_memory(err);
        if (status == 0 && part->copies)
            status = hsp_row_output_open(&out[i], part->path, from->raw, new_delimiter(from, part->writer), NULL, err);
    }
    if (status == 0) status = draw_and_copy(s, &draw, out, err);
    if (status == 0) status = warn_of_parts(s, out, err);
    for (int i = 0; i < 2 && status == 0; i++)
        if (s->part[i].copies) status = hsp_row_output_commit(&out[i], err);
    for (int i = 0; i < 2; i++) hsp_row_output_abandon(&out[i]);
    hsp_draw_end(&draw);
    return status;
}

/* ---- rows as data ---- */

static int write_data(splitting *s, hsp_data *data, hsp_error **err) {
    const hsp_options *o = s->source.o;
    int status = hsp_data_split(data, o, &s->part[0].data, &s->part[1].data, err);
    for (int i = 0; i < 2 && status == 0; i++)
        if (!s->part[i].copies) status = hsp_data_write(s->part[i].data, s->part[i].path, o, err);
    return status;
}

/* ---- the report ---- */

static int report_part(const splitting *s, const split_output *part, const char *name, hsp_json *j, hsp_error **err) {
    static const char *const names[] = {"rows", "classes", "targets", "weights", NULL};
    hsp_report *tree = NULL;
    int status = part->data ? hsp_data_report(part->data, &tree, err) : 0;
    if (status < 0) return status;
    hsp_json_object(j, name);
    if (tree) {
        hsp_copy_members(tree, names, j);
    } else {
        hsp_json_int(j, "rows", part->rows);
        hsp_label_tally_report(&s->source.labels, part->count, j);
        hsp_number_tally_report(&part->numbers, s->source.raw, j);
    }
    hsp_json_string(j, "output", part->path);
    hsp_json_object_end(j);
    hsp_report_free(tree);
    return 0;
}

/* tree: of the data; NULL: all rows were copied. */
static int report_split(const splitting *s, const hsp_report *tree, hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_file_source_report(&s->source, tree, &j);
    int status = report_part(s, &s->part[0], "train", &j, err);
    if (status == 0) status = report_part(s, &s->part[1], "test", &j, err);
    hsp_file_source_seconds(&s->source, tree, &j);
    hsp_json_object_end(&j);
    if (status == 0) return hsp_json_take(&j, out, err);
    hsp_json_drop(&j);
    return status;
}

static int split_file(splitting *s, hsp_report **out, hsp_error **err) {
    hsp_data *data = NULL;
    hsp_report *tree = NULL;
    bool any_data = !s->part[0].copies || !s->part[1].copies;
    int status = s->part[0].copies || s->part[1].copies ? copy_parts(s, err) : 0;
    if (status == 0 && any_data) status = hsp_file_source_data(&s->source, &data, err);
    if (status == 0 && any_data) status = hsp_data_report(data, &tree, err);
    if (status == 0 && any_data) status = write_data(s, data, err);
    if (status == 0) status = report_split(s, tree, out, err);
    hsp_report_free(tree);
    hsp_data_free(data);
    return status;
}

int hsp_file_split(const char *in, const char *train, const char *test, const hsp_options *o, const hsp_hooks *hooks,
                   hsp_report **report, hsp_error **err) {
    *report = NULL;
    splitting s = {.part = {{.path = train}, {.path = test}}};
    hsp_watch watch;
    int status = hsp_watch_begin(&watch, hooks, "split")
                     ? hsp_fail(err, HSP_ECANCELLED, "interrupted before the rows were split: no file was written")
                     : hsp_file_source_open(&s.source, in, o, hooks, err);
    if (status == 0) status = choose_outputs(&s, err);
    if (status == 0) status = split_file(&s, report, err);
    hsp_watch_end(&watch);
    for (int i = 0; i < 2; i++) {
        hsp_free(s.part[i].count);
        hsp_data_free(s.part[i].data);
    }
    hsp_file_source_close(&s.source);
    return status;
}
