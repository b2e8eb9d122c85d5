/* CSV and TSV out. */
#include "base/number.h"
#include "read/csv.h"
#include "read/writer.h"

#include <string.h>

#define CELL_LIMIT 2000000000

void hsp_csv_cell(hsp_text *t, const char *s, int64_t n, char delimiter) {
    static const char special[] = {'"', '\n', '\r', ',', ';', '\t'}; /* each could pass for a delimiter of the file */
    bool quote = n > 0 && (s[0] == ' ' || s[n - 1] == ' ' || memchr(s, delimiter, (size_t)n));
    for (size_t i = 0; i < sizeof special && n > 0 && !quote; i++) quote = memchr(s, special[i], (size_t)n) != NULL;
    if (!quote) {
        hsp_text_add_n(t, s, n);
        return;
    }
    hsp_text_char(t, '"');
    for (const char *end = s + n; s < end;) {
        const char *q = memchr(s, '"', (size_t)(end - s));
        const char *stop = q ? q + 1 : end;
        hsp_text_add_n(t, s, stop - s);
        if (q) hsp_text_char(t, '"');
        s = stop;
    }
    hsp_text_char(t, '"');
}

/* Features before the label: as in the file it came from, else all. */
static int64_t label_position(const hsp_schema *s, int64_t d) {
    if (s->target_column == 0 || !s->column) return d;
    int64_t position = 0;
    for (int64_t j = 0; j < d; j++) position += s->column[j] < s->target_column;
    return position;
}

/* The target's name; one that no feature has, when the data came without. NULL when all are taken. */
static const char *target_name(const hsp_schema *s, int64_t d) {
    bool taken[HSP_CSV_USUAL + 1] = {0}; /* the last: all other names */
    if (s->target) return s->target;
    for (int64_t j = 0; j < d && s->name; j++) taken[hsp_csv_usual(s->name[j])] = true;
    for (int i = 0; i < HSP_CSV_USUAL; i++)
        if (!taken[i]) return hsp_csv_usual_names[i];
    return NULL;
}

static int write_header(const hsp_data *data, int64_t position, char delimiter, hsp_text *t, hsp_out *out,
                        hsp_error **err) {
    const hsp_schema *s = &data->schema;
    int64_t d = data->x.d;
    const char *target = data->y ? target_name(s, d) : NULL;
    if (data->y && !target)
        return hsp_fail(err, HSP_EINPUT,
                        "features are named label, class, target and y, so none is left for the target: "
                        "rename one of them");
    for (int64_t j = 0; j <= d; j++) {
        if (j == position && target) {
            hsp_csv_cell(t, target, (int64_t)strlen(target), delimiter);
            if (j < d) hsp_text_char(t, delimiter);
        }
        if (j == d) break;
        char buf[32] = "x";
        if (!s->name) buf[1 + hsp_number_format_int(j + 1, buf + 1)] = '\0';
        const char *name = s->name ? s->name[j] : buf;
        hsp_csv_cell(t, name, (int64_t)strlen(name), delimiter);
        if (j + 1 < d || (target && position == d)) hsp_text_char(t, delimiter);
        int status = hsp_write_flush(t, out, false, err);
        if (status < 0) return status;
    }
    hsp_text_char(t, '\n');
    return 0;
}

static int write_row(const hsp_data *data, int64_t i, int64_t position, char delimiter, hsp_text *t, hsp_error **err) {
    hsp_row r = hsp_matrix_row(&data->x, i);
    int64_t d = data->x.d, k = 0;
    const char *label = data->y ? data->classes.name[data->y[i]] : NULL;
    if (label && !*label)
        return hsp_fail(err, HSP_EINPUT,
                        "row %lld has an empty label, which would not read back: give it a name with "
                        "map-label",
                        (long long)(i + 1));
    for (int64_t j = 0; j <= d; j++) {
        if (j == position && label) {
            hsp_csv_cell(t, label, (int64_t)strlen(label), delimiter);
            if (j < d) hsp_text_char(t, delimiter);
        }
        if (j == d) break;
        char buf[32] = "0";
        int64_t n = 1;
        if (!r.id || (k < r.count && r.id[k] == j)) n = hsp_number_format(hsp_row_value(r, k++), buf);
        if (j + 1 < d || (label && position == d)) buf[n++] = delimiter;
        hsp_text_add_n(t, buf, n);
    }
    hsp_text_char(t, '\n');
    return 0;
}

int hsp_write_csv(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err) {
    const hsp_schema *s = &data->schema;
    int64_t n = data->x.n, d = data->x.d;
    if (!data->x.dense && (double)n * (double)(d + 1) > CELL_LIMIT)
        return hsp_fail(err, HSP_EUSAGE, "a CSV file would have %lld x %lld cells, most of them zero: write svmlight",
                        (long long)n, (long long)(d + 1));
    bool csv = s->format && strcmp(s->format, "csv") == 0;
    int64_t position = label_position(s, d);
    hsp_text t = {0};
    int status = s->name || !csv ? write_header(data, position, delimiter, &t, out, err) : 0;
    for (int64_t i = 0; i < n && status == 0; i++) {
        status = write_row(data, i, position, delimiter, &t, err);
        if (status == 0) status = hsp_write_flush(&t, out, false, err);
    }
    if (status == 0) status = hsp_write_flush(&t, out, true, err);
    hsp_text_free(&t);
    return status;
}
