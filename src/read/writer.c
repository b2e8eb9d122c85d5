/* Which writer, and the file that appears whole or not at all. */
#include "read/writer.h"

#include "read/reader.h"

#include <string.h>

#define ENOUGH 262144

static const hsp_writer writers[] = {
    {"csv", ".csv", ',', hsp_write_csv},
    {"tsv", ".tsv", '\t', hsp_write_csv},
    {"svmlight", ".svm .svmlight .libsvm", 0, hsp_write_svmlight},
};
enum { COUNT = sizeof writers / sizeof *writers };

/* By option, else by the name's ending, else as the data came. */
static const hsp_writer *choose(const hsp_data *data, const char *path, const hsp_options *o) {
    for (int i = 0; i < COUNT; i++)
        if (hsp_options_is(o, "to-format", writers[i].name)) return &writers[i];
    for (int i = 0; i < COUNT; i++)
        if (hsp_path_ends(path, writers[i].suffixes)) return &writers[i];
    bool sparse = data->schema.format && strcmp(data->schema.format, "svmlight") == 0;
    return &writers[sparse ? 2 : 0];
}

int hsp_write_flush(hsp_text *t, hsp_out *out, bool all, hsp_error **err) {
    if (t->failed) return hsp_fail_memory(err);
    if (t->length == 0 || (!all && t->length < ENOUGH)) return 0;
    int status = hsp_out_write(out, t->s, t->length, err);
    hsp_text_clear(t);
    return status;
}

int hsp_data_write(const hsp_data *data, const char *path, const hsp_options *o, hsp_error **err) {
    const hsp_writer *writer = choose(data, path, o);
    hsp_out *out = NULL;
    int status = hsp_out_open(path, '?', &out, err);
    if (status < 0) return status;
    status = writer->write(data, out, writer->delimiter, err);
    if (status == 0) return hsp_out_commit(out, err);
    hsp_out_abandon(out);
    return status;
}
