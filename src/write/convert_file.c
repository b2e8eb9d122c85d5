/* Converts a file to another format. From CSV to CSV cells keep their spelling; every other way goes through data. */
#include "base/error.h"
#include "base/json.h"
#include "base/report.h"
#include "base/watched.h"
#include "data/data.h"
#include "option/options.h"
#include "read/raw_file.h"
#include "spool/file_list.h"
#include "spool/spool.h"
#include "write/convert_files.h"
#include "write/file_source.h"
#include "write/label_tally.h"
#include "write/row_output.h"
#include "write/writer.h"

#include <string.h>

static int refuse_idle(const char *option, const char *value, hsp_error **err) {
    return hsp_fail(err, HSP_EUSAGE,
                    "CSV keeps every cell as it is spelt, so --%s%s has no effect: give it to the command that trains, or "
                    "write .svm or .hsd",
                    option, value);
}

/* Options whose effect needs the values of the cells. */
static int check_kept(const hsp_options *o, hsp_error **err) {
    const char *missing = hsp_options_text(o, "missing");
    bool drops = hsp_options_is(o, "missing", "drop");
    if (!drops && !hsp_options_is(o, "missing", "error")) return refuse_idle("missing ", missing, err);
    if (!drops && hsp_options_is_set(o, "missing-values")) return refuse_idle("missing-values", "", err);
    for (int64_t i = 0; i < hsp_option_table_size; i++) {
        const hsp_option *option = &hsp_option_table[i];
        bool encodes = strcmp(option->group, "table") == 0 && strcmp(option->name, "missing") != 0;
        if (encodes && hsp_options_is_set(o, option->name)) return refuse_idle(option->name, "", err);
    }
    if (hsp_options_is(o, "task", "regression") && hsp_options_text(o, "map-label"))
        return hsp_fail(err, HSP_EUSAGE, "--map-label is for classification, not for --task regression: leave it out");
    return 0;
}

static int copy_cells(hsp_file_source *s, const char *path, char delimiter, hsp_error **err) {
    hsp_row_output out = {0};
    int status = check_kept(s->o, err);
    if (status == 0) status = hsp_file_source_scan(s, true, err);
    if (status == 0) status = hsp_row_output_open(&out, path, s->raw, delimiter, &s->labels, err);
    for (int64_t i = 0; i < s->rows && status == 0; i++) {
        hsp_raw_row row;
        status = hsp_file_source_next(s, &row, err);
        if (status > 0) status = hsp_row_output_add(&out, &row, err);
    }
    if (status == 0) status = hsp_row_output_commit(&out, err);
    hsp_row_output_abandon(&out);
    return status;
}

static int write_data(hsp_file_source *s, const char *path, hsp_report **tree, hsp_error **err) {
    hsp_data *data = NULL;
    int status = hsp_file_source_data(s, &data, err);
    if (status == 0) status = hsp_data_report(data, tree, err);
    if (status == 0) status = hsp_data_write(data, path, s->o, err);
    hsp_data_free(data);
    return status;
}

/* Whether the rows are numbers that a second pass can read again. */
static bool can_stream(const hsp_file_source *s, const hsp_writer *writer) {
    return s->kind->seek && hsp_file_size(s->path) >= 0 && !(s->kind->as_table && writer->delimiter);
}

/* Whether the text of a file takes more than the rows may. */
static bool is_large(const hsp_file_source *s) {
    return s->kind->seek && hsp_file_size(s->path) > hsp_spool_budget(s->o);
}

/* Block by block, after an attempt that needed too much memory. */
static int write_streamed(const char *in, const char *out, const hsp_options *o, const hsp_hooks *hooks, hsp_report **report,
                          hsp_error **err) {
    char *path[] = {(char *)(uintptr_t)in}; /* not written to */
    if (err && *err) {
        hsp_error_free(*err);
        *err = NULL;
    }
    return hsp_convert_streamed(&(hsp_file_list){path, 1, 1}, out, o, hooks, report, err);
}

int hsp_file_convert(const char *in, const char *out, const hsp_options *o, const hsp_hooks *hooks, hsp_report **report,
                     hsp_error **err) {
    *report = NULL;
    hsp_file_source s = {0};
    hsp_report *tree = NULL;
    const hsp_writer *writer = NULL;
    hsp_json j = {0};
    hsp_watch watch;
    int status = hsp_watch_begin(&watch, hooks, "convert")
                     ? hsp_fail(err, HSP_ECANCELLED, "interrupted before the rows were converted: no file was written")
                     : hsp_file_source_open(&s, in, o, hooks, err);
    if (status == 0) status = hsp_writer_choose(out, o, s.kind->name, &writer, err);
    if (status < 0) goto done;
    if (s.kind->as_table && writer->delimiter)
        status = copy_cells(&s, out, writer->delimiter, err);
    else if (is_large(&s))
        status = HSP_EMEMORY;
    else
        status = write_data(&s, out, &tree, err);
    if (status == HSP_EMEMORY && can_stream(&s, writer)) {
        status = write_streamed(in, out, o, hooks, report, err);
        goto done;
    }
    if (status < 0) goto done;
    hsp_json_object(&j, NULL);
    hsp_json_string(&j, "input", in);
    hsp_json_string(&j, "output", out);
    hsp_file_source_report(&s, tree, &j);
    hsp_file_source_seconds(&s, tree, &j);
    hsp_json_object_end(&j);
    status = hsp_json_take(&j, report, err);
done:
    hsp_watch_end(&watch);
    hsp_report_free(tree);
    hsp_file_source_close(&s);
    return status;
}
