#include "predict/bad_output.h"

#include "base/error.h"
#include "option/options.h"
#include "write/writer.h"

#include <string.h>

static const char REPORT[] = "report:";

int hsp_bad_output_open(hsp_bad_output *b, const hsp_options *o, hsp_error **err) {
    static const char head[] = "line,column,message\n";
    const char *rule = hsp_options_text(o, "bad-rows");
    *b = (hsp_bad_output){0};
    if (strcmp(rule, "error") == 0) return HSP_OK;
    b->skips = true;
    if (strcmp(rule, "skip") == 0) return HSP_OK;
    const char *path = rule + sizeof REPORT - 1;
    if (strncmp(rule, REPORT, sizeof REPORT - 1) != 0 || !*path)
        return hsp_fail(err, HSP_EUSAGE, "--bad-rows cannot be '%s': choose from error, skip, report:FILE", rule);
    int status = hsp_out_open(path, '?', &b->out, err);
    return status ? status : hsp_out_write(b->out, head, (int64_t)sizeof head - 1, err);
}

int hsp_bad_output_add(hsp_bad_output *b, hsp_bad_rows *rows, const char *file, int64_t line_base, hsp_error **err) {
    hsp_text t = {0};
    hsp_bad_rows_sort(rows);
    for (int64_t i = 0; i < rows->count; i++) {
        const hsp_bad_row *r = &rows->row[i];
        const char *message = rows->text.s + r->message;
        long long line = (long long)(line_base + r->line), column = (long long)r->column;
        if (b->count++ == 0 && column > 0)
            hsp_text_format(&b->first, "%s:%lld:%lld: %s", file, line, column, message);
        else if (b->count == 1)
            hsp_text_format(&b->first, "%s:%lld: %s", file, line, message);
        hsp_text_format(&t, "%lld,", line);
        if (column > 0) hsp_text_format(&t, "%lld", column);
        hsp_text_char(&t, ',');
        hsp_csv_cell(&t, message, (int64_t)strlen(message), ',');
        hsp_text_char(&t, '\n');
    }
    int status = t.failed || b->first.failed ? hsp_fail_memory(err) : HSP_OK;
    if (!status && b->out && t.length > 0) status = hsp_out_write(b->out, t.s, t.length, err);
    hsp_text_free(&t);
    return status;
}

int hsp_bad_output_close(hsp_bad_output *b, int status, hsp_error **err) {
    if (b->out && status)
        hsp_out_abandon(b->out);
    else if (b->out)
        status = hsp_out_commit(b->out, err);
    hsp_text_free(&b->first);
    *b = (hsp_bad_output){0};
    return status;
}
