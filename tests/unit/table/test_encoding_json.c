/* A saved encoding is read back and encodes the same; broken text is refused. */
#include "frames.h"

#include "json_tree.h"

static const char train[] = "x,colour,flag,when,none,word,y\n"
                            "1.5,red,yes,03/05/2024,,a,0\n"
                            ",blue,no,13/05/2024,,b,1\n"
                            "-0,red,,2024-01-01 06:00,,b,1\n"
                            "3,\"q\\uote,yes,,,c,0\n"
                            "0.1,,no,05/05/2024,,b,1\n";

static hsp_encoding *learn(const char *options, hsp_frame **f) {
    *f = frames_of(train, 2);
    return frames_learnt(*f, options);
}

static int load(const char *text, int64_t room, hsp_encoding **out, hsp_error **err) {
    hsp_json_value *tree = json_tree(text);
    const hsp_json_loader l = {tree, "m.hsm", err};
    int status = hsp_encoding_load(&l, room, out);
    hsp_free(tree);
    return status;
}

static void round_trip(void **state) {
    (void)state;
    static const char *const options[] = {"missing=mean",
                                          "missing=median;min-count=2",
                                          "missing=indicator",
                                          "missing=mean;categorical=x,when;seed=12345678901234",
                                          "missing=indicator;date=when;numeric=x;min-count=3",
                                          "missing=mean;text=word,colour;text-value=count",
                                          "missing=mean;text=colour;text-unit=char;ngrams=1-3;hash-bits=6",
                                          "missing=median;cross=x:colour,flag:x;degree=2;rff=7",
                                          "missing=mean;rff=3;rff-gamma=0.25"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        hsp_frame *f, *g = frames_of("x,colour,flag,when,none,word,y\n,red,,,,b,0\n7,new,t,6/6/2023,x,z,1\n", 2);
        hsp_encoding *e = learn(options[k], &f), *back = NULL;
        hsp_error *err = NULL;
        char *text = frames_saved(e), *rows[2] = {NULL, NULL}, *own = NULL;
        frames_ok(load(text, e->d, &back, &err), &err);
        char *again = frames_saved(back), *names[2] = {frames_names(e), frames_names(back)};
        assert_string_equal(text, again);
        assert_string_equal(names[0], names[1]);
        hsp_unseen unseen[2] = {{0}, {0}};
        for (int i = 0; i < 2; i++) {
            frames_ok(frames_rows(i ? back : e, f, &unseen[i], &own, &err), &err);
            hsp_free(own);
            frames_ok(frames_rows(i ? back : e, g, &unseen[i], &rows[i], &err), &err);
        }
        assert_string_equal(rows[0], rows[1]);
        assert_memory_equal(&unseen[0], &unseen[1], sizeof unseen[0]);
        for (int i = 0; i < 2; i++) {
            hsp_free(rows[i]);
            hsp_free(names[i]);
        }
        assert_true(back->rules.missing == e->rules.missing && back->rules.seed == e->rules.seed && back->raw.table);
        for (int64_t j = 0; j < e->raw.d; j++)
            assert_ptr_equal(back->rules.kind[j], e->column[j].asked ? e->column[j].kind : NULL);
        hsp_free(again);
        hsp_free(text);
        hsp_encoding_release(back);
        hsp_encoding_release(e);
        hsp_frame_free(f);
        hsp_frame_free(g);
    }
}

