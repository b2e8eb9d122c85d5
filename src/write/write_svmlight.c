/* Writes svmlight, without zeros. */
#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "data/data.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "read/reader.h"
#include "write/writer.h"

#include <string.h>

/* Rejects a label that a reader would misinterpret. */
static int check_label(const char *label, hsp_error **err) {
    const char *why = NULL;
    if (!*label)
        why = "is empty";
    else if (*label == '#')
        why = "begins like a comment";
    else if (hsp_svmlight_is_pair(label, label + strlen(label)))
        why = "looks like a feature";
    for (const char *p = label; *p && !why; p++)
        if ((unsigned char)*p <= ' ') why = "has a blank";
    if (!why) return 0;
    return hsp_fail(err, HSP_EINPUT,
                    "label '%.40s' %s, which svmlight cannot hold: rename it with --map-label, or write CSV", label, why);
}

static void write_entry(hsp_text *t, int64_t id, double v) {
    char buf[64];
    int n = 0;
    if (t->length > 0 && t->s[t->length - 1] != '\n') buf[n++] = ' ';
    n += hsp_number_format_int(id, buf + n);
    buf[n++] = ':';
    n += hsp_number_format(v, buf + n);
    hsp_text_add_n(t, buf, n);
}

/* `all`: columns 0 and d-1 are written even when they are zero. */
static void write_row(const hsp_data *data, int64_t i, int64_t base, bool all, hsp_text *t) {
    hsp_row r = hsp_matrix_row(&data->x, i);
    int64_t d = data->x.d;
    bool labelled = data->y || data->target;
    if (data->y) hsp_text_add(t, data->classes.name[data->y[i]]);
    if (data->target) hsp_text_number(t, data->target[i]);
    int64_t last = -1, written = 0;
    for (int64_t k = 0; k < r.count; k++) {
        int64_t j = hsp_row_id(r, k);
        double v = hsp_row_value(r, k);
        if (v == 0) continue;
        if (all && written == 0 && j > 0 && base == 0) write_entry(t, base, 0);
        write_entry(t, base + j, v);
        last = j;
        written++;
    }
    bool nameless = !labelled && written == 0; /* a blank line would not be a row */
    if ((nameless || (all && base == 0)) && written == 0) write_entry(t, base, 0), last = 0;
    if (all && last < d - 1) write_entry(t, base + d - 1, 0);
    hsp_text_char(t, '\n');
}

int hsp_write_svmlight(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err) {
    (void)delimiter;
    int64_t base = hsp_schema_is_svmlight(&data->schema) ? data->schema.base : 1;
    if (data->weight)
        return hsp_fail(err, HSP_EUSAGE,
                        "svmlight cannot hold row weights: write CSV, or leave --weight out so that they stay a feature%s",
                        data->schema.column ? ", or drop their column with --ignore" : "");
    hsp_text t = {0};
    int status = 0;
    for (int64_t k = 0; k < data->classes.count && status == 0 && data->y; k++)
        status = check_label(data->classes.name[k], err);
    for (int64_t i = 0; i < data->x.n && status == 0; i++) {
        write_row(data, i, base, i == 0, &t);
        status = hsp_write_flush(&t, out, false, err);
    }
    if (status == 0) status = hsp_write_flush(&t, out, true, err);
    hsp_text_free(&t);
    return status;
}
