#include "write/file_source.h"

#include "base/clock.h"
#include "base/report.h"
#include "base/text.h"
#include "option/options.h"
#include "read/reader.h"
#include "read/stream.h"

#include <stddef.h>

int hsp_file_source_open(hsp_file_source *s, const char *path, const hsp_options *o, const hsp_hooks *hooks,
                         hsp_error **err) {
    *s = (hsp_file_source){.path = path, .o = o, .hooks = hooks, .began = hsp_clock_seconds()};
    int status = hsp_stream_open(path, &s->stream, err);
    return status < 0 ? status : hsp_reader_choose(s->stream, o, &s->kind, err);
}

/* The next row that is kept: 1, or 0 at the end, or a negative status. */
static int find_row(hsp_file_source *s, hsp_raw_row *row, hsp_error **err) {
    for (;;) {
        int status = hsp_raw_next(s->raw, row, err);
        if (status <= 0 || !s->kept) return status;
        if (s->kept_at == s->kept_count || s->kept[s->kept_at] != s->raw->cursor.line) continue;
        s->kept_at++;
        return 1;
    }
}

/* Back to the first row. */
static int rewind_rows(hsp_file_source *s, hsp_error **err) {
    s->kept_at = 0;
    return hsp_raw_rewind(s->raw, err);
}

/* One pass over all rows. */
static int count_rows(hsp_file_source *s, bool strict, hsp_error **err) {
    hsp_raw_row row;
    s->rows = 0;
    s->numbers = hsp_number_tally_begin(s->o, s->raw, strict);
    int status = hsp_label_tally_begin(&s->labels, s->o, err);
    if (status < 0) return status;
    while ((status = find_row(s, &row, err)) > 0) {
        s->rows++;
        status = hsp_label_tally_add(&s->labels, s->raw, &row, err);
        if (status == 0) status = hsp_number_tally_add(&s->numbers, s->raw, &row, err);
        if (status < 0) return status;
    }
    if (status == 0 && s->rows == 0) status = hsp_fail_file(err, s->raw->cursor.file, "no rows: give a file with data");
    if (status == 0) status = hsp_number_tally_finish(&s->numbers, s->raw, err);
    return status < 0 ? status : hsp_label_tally_finish(&s->labels, err);
}

/* Counts, and again with quotes as plain characters if that is the likely fault. */
static int count_all(hsp_file_source *s, bool strict, hsp_error **err) {
    hsp_error *first = NULL;
    int status = count_rows(s, strict, &first);
    int again = status < 0 ? hsp_raw_try_plain(s->raw, err) : 0;
    if (again == 0) {
        if (first) hsp_error_pass(err, first);
        return status;
    }
    hsp_error_free(first);
    return again < 0 ? again : count_rows(s, strict, err);
}

/* Lets the reader decide which rows have missing values, then counts again without them. */
static int drop_rows(hsp_file_source *s, bool strict, hsp_error **err) {
    int64_t all = s->rows;
    hsp_stream *stream = NULL;
    int status = hsp_raw_open_again(s->raw, &stream, err);
    if (status == 0) status = hsp_read_lines(stream, s->raw->options, &s->kept, &s->kept_count, err);
    hsp_stream_close(stream);
    if (status == 0) status = rewind_rows(s, err);
    if (status == 0) status = count_rows(s, strict, err);
    s->dropped = all - s->rows;
    return status;
}

/* Logs the warning on a title, once. */
static void warn_of_title(hsp_file_source *s, const char *title) {
    const hsp_hooks *hooks = s->hooks;
    bool logs = hooks && hooks->size >= offsetof(hsp_hooks, log) + sizeof hooks->log && hooks->log;
    if (logs && title && *title && !s->warned) hooks->log(hooks->user, -1, title);
    s->warned = true;
}

int hsp_file_source_scan(hsp_file_source *s, bool strict, hsp_error **err) {
    if (hsp_options_text(s->o, "labels"))
        return hsp_fail(err, HSP_EUSAGE, "--labels is for arrays (.npy), and %s is %s: leave it out",
                        hsp_stream_name(s->stream), s->kind->name);
    hsp_stream *stream = s->stream;
    s->stream = NULL;
    int status = hsp_raw_open(stream, s->path, s->kind, s->o, &s->raw, err);
    bool drops = hsp_options_is(s->o, "missing", "drop");
    if (status == 0) status = count_all(s, strict && !drops, err);
    if (status == 0 && drops) status = drop_rows(s, strict, err);
    if (status == 0) status = rewind_rows(s, err);
    if (status < 0) return status;
    s->raw->kind->describe(s->raw, &s->assumed);
    warn_of_title(s, s->raw->table.before.note.s);
    int64_t all = s->rows + s->dropped;
    hsp_text_format(&s->assumed, ", %lld row%s", (long long)all, all == 1 ? "" : "s");
    if (s->dropped > 0)
        hsp_text_format(&s->assumed, ", %lld row%s with missing values dropped", (long long)s->dropped,
                        s->dropped == 1 ? "" : "s");
    s->read = hsp_clock_seconds();
    return s->assumed.failed ? hsp_fail_memory(err) : 0;
}

int hsp_file_source_next(hsp_file_source *s, hsp_raw_row *row, hsp_error **err) {
    int status = find_row(s, row, err);
    return status == 0 ? hsp_fail_file(err, s->raw->cursor.file, "changed while it was read: try again") : status;
}

int hsp_file_source_data(hsp_file_source *s, hsp_data **out, hsp_error **err) {
    hsp_stream *stream = s->stream;
    s->stream = NULL;
    int status = stream ? hsp_read_opened(stream, s->path, s->o, s->hooks, out, err)
                        : hsp_data_read(s->path, s->o, s->hooks, out, err);
    if (status == 0) warn_of_title(s, (*out)->title);
    s->read = hsp_clock_seconds();
    return status;
}

void hsp_copy_members(const hsp_report *tree, const char *const *names, hsp_json *j) {
    for (; *names; names++) {
        const hsp_report *member = hsp_report_member(tree, *names);
        if (member) hsp_json_report(j, *names, member);
    }
}

void hsp_file_source_report(const hsp_file_source *s, const hsp_report *tree, hsp_json *j) {
    static const char *const names[] = {"rows", "features", "nonzeros", "classes", "targets", "weights", "assumed", NULL};
    if (tree) {
        hsp_copy_members(tree, names, j);
        return;
    }
    hsp_json_int(j, "rows", s->rows);
    hsp_json_null(j, "features");
    hsp_json_null(j, "nonzeros");
    hsp_label_tally_report(&s->labels, s->labels.count, j);
    hsp_number_tally_report(&s->numbers, s->raw, j);
    hsp_json_string(j, "assumed", s->assumed.s);
}

void hsp_file_source_seconds(const hsp_file_source *s, const hsp_report *tree, hsp_json *j) {
    const hsp_report *check = tree ? hsp_report_member(hsp_report_member(tree, "seconds"), "check") : NULL;
    double checked = check ? hsp_report_number(check, NULL) : 0;
    hsp_json_object(j, "seconds");
    hsp_json_number(j, "read", s->read - s->began - checked);
    if (check) hsp_json_number(j, "check", checked);
    hsp_json_number(j, "write", hsp_clock_seconds() - s->read);
    hsp_json_object_end(j);
}

void hsp_file_source_close(hsp_file_source *s) {
    hsp_stream_close(s->stream);
    hsp_raw_close(s->raw);
    hsp_label_tally_free(&s->labels);
    hsp_text_free(&s->assumed);
    hsp_free(s->kept);
    *s = (hsp_file_source){0};
}
