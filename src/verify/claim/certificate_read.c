/* Reads the dual vector from a file. This only parses it: the audit checks the values. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/data.h"
#include "model/model.h"
#include "read/chunks.h"
#include "read/csv.h"
#include "read/stream.h"
#include "verify/claim/certificate_file.h"

#include <string.h>

typedef struct reading {
    const hsp_claim *c;
    const char *path;
    const char *names[HSP_CERTIFICATE_COLUMNS];
    int columns;
    int class_column; /* -1: none */
    hsp_csv_cells cells;
    bool begun; /* the header has been read */
    hsp_certificate_file *file;
    hsp_error **err;
} reading;

static hsp_place place(const reading *r, int column) {
    return (hsp_place){.file = r->path, .line = r->cells.line, .column = column < 0 ? 0 : r->cells.column[column]};
}

static const char *cell(const reading *r, int column) {
    return hsp_csv_cells_at(&r->cells, column);
}

static int fail_cell(const reading *r, int column, const char *what) {
    char excerpt[HSP_EXCERPT];
    const char *s = cell(r, column);
    return hsp_fail_at(r->err, HSP_EINPUT, place(r, column), "'%s' is %s: write the certificate again",
                       hsp_excerpt(excerpt, s, (int64_t)strlen(s)), what);
}

static int check_header(const reading *r) {
    bool right = r->cells.count == r->columns;
    for (int i = 0; right && i < r->columns; i++) right = strcmp(cell(r, i), r->names[i]) == 0;
    if (right) return HSP_OK;
    hsp_text t = {0};
    for (int i = 0; i < r->columns; i++) hsp_text_format(&t, "%s%s", i ? "," : "", r->names[i]);
    int status =
        t.failed
            ? hsp_fail_memory(r->err)
            : hsp_fail_at(r->err, HSP_EINPUT, place(r, 0),
                          "not a certificate of this model, its first line must be '%s': write the certificate again", t.s);
    hsp_text_free(&t);
    return status;
}

static int read_number(const reading *r, int column, double *v) {
    const char *s = cell(r, column), *end = s + strlen(s);
    if (hsp_number_parse(s, end, v) != end || s == end) return fail_cell(r, column, "not a number");
    return isfinite(*v) ? HSP_OK : fail_cell(r, column, "out of range");
}

static int read_kind(const reading *r, int column, signed char *kind) {
    for (int k = 0; k < 3; k++)
        if (strcmp(cell(r, column), hsp_support_names[k]) == 0) {
            *kind = (signed char)k;
            return HSP_OK;
        }
    return fail_cell(r, column, "not one of non-support, on-margin and bound");
}

/* Reads row and class of the line. */
static int read_place(const reading *r, int64_t *row, int64_t *output) {
    const char *s = cell(r, 0), *end = s + strlen(s);
    if (hsp_number_parse_int(s, end, row) != end || *row < 1 || *row > r->c->n)
        return fail_cell(r, 0, "not a row of the data");
    *row -= 1;
    if (r->class_column < 0) return HSP_OK;
    const char *class = cell(r, r->class_column);
    *output = hsp_classes_find(&r->c->m->prepare.classes, class, (int64_t)strlen(class));
    return *output >= 0 && *output < r->c->K ? HSP_OK : fail_cell(r, r->class_column, "not a class of the model");
}

static int read_line(const reading *r) {
    hsp_certificate_file *f = r->file;
    int64_t row = 0, output = 0;
    if (r->cells.count != r->columns)
        return hsp_fail_at(r->err, HSP_EINPUT, place(r, -1), "%lld cells instead of %d: write the certificate again",
                           (long long)r->cells.count, r->columns);
    int status = read_place(r, &row, &output), column = r->class_column < 0 ? 1 : 2;
    if (status) return status;
    int64_t at = row * f->outputs + output;
    if (f->kind[at] >= 0) return fail_cell(r, 0, "a duplicate row");
    f->kind[at] = 0;
    double sign = 1;
    if (!r->c->joint && r->c->class)
        sign = r->c->class[row] == (r->c->K == 1 ? r->c->m->prepare.positive : output) ? 1 : -1;
    status = read_number(r, column, &f->a[at]);
    f->a[at] = sign * f->a[at] + 0.0;
    if (!status) status = read_number(r, column + 1, &f->margin[at]);
    if (!status && f->slack) status = read_number(r, column + 2, &f->slack[at]);
    if (!status && f->slack) status = read_kind(r, column + 3, &f->kind[at]);
    return status;
}