/* The rules are read back whole, so that an encoding can be learnt again. */
static void learnt_again(void **state) {
    (void)state;
    hsp_frame *f;
    hsp_encoding *e = learn("missing=indicator;min-count=2;cross=x:colour;degree=2;rff=5", &f), *back = NULL, *twin = NULL;
    hsp_error *err = NULL;
    char *text = frames_saved(e);
    frames_ok(load(text, e->d, &back, &err), &err);
    frames_ok(hsp_encoding_learn(f, &back->rules, 2, &twin, &err), &err);
    char *again = frames_saved(twin);
    assert_string_equal(text, again);
    hsp_free(again);
    hsp_free(text);
    hsp_encoding_release(twin);
    hsp_encoding_release(back);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

static void none_at_all(void **state) {
    (void)state;
    hsp_encoding *e = (hsp_encoding *)(void *)&e;
    assert_int_equal(load("{\"schema\":{}}", 3, &e, NULL), 0);
    assert_null(e);
}

/* Each line replaces a member: of the table, or of one of its parts. Columns: x, colour, flag, when, none, word. */
static const struct {
    const char *in;
    int at;
    const char *key, *value;
} bad[] = {
    {NULL, -1, "features", "0"},
    {NULL, -1, "features", "13"},
    {NULL, -1, "features", "-1"},
    {NULL, -1, "features", "1e300"},
    {NULL, -1, "features", "null"},
    {NULL, -1, "schema", "null"},
    {NULL, -1, "schema", "[]"},
    {NULL, -1, "rules", "null"},
    {NULL, -1, "rules", "[]"},
    {NULL, -1, "rules", "{}"},
    {NULL, -1, "columns", "null"},
    {NULL, -1, "columns", "{}"},
    {NULL, -1, "columns", "[]"},
    {NULL, -1, "columns", "[{},{},{},{},{},{}]"},
    {NULL, -1, "columns", "[1,2,3,4,5,6]"},
    {NULL, -1, "columns", "[{\"kind\":\"ignored\",\"asked\":false}]"},
    {"schema", -1, "features", "5"},
    {"schema", -1, "features", "7"},
    {"schema", -1, "features", "-6"},
    {"schema", -1, "columns", "null"},
    {"schema", -1, "columns", "[1,2,3,4,5,99]"},
    {"schema", -1, "columns", "[1,2,3,4,5,0]"},
    {"schema", -1, "names", "[\"a\"]"},
    {"schema", -1, "names", "[1,2,3,4,5,6]"},
    {"schema", -1, "delimiter", "\"x\""},
    {"rules", -1, "missing", "\"never\""},
    {"rules", -1, "missing", "\"error\""}, /* then nothing may be filled */
    {"rules", -1, "missing", "\"drop\""},
    {"rules", -1, "missing", "3"},
    {"rules", -1, "missing", "null"},
    {"rules", -1, "min_count", "0"},
    {"rules", -1, "min_count", "1.5"},
    {"rules", -1, "min_count", "\"1\""},
    {"rules", -1, "seed", "-1"},
    {"rules", -1, "seed", "1e300"},
    {"rules", -1, "text", "[]"},
    {"rules", -1, "text", "{}"},
    {"rules", -1, "text", "{\"unit\":\"x\",\"ngrams\":[1,2],\"value\":\"count\",\"hash_bits\":0}"},
    {"rules", -1, "text", "{\"unit\":\"word\",\"ngrams\":[2,1],\"value\":\"count\",\"hash_bits\":0}"},
    {"rules", -1, "text", "{\"unit\":\"word\",\"ngrams\":[1],\"value\":\"count\",\"hash_bits\":0}"},
    {"rules", -1, "text", "{\"unit\":\"word\",\"ngrams\":[1,2],\"value\":\"counts\",\"hash_bits\":0}"},
    {"rules", -1, "text", "{\"unit\":\"word\",\"ngrams\":[1,2],\"value\":\"count\",\"hash_bits\":29}"},
    {"rules", -1, "cross", "[]"},
    {"rules", -1, "cross", "{}"},
    {"rules", -1, "cross", "[[0,6]]"},
    {"rules", -1, "cross", "[[1,1]]"},
    {"rules", -1, "cross", "[[0,1,2]]"},
    {"rules", -1, "cross", "[0,1]"},
    {"rules", -1, "cross", "[[0,-1]]"},
    {"rules", -1, "degree", "0"},
    {"rules", -1, "degree", "3"},
    {"rules", -1, "rff", "0"},
    {"rules", -1, "rff", "1e9"},
    {"rules", -1, "rff", "5"}, /* without rff_gamma */
    {"columns", 0, "kind", "\"number\""},
    {"columns", 0, "kind", "null"},
    {"columns", 0, "kind", "7"},
    {"columns", 0, "kind", "\"categorical\""},
    {"columns", 0, "kind", "\"date\""},
    {"columns", 0, "kind", "\"text\""},
    {"columns", 0, "kind", "\"ignored\""}, /* then features do not add up */
    {"columns", 0, "asked", "null"},
    {"columns", 0, "asked", "1"},
    {"columns", 0, "fill", "null"},
    {"columns", 0, "fill", "\"1\""},
    {"columns", 0, "fill", "[]"},
    {"columns", 0, "indicator", "null"},
    {"columns", 0, "indicator", "0"},
    {"columns", 0, "indicator", "false"}, /* do not add up */
    {"columns", 1, "levels", "null"},
    {"columns", 1, "levels", "{}"},
    {"columns", 1, "levels", "\"abc\""},
    {"columns", 1, "levels", "[]"},
    {"columns", 1, "levels", "[\"red\",\"blue\"]"},
    {"columns", 1, "levels", "[\"blue\",\"red\"]"}, /* do not add up */
    {"columns", 1, "levels", "[\"\\\"q\\\\uote\",\"red\",\"blue\"]"},
    {"columns", 1, "levels", "[\"blue\",\"blue\",\"red\"]"},
    {"columns", 1, "levels", "[\" blue\",\"red\",\"x\"]"},
    {"columns", 1, "levels", "[\"10\",\"9\",\"8\"]"},
    {"columns", 1, "levels", "[\"3\",\"2\",\"1.0\"]"},
    {"columns", 1, "as_spelt", "null"},
    {"columns", 1, "as_spelt", "false"},
    {"columns", 1, "as_spelt", "1"},
    {"rules", -1, "as_spelt", "false"},
    {"rules", -1, "as_spelt", "\"yes\""},
    {"columns", 1, "levels", "[1,2,3]"},
    {"columns", 1, "levels", "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\",\"j\",\"k\",\"l\",\"m\",\"n\"]"},
    {"columns", 1, "pooled", "[]"},
    {"columns", 1, "pooled", "null"},
    {"columns", 1, "pooled", "[\"rare\"]"}, /* one feature more */
    {"columns", 1, "pooled", "[\"red\"]"},
    {"columns", 1, "missing", "null"},
    {"columns", 1, "missing", "1"},
    {"columns", 1, "missing", "false"}, /* do not add up */
    {"columns", 2, "fill", "1.5"},
    {"columns", 2, "fill", "-0.5"},
    {"columns", 2, "fill", "null"},
    {"columns", 2, "indicator", "null"},
    {"columns", 3, "order", "null"},
    {"columns", 3, "order", "\"year first\""},
    {"columns", 3, "order", "1"},
    {"columns", 3, "fill", "1e9"},
    {"columns", 3, "fill", "-1e9"},
    {"columns", 3, "fill", "null"},
    {"columns", 3, "kind", "\"numeric\""},
    {"columns", 4, "kind", "\"numeric\""},
    {"columns", 4, "kind", "\"nothing\""},
};

static void broken_members(void **state) {
    (void)state;
    hsp_frame *f;
    hsp_encoding *e = learn("missing=indicator", &f), *back = NULL;
    char *text = frames_saved(e);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hsp_json_value *good = json_tree(text);
        const hsp_json_value *table = hsp_json_get(good, "table"), *in = bad[i].in ? hsp_json_get(table, bad[i].in) : table;
        if (bad[i].at >= 0) in = hsp_json_item(in, bad[i].at);
        assert_true(hsp_json_is(in, HSP_JSON_OBJECT));
        hsp_json_value *tree = json_with(good, in, bad[i].key, bad[i].value);
        hsp_error *err = NULL;
        const hsp_json_loader l = {tree, "m.hsm", &err};
        int status = hsp_encoding_load(&l, e->d, &back);
        if (status == 0) fail_msg("%s = %s was taken", bad[i].key, bad[i].value);
        assert_true(status == HSP_EINPUT && !back && err);
        if (strncmp(hsp_error_message(err), "m.hsm: damaged file, invalid '", 30) != 0)
            fail_msg("%s", hsp_error_message(err));
        hsp_error_free(err);
        hsp_free(tree);
        hsp_free(good);
    }
    hsp_free(text);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

/* Every member is required, except for the optional ones. */
static void members_left_out(void **state) {
    (void)state;
    hsp_frame *f;
    hsp_encoding *e = learn("missing=indicator", &f), *back = NULL;
    char *text = frames_saved(e);
    hsp_json_value *whole = json_tree(text);
    const hsp_json_value *table = hsp_json_get(whole, "table"), *rules = hsp_json_get(table, "rules"),
                         *parts[] = {table, rules, hsp_json_get(table, "schema"), NULL, NULL, NULL, NULL, NULL};
    for (int64_t j = 0; j < 5; j++) parts[3 + j] = hsp_json_item(hsp_json_get(table, "columns"), j);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        assert_true(hsp_json_is(parts[k], HSP_JSON_OBJECT) && parts[k]->count > 0);
        HSP_JSON_EACH(member, parts[k]) {
            const char *name = member->key;
            hsp_json_value *tree = json_with(whole, parts[k], name, NULL);
            const hsp_json_loader l = {tree, "m.hsm", NULL};
            int status = hsp_encoding_load(&l, e->d, &back);
            if (strcmp(name, "as_spelt") == 0 || strcmp(name, "spelt") == 0) { /* up to format 4 */
                assert_int_equal(status, 0);
                hsp_encoding_release(back);
                back = NULL;
            } else if (status != HSP_EINPUT || back) {
                fail_msg("'%s' may be left out of part %zu", name, k);
            }
            hsp_free(tree);
        }
    }
    const hsp_json_loader l = {whole, "m.hsm", NULL};
    assert_int_equal(hsp_encoding_load(&l, e->d, &back), 0);
    hsp_encoding_release(back);
    hsp_free(whole);
    hsp_free(text);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

static void too_little_room(void **state) {
    (void)state;
    hsp_frame *f;
    hsp_encoding *e = learn("missing=indicator;degree=2", &f), *back = NULL;
    char *text = frames_saved(e);
    for (int64_t room = 0; room < e->d; room++) {
        assert_int_equal(load(text, room, &back, NULL), HSP_EINPUT);
        assert_null(back);
    }
    hsp_free(text);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

static void memory_runs_out(void **state) {
    (void)state;
    hsp_frame *f;
    hsp_encoding *e = learn("missing=indicator;min-count=2;cross=x:colour;rff=2;text=word", &f);
    char *text = frames_saved(e);
    hsp_json_value *tree = json_tree(text);
    for (int64_t k = 0;; k++) {
        hsp_encoding *back = NULL;
        hsp_error *err = NULL;
        const hsp_json_loader l = {tree, "m.hsm", &err};
        hsp_memory_fail_after(k);
        int status = hsp_encoding_load(&l, e->d, &back);
        hsp_memory_fail_after(-1);
        hsp_encoding_release(back);
        hsp_error_free(err);
        if (status == 0) break;
        assert_int_equal(status, HSP_EMEMORY);
        assert_true(k < 1000);
    }
    hsp_free(tree);
    hsp_free(text);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(round_trip),      cmocka_unit_test(learnt_again),     cmocka_unit_test(none_at_all),
        cmocka_unit_test(broken_members),  cmocka_unit_test(members_left_out), cmocka_unit_test(too_little_room),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
