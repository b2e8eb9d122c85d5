#include "read/label_file.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "read/mapped.h"
#include "read/stream.h"

#include <string.h>

static int open_array(hsp_label_file *f, hsp_map *map, hsp_error **err) {
    f->array = true;
    int status = hsp_npy_open(&f->numbers, map, f->name, err);
    if (status) return status;
    const hsp_npy *a = &f->numbers;
    if (a->n > 1 && a->columns > 1)
        return hsp_fail_file(err, f->name, "%lld columns: give one label for each row", (long long)a->columns);
    f->count = a->n * a->columns; /* one row of labels will do as well as one column */
    for (int64_t i = 0; i < f->count; i++) {
        double v;
        bool row = a->columns > 1;
        if (hsp_npy_column(a, row ? i : 0, row ? 0 : i, 1, &v, 1)) return hsp_npy_fail(a, row ? 0 : i, row ? i : 0, err);
    }
    return 0;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Finds where each line begins; blank lines at the end are ignored. */
static int open_text(hsp_label_file *f, hsp_map *map, hsp_error **err) {
    const char *s = hsp_map_bytes(map);
    int64_t size = hsp_map_size(map), capacity = 0, at = size >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    f->text = hsp_map_share(map);
    while (size > at && is_blank(s[size - 1])) size--;
    for (; at < size; f->count++) {
        const char *lf = memchr(s + at, '\n', (size_t)(size - at));
        int64_t end = lf ? lf + 1 - s : size, label = at;
        const hsp_place here = {f->name, f->count + 1, 1};
        while (label < end && is_blank(s[label])) label++;
        if (label == end) return hsp_fail_at(err, HSP_EINPUT, here, "blank line: give a label on each line");
        if (memchr(s + at, '\0', (size_t)(end - at)))
            return hsp_fail_at(err, HSP_EINPUT, here, "the file is binary (byte 0): give a text file");
        if (hsp_reserve((void **)&f->begin, &capacity, f->count + 2, sizeof *f->begin)) return hsp_fail_memory(err);
        f->begin[f->count] = at;
        f->begin[f->count + 1] = end;
        at = end;
    }
    return f->count > 0 ? 0 : hsp_fail_file(err, f->name, "empty file: give a label for each row");
}

int hsp_label_file_open(hsp_label_file *f, const char *path, hsp_error **err) {
    *f = (hsp_label_file){0};
    hsp_stream *stream = NULL;
    hsp_map *map = NULL;
    const char *bytes;
    int status = hsp_stream_open(path, &stream, err);
    if (status < 0) return status;
    f->name = hsp_strdup(hsp_stream_name(stream));
    int64_t n = f->name ? hsp_stream_peek(stream, 16, &bytes, err) : hsp_fail_memory(err);
    status = n < 0 ? (int)n : hsp_stream_map(stream, &map, err);
    if (status == 0)
        status = hsp_npy_begins(hsp_map_bytes(map), hsp_map_size(map)) ? open_array(f, map, err) : open_text(f, map, err);
    hsp_map_close(map);
    hsp_stream_close(stream);
    return status;
}

int hsp_label_file_fits(const hsp_label_file *f, int64_t rows, const char *data, hsp_error **err) {
    if (f->count == rows) return 0;
    return hsp_fail_file(err, f->name, "%lld label%s, but %s has %lld row%s: give one label for each row",
                         (long long)f->count, f->count == 1 ? "" : "s", data, (long long)rows, rows == 1 ? "" : "s");
}

const char *hsp_label_file_at(const hsp_label_file *f, int64_t i, int64_t *length, char *buf) {
    if (!f->array) {
        *length = f->begin[i + 1] - f->begin[i];
        return hsp_map_bytes(f->text) + f->begin[i];
    }
    double v = 0;
    bool row = f->numbers.columns > 1;
    hsp_npy_column(&f->numbers, row ? i : 0, row ? 0 : i, 1, &v, 1);
    *length = hsp_number_format(v == 0 ? 0 : v, buf);
    return buf;
}

void hsp_label_file_close(hsp_label_file *f) {
    hsp_free(f->name);
    hsp_npy_close(&f->numbers);
    hsp_map_close(f->text);
    hsp_free(f->begin);
    *f = (hsp_label_file){0};
}