/* Reads the records of one piece. */
static int read_piece(reading *r, hsp_csv_cursor *k) {
    const hsp_csv_marks marks = {.delimiter = ',', .quote = '"'};
    int status;
    while ((status = hsp_csv_record(k, marks, r->err)) > 0) {
        status = hsp_csv_cells_read(&r->cells, k, marks, r->err);
        if (!status) status = r->begun ? read_line(r) : check_header(r);
        if (status) return status;
        r->begun = true;
    }
    return status;
}

static int read_pieces(reading *r, hsp_stream *stream) {
    hsp_csv_marks marks = {.delimiter = ',', .quote = '"'};
    hsp_chunks chunks = {0};
    hsp_chunk chunk = {0};
    int64_t line = 1;
    int status = hsp_chunks_open(&chunks, stream, hsp_csv_ends, &marks, r->err);
    while (!status && (status = hsp_chunks_next(&chunks, &chunk, r->err)) > 0) {
        hsp_csv_cursor k = hsp_csv_cursor_over(r->path, chunk.begin, chunk.end, line);
        status = read_piece(r, &k);
        line = k.next_line;
    }
    hsp_chunk_free(&chunk);
    hsp_chunks_close(&chunks);
    if (status || r->begun) return status;
    return hsp_fail_at(r->err, HSP_EINPUT, (hsp_place){.file = r->path}, "empty file: write the certificate again");
}

/* Every row of every problem must have a line. */
static int check_whole(const reading *r) {
    const hsp_certificate_file *f = r->file;
    for (int64_t k = 0; k < f->outputs; k++) {
        if (hsp_claim_absent(r->c, k)) continue;
        for (int64_t i = 0; i < f->n; i++)
            if (f->kind[i * f->outputs + k] < 0)
                return hsp_fail_at(r->err, HSP_EINPUT, (hsp_place){.file = r->path},
                                   "no line for row %lld%s%s: write the certificate again", (long long)i + 1,
                                   r->c->K > 1 ? " of class " : "", r->c->K > 1 ? r->c->m->prepare.classes.name[k] : "");
    }
    return HSP_OK;
}

static int allocate(const hsp_claim *c, hsp_certificate_file *out, hsp_error **err) {
    int64_t size = c->n * c->K;
    out->n = c->n;
    out->outputs = c->K;
    out->a = hsp_alloc_zero(size + 1, sizeof *out->a);
    out->margin = hsp_alloc_zero(size + 1, sizeof *out->margin);
    out->kind = hsp_alloc(size + 1, sizeof *out->kind);
    if (hsp_claim_margins(c)) out->slack = hsp_alloc_zero(size + 1, sizeof *out->slack);
    if (!out->a || !out->margin || !out->kind || (hsp_claim_margins(c) && !out->slack)) return hsp_fail_memory(err);
    memset(out->kind, -1, (size_t)size + 1);
    return HSP_OK;
}

int hsp_certificate_read(const char *path, const hsp_claim *c, hsp_certificate_file *out, hsp_error **err) {
    *out = (hsp_certificate_file){0};
    hsp_stream *stream = NULL;
    reading r = {.c = c, .file = out, .class_column = c->K > 1 ? 1 : -1, .err = err};
    if (!hsp_claim_has_dual(c))
        return hsp_fail(err, HSP_EINPUT, "this model has no dual vector: verify it without a certificate");
    r.columns = hsp_certificate_columns(c, r.names);
    int status = allocate(c, out, err);
    if (!status) status = hsp_stream_open(path, &stream, err);
    if (!status) {
        r.path = hsp_stream_name(stream);
        status = read_pieces(&r, stream);
    }
    if (!status) status = check_whole(&r);
    if (!status) status = hsp_dual_new(out->a, out->n, out->outputs, &out->dual, err);
    hsp_csv_cells_clear(&r.cells);
    hsp_stream_close(stream);
    return status;
}
