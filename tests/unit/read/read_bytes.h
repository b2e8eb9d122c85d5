/* Bytes of a file read by one reader: row by row through a stream, and loaded as a whole. */
#ifndef TESTS_READ_BYTES_H
#define TESTS_READ_BYTES_H

#include "own_folder.h"
#include "read_from.h"
#include "read_next.h"

#include "base/file.h"
#include "read/mapped.h"

/* Row by row; messages call the file "x.hsd", by the name of the reader. */
static inline int read_rows(const hsp_reader_kind *kind, const char *bytes, int64_t size, const char *spec,
                            const hsp_read_for *model, hsp_data **out, hsp_error **err) {
    hsp_options *o = options_of(spec);
    hsp_stream *s = NULL;
    hsp_reading g = {.kind = kind, .line = 1};
    hsp_parcel p = {0};
    hsp_builder *b = NULL;
    hsp_schema schema = {0};
    char name[16];
    snprintf(name, sizeof name, "x.%s", kind->name);
    const hsp_builder_rules rules = {.classes = model ? model->classes : NULL,
                                     .map_label = hsp_options_text(o, "map-label"),
                                     .regression = model ? model->regression : hsp_options_is(o, "task", "regression"),
                                     .file = name};
    *out = NULL;
    assert_int_equal(hsp_stream_open_memory(bytes, size, name, &s, NULL), 0);
    int status = kind->open(s, o, model ? model->known : NULL, &g, err);
    if (status == 0) status = hsp_builder_new(&rules, &b, err);
    while (status == 0 && (status = read_next(&g, &p, err)) > 0) status = hsp_builder_add(b, &p.block, err);
    if (status == 0) {
        status = hsp_schema_copy(g.schema, &schema, err);
        if (status == 0) status = hsp_builder_finish(b, &schema, out, err);
        if (status == 0) (*out)->assumed = hsp_strdup(g.assumed->s);
    } else {
        hsp_builder_free(b);
    }
    hsp_parcel_free(&p);
    hsp_reading_close(&g);
    hsp_stream_close(s);
    hsp_options_free(o);
    return status;
}

/* As a whole, from a file: 1, or 0 when the reader cannot load it so, or a negative status. */
static inline int load_file(const hsp_reader_kind *kind, const char *bytes, int64_t size, const char *spec,
                            const hsp_read_for *model, hsp_data **out, hsp_error **err) {
    hsp_options *o = options_of(spec);
    const char *file = in_folder("load");
    assert_int_equal(hsp_write_file(file, bytes, (size_t)size, NULL), 0);
    int status = hsp_reader_load(kind, file, o, model, out, err);
    assert_int_equal(remove(file), 0);
    hsp_options_free(o);
    return status;
}

/* Loads with the first allocation failing, then the second, and so on until none fails. */
static inline void load_short_of_memory(const hsp_reader_kind *kind, const char *bytes, int64_t size, const char *spec,
                                        const hsp_read_for *model) {
    hsp_options *o = options_of(spec);
    const char *file = in_folder("load");
    assert_int_equal(hsp_write_file(file, bytes, (size_t)size, NULL), 0);
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status == HSP_EMEMORY || status == 0; calls++) {
        hsp_data *got = NULL;
        hsp_error *err = NULL;
        hsp_memory_fail_after(calls);
        status = hsp_reader_load(kind, file, o, model, &got, &err);
        hsp_memory_fail_after(-1);
        assert_true((status == 1) == (got != NULL));
        hsp_data_free(got);
        hsp_error_free(err);
        assert_true(calls < 10000);
    }
    assert_int_equal(status, 1);
    assert_int_equal(remove(file), 0);
    hsp_options_free(o);
}

#endif
