/* Frames made of a few lines of text, and the encodings that are learnt from them. */
#ifndef HSP_TESTS_FRAMES_H
#define HSP_TESTS_FRAMES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "option/option_text.h"
#include "table/encoding.h"
#include "data/number_form.h"
#include "table/spelling.h"

static inline void frames_ok(int status, hsp_error *const *err) {
    if (status) fail_msg("status %d: %s", status, *err ? hsp_error_message(*err) : "no message");
    assert_null(*err);
}

/* Failed with this code and exactly this message. */
static inline void frames_fails(int status, int code, hsp_error **err, const char *message) {
    if (status != code) fail_msg("status %d, not %d: %s", status, code, *err ? hsp_error_message(*err) : "no message");
    assert_non_null(*err);
    assert_string_equal(hsp_error_message(*err), message);
    hsp_error_free(*err);
    *err = NULL;
}

/* The next cell of a line: its end. */
static inline const char *frames_cell(const char *p) {
    while (*p && *p != ',' && *p != '\n') p++;
    return p;
}

/* Whether rows have weights: 0.5, 1.5, ... */
static bool frames_weighted;

/* A frame of a table as CSV without quotes: the first line holds names, the last column labels. An empty cell is missing.
 * `step` rows go into each block. 0 or HSP_EMEMORY. */
static inline int frames_try(const char *csv, int64_t step, hsp_frame **out, hsp_error **err) {
    hsp_frame *f = NULL;
    hsp_block b = {0};
    int64_t columns = 1, line = 1;
    for (const char *p = csv; *p != '\n'; p++) columns += *p == ',';
    int status = hsp_frame_new(&f, err);
    if (status) return status;
    hsp_schema *s = &f->schema;
    *s =
        (hsp_schema){.d = columns - 1, .header = true, .delimiter = ',', .file_columns = columns, .target_column = columns};
    s->table = true;
    s->format = hsp_strdup("csv");
    s->name = hsp_alloc_zero(columns, sizeof *s->name);
    s->column = hsp_alloc(columns, sizeof *s->column);
    if (!s->format || !s->name || !s->column) status = hsp_fail_memory(err);
    const char *p = csv;
    for (int64_t j = 0; j < columns && !status; j++) {
        const char *end = frames_cell(p);
        char *name = hsp_strndup(p, (size_t)(end - p));
        if (!name) status = hsp_fail_memory(err);
        if (j < columns - 1)
            s->name[j] = name;
        else
            s->target = name;
        s->column[j] = j + 1;
        p = end + 1;
    }
    while (*p && !status) {
        if (b.rows == 0) {
            hsp_block_reset(&b, true, s->d);
            b.table = true;
            b.weighted = frames_weighted;
            b.line_base = line;
        }
        if (hsp_block_reserve(&b, s->d, 64)) status = hsp_fail_memory(err);
        double *v = b.value + hsp_block_tail(&b);
        for (int64_t j = 0; j < s->d && !status; j++) {
            const char *end = frames_cell(p);
            bool number = end > p && hsp_number_parse(p, end, &v[j]) == end;
            if (!number) v[j] = NAN;
            bool spelt = number && hsp_number_form_of(p, end - p, v[j]) != HSP_FORM_SHORTEST;
            if ((spelt || (!number && end > p)) && hsp_block_add_word(&b, j, p, end - p)) status = hsp_fail_memory(err);
            p = end + 1;
        }
        if (status) break;
        const char *end = frames_cell(p);
        line++;
        if (b.weighted) b.weight[b.rows] = (double)line - 1.5;
        hsp_block_close_row(&b, s->d, p, end - p, line - b.line_base);
        p = end + (*end == '\n');
        if (b.rows == step || !*p) status = hsp_frame_add(f, &b, err);
    }
    hsp_block_free(&b);
    if (status) {
        hsp_frame_free(f);
        f = NULL;
    }
    *out = f;
    return status;
}

static inline hsp_frame *frames_of(const char *csv, int64_t step) {
    hsp_frame *f = NULL;
    hsp_error *err = NULL;
    frames_ok(frames_try(csv, step, &f, &err), &err);
    return f;
}

/* Options from "name=value;name=value". */
static inline hsp_options *frames_options(const char *text) {
    return options_from(text, ';');
}

/* The rules that options make for a frame; the file is called t.csv. */
static inline int frames_rules(const hsp_frame *f, const char *options, hsp_table_rules *r, hsp_error **err) {
    hsp_options *o = frames_options(options);
    *r = (hsp_table_rules){0};
    int status = hsp_table_rules_make(o, &f->schema, "t.csv", r, err);
    hsp_options_free(o);
    return status;
}

