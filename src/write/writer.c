#include "write/writer.h"

#include "base/clock.h"
#include "base/error.h"
#include "option/options.h"
#include "read/reader.h"

#include <string.h>

#define ENOUGH 262144

static const hsp_writer writers[] = {
    {"csv", ".csv", ',', true, hsp_write_csv},
    {"tsv", ".tsv", '\t', true, hsp_write_csv},
    {"svmlight", ".svm .svmlight .libsvm", 0, true, hsp_write_svmlight},
    {"npy", ".npy", 0, false, hsp_write_npy},
    {"hsd", ".hsd", 0, false, hsp_write_hsd},
};
enum { COUNT = sizeof writers / sizeof *writers };

/* The ending of a file's name, from its last point to the end or to a .gz or .zst; NULL: none. *n: its length. */
static const char *ending(const char *path, size_t *n) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *end = path + hsp_path_plain(path);
    for (const char *s = end - 1; s > name; s--)
        if (*s == '.') return *n = (size_t)(end - s), s;
    return NULL;
}

int hsp_writer_choose(const char *path, const hsp_options *o, const char *format, const hsp_writer **out, hsp_error **err) {
    for (int i = 0; i < COUNT; i++)
        if (hsp_options_is(o, "to-format", writers[i].name)) return *out = &writers[i], 0;
    for (int i = 0; i < COUNT; i++)
        if (hsp_path_ends(path, writers[i].suffixes)) return *out = &writers[i], 0;
    size_t n = 0;
    const char *unknown = ending(path, &n);
    if (unknown)
        return hsp_fail_at(
            err, HSP_EUSAGE, (hsp_place){.file = path},
            "unknown file extension '%.*s': use .csv, .tsv, .svm, .npy or .hsd, or choose the format with --to-format",
            (int)n, unknown);
    *out = &writers[format && strcmp(format, "svmlight") == 0 ? 2 : 0];
    return 0;
}

int hsp_write_flush(hsp_text *t, hsp_out *out, bool all, hsp_error **err) {
    if (t->failed) return hsp_fail_memory(err);
    if (t->length == 0 || (!all && t->length < ENOUGH)) return 0;
    if (hsp_cancel_take())
        return hsp_fail(err, HSP_ECANCELLED, "interrupted before all rows were written: no file was written");
    int status = hsp_out_write(out, t->s, t->length, err);
    hsp_text_clear(t);
    return status;
}

/* The encoding of a part of a table was learnt from all rows: its features would leak the others into training. */
static int check_part(const hsp_data *data, const char *path, const hsp_writer *writer, hsp_error **err) {
    if (!data->frame || writer->delimiter) return 0;
    if (data->learnt_here) return data->refusal ? hsp_fail(err, HSP_EINPUT, "%s", data->refusal) : 0;
    return hsp_fail_at(err, HSP_EUSAGE, (hsp_place){.file = path},
                       "parts of a table with text, categories or missing values are written as CSV: use the extension "
                       ".csv, or --to-format csv");
}

int hsp_data_write(const hsp_data *data, const char *path, const hsp_options *o, hsp_error **err) {
    const hsp_writer *writer = NULL;
    hsp_out *out = NULL;
    int status = hsp_writer_choose(path, o, data->schema.format, &writer, err);
    if (status == 0) status = check_part(data, path, writer, err);
    if (status == 0) status = hsp_out_open(path, '?', &out, err);
    if (status < 0) return status;
    status = writer->write(data, out, writer->delimiter, err);
    if (status == 0) return hsp_out_commit(out, err);
    hsp_out_abandon(out);
    return status;
}