/* What is learnt from a frame; lenient: by lenient rules. */
static inline int frames_learn_by(const hsp_frame *f, const char *options, bool lenient, int threads, hsp_encoding **out,
                                  hsp_error **err) {
    hsp_table_rules r;
    *out = NULL;
    int status = frames_rules(f, options, &r, err);
    r.lenient = lenient;
    if (!status) status = hsp_encoding_learn(f, &r, threads, out, err);
    hsp_table_rules_clear(&r);
    return status;
}

static inline int frames_learn(const hsp_frame *f, const char *options, int threads, hsp_encoding **out, hsp_error **err) {
    return frames_learn_by(f, options, false, threads, out, err);
}

static inline hsp_encoding *frames_learnt(const hsp_frame *f, const char *options) {
    hsp_encoding *e = NULL;
    hsp_error *err = NULL;
    frames_ok(frames_learn(f, options, 2, &e, &err), &err);
    return e;
}

/* The features' names, each ended by '|'. To be freed. */
static inline char *frames_names(const hsp_encoding *e) {
    hsp_schema s;
    hsp_error *err = NULL;
    hsp_text t = {0};
    frames_ok(hsp_encoding_schema(e, &s, &err), &err);
    assert_int_equal(s.d, e->d);
    for (int64_t k = 0; k < s.d; k++) {
        hsp_text_add(&t, s.name[k]);
        hsp_text_char(&t, '|');
    }
    hsp_schema_clear(&s);
    char *out = NULL;
    frames_ok(hsp_text_take(&t, &out, &err), &err);
    return out;
}

static inline void frames_assert_names(const hsp_encoding *e, const char *names) {
    char *own = frames_names(e);
    assert_string_equal(own, names);
    hsp_free(own);
}

/* All rows as "id:value id:value|", ids from 0. To be freed. */
static inline int frames_rows(const hsp_encoding *e, const hsp_frame *f, hsp_unseen *unseen, char **out, hsp_error **err) {
    hsp_text t = {0};
    hsp_encode_room room = {0};
    hsp_block b = {0};
    int status = 0;
    *out = NULL;
    for (int64_t k = 0; k < f->blocks && !status; k++) {
        status = hsp_encode_block(e, &f->block[k], "new.csv", &room, &b, unseen, err);
        for (int64_t i = 0; i < b.rows; i++) {
            for (int64_t a = b.row[i]; a < b.row[i + 1]; a++) {
                if (a > b.row[i]) hsp_text_char(&t, ' ');
                hsp_text_int(&t, b.id[a]);
                hsp_text_char(&t, ':');
                hsp_text_number(&t, b.value[a]);
            }
            hsp_text_char(&t, '|');
        }
    }
    hsp_encode_room_free(&room);
    hsp_block_free(&b);
    hsp_unseen_levels_free(unseen->named); /* the tests compare counts */
    unseen->named = NULL;
    if (!status) status = hsp_text_take(&t, out, err);
    hsp_text_free(&t);
    return status;
}

static inline void frames_assert_rows(const hsp_encoding *e, const hsp_frame *f, const char *rows) {
    char *own = NULL;
    hsp_error *err = NULL;
    hsp_unseen unseen = {0};
    frames_ok(frames_rows(e, f, &unseen, &own, &err), &err);
    assert_string_equal(own, rows);
    hsp_free(own);
}

/* The member "table" in an object. To be freed. */
static inline char *frames_saved(const hsp_encoding *e) {
    hsp_text t = {0};
    hsp_json j = {.out = &t};
    char *text = NULL;
    hsp_json_object(&j, NULL);
    hsp_encoding_save(e, &j);
    hsp_json_object_end(&j);
    assert_int_equal(hsp_text_take(&t, &text, NULL), 0);
    return text;
}

/* Learns with the first allocation failing, then the second, and so on until none fails. */
__attribute__((unused)) static void frames_learn_short_of_memory(const hsp_frame *f, const char *options, bool lenient) {
    hsp_table_rules r;
    assert_int_equal(frames_rules(f, options, &r, NULL), 0);
    r.lenient = lenient;
    for (int64_t k = 0;; k++) {
        hsp_encoding *e = NULL;
        hsp_error *err = NULL;
        hsp_schema s = {0};
        hsp_memory_fail_after(k);
        int status = hsp_encoding_learn(f, &r, 1, &e, &err);
        if (!status) status = hsp_encoding_schema(e, &s, &err);
        hsp_memory_fail_after(-1);
        hsp_schema_clear(&s);
        hsp_encoding_release(e);
        hsp_error_free(err);
        if (status == 0) break;
        assert_int_equal(status, HSP_EMEMORY);
        assert_true(k < 2000);
    }
    hsp_table_rules_clear(&r);
}

#endif
