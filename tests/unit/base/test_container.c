/* The container: what is written is read back, and files with false sizes are refused before anything is allocated for
 * them. */
#include "model/handmade.h"

#include "base/container.h"

#include <stdio.h>
#include <xxhash.h>

/* A file with a header of the test, everything else as it should be: the true length, total and checksum. The figures
 * of the magic line can be forged: negative ones are the true ones. */
static char *forge(const char *json, const void *body, int64_t body_size, int64_t header_says, int64_t total_says,
                   int64_t *size) {
    char line[128];
    int n = snprintf(line, sizeof line, "halfspace model 1 header %012d total %015d\n", 0, 0);
    int64_t header = ((int64_t)strlen(json) + n + 1 + 63) / 64 * 64 - n, total = n + header + body_size + 8;
    char *p = malloc((size_t)total);
    snprintf(line, sizeof line, "halfspace model 1 header %012lld total %015lld\n",
             (long long)(header_says < 0 ? header : header_says), (long long)(total_says < 0 ? total : total_says));
    memcpy(p, line, (size_t)n);
    memset(p + n, ' ', (size_t)header);
    memcpy(p + n, json, strlen(json));
    p[n + header - 1] = '\n';
    if (body_size > 0) memcpy(p + n + header, body, (size_t)body_size);
    uint64_t hash = XXH3_64bits(p, (size_t)total - 8);
    memcpy(p + total - 8, &hash, 8);
    *size = total;
    return p;
}

static const hsp_container_kind known = {"model", 1, "model", "train"};

static void refuse(const char *bytes, int64_t size, const char *words) {
    hsp_container c;
    hsp_error *err = NULL;
    hsp_memory_fail_after(-1);
    int status = hsp_container_unpack(&known, bytes, size, "some.hsm", &c, &err);
    assert_true(hsp_memory_calls() < 10);
    if (err) assert_string_equal(hsp_error_file(err), "some.hsm");
    handmade_fails(status, HSP_EINPUT, &err, words);
    assert_true(!c.header && !c.json && !c.arrays);
}

static void test_round_trip(void **state) {
    (void)state;
    const double a[] = {1, 2, 3, 4, 5, 6};
    const int32_t b[] = {7, 8, 9};
    const float f[] = {0.5F};
    const hsp_container_array in[] = {{"a", HSP_FLOAT64, {2, 3}, a},
                                      {"b", HSP_INT32, {3, 1}, b},
                                      {"empty", HSP_FLOAT64, {0, 5}, NULL},
                                      {"f", HSP_FLOAT32, {1, 1}, f}};
    const char *headers[] = {"{}", "{\"k\":1}", "{\"k\":{\"x\":[1,{}]},\"s\":\"\\\\\",\"t\":\"}\\\"{,:\"}"};
    for (int h = 0; h < 3; h++) {
        for (int64_t count = 0; count <= 4; count++) {
            void *bytes;
            int64_t size;
            hsp_error *err = NULL;
            handmade_ok(hsp_container_pack("model", 1, headers[h], in, count, &bytes, &size, &err), err);
            hsp_container c;
            int status = hsp_container_unpack(&known, bytes, size, "x", &c, &err);
            handmade_ok(status, err);
            assert_int_equal(c.version, 1);
            assert_int_equal(c.count, count);
            for (int64_t i = 0; i < count; i++) {
                const hsp_container_array *out = hsp_container_find(&c, in[i].name, in[i].dtype);
                assert_non_null(out);
                assert_true(((const char *)out->data - (const char *)bytes) % 64 == 0);
                assert_true(out->shape[0] == in[i].shape[0] && out->shape[1] == in[i].shape[1]);
                if (i != 2) assert_memory_equal(out->data, in[i].data, 4);
                assert_null(hsp_container_find(&c, in[i].name, HSP_UINT32));
            }
            assert_null(hsp_container_find(&c, "zzz", HSP_FLOAT64));
            hsp_container_clear(&c);
            hsp_free(bytes);
        }
    }
}

static void test_outside(void **state) {
    (void)state;
    int64_t size;
    refuse("", 0, "not a halfspace model: create one with `halfspace train`");
    refuse("halfspace model", 15, "not a halfspace model");
    refuse("1,2,3\n4,5,6\n", 12, "not a halfspace model");
    refuse("halfspace cache 1 header", 24, "not a halfspace model");
    refuse("halfspace model x header", 24, "not a halfspace model");
    refuse("halfspace model -1 header", 25, "not a halfspace model");
    refuse("halfspace model 2 something else", 32, "version 2, but this halfspace reads versions up to 1");
    refuse("halfspace model 0 header 000000000010 total 000000000000050\n", 59, "damaged");
    refuse("halfspace model 1 header 99999999999999999999999 total 1\n", 57, "damaged");
    refuse("halfspace model 1 header 000000000010 total 000000000000059\n", 59, "damaged");
    refuse("halfspace model 1 header", 24, "damaged");
    const hsp_container_kind map = {"map", 3, "map of the moon", "survey"}; /* the words are the caller's */
    hsp_container c;
    hsp_error *err = NULL;
    int status = hsp_container_unpack(&map, "halfspace model 1 header", 24, "m", &c, &err);
    handmade_fails(status, HSP_EINPUT, &err, "not a halfspace map of the moon: create one with `halfspace survey`");
    status = hsp_container_unpack(&map, "halfspace map 4 header", 22, "m", &c, &err);
    handmade_fails(status, HSP_EINPUT, &err, "map of version 4, but this halfspace reads versions up to 3");
    char *p = forge("{\"arrays\":[]}", NULL, 0, -1, -1, &size);
    handmade_ok(hsp_container_unpack(&known, p, size, "x", &c, &err), err);
    hsp_container_clear(&c);
    free(p);
    const int64_t lies[] = {0, 1, 4, 5, 63, 68, 69, 132, 133, 1000000, 999999999999};
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        p = forge("{\"arrays\":[]}", NULL, 0, lies[i], -1, &size);
        if (lies[i] != 4 && lies[i] != 68) refuse(p, size, "damaged");
        free(p);
    }
    p = forge("{\"arrays\":[]}", NULL, 0, -1, 999999999999999, &size);
    refuse(p, size, "truncated");
    free(p);
    p = forge("{\"arrays\":[]}", NULL, 0, -1, 10, &size);
    refuse(p, size, "extra bytes at the end");
    free(p);
}

static void test_headers(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "[]",
        "{",
        "null",
        "{}",
        "{\"arrays\":{}}",
        "{\"arrays\":[],\"arrays\":[]}",
        "{\"arrays\":[1]}",
        "{\"arrays\":[{}]}",
        "{\"arrays\":[{\"name\":\"a\",\"dtype\":\"float64\",\"shape\":[1,1]}]}",
        "{\"arrays\":[{\"name\":1,\"dtype\":\"float64\",\"shape\":[1,1],\"offset\":0}]}",
        "{\"arrays\":[{\"name\":\"a\",\"dtype\":\"float65\",\"shape\":[1,1],\"offset\":0}]}",
        "{\"arrays\":[{\"name\":\"a\",\"dtype\":\"float32\",\"shape\":[1,1],\"offset\":0}]}",
        "{\"arrays\":[{\"name\":\"a\",\"dtype\":\"float64\",\"shape\":[1],\"offset\":0}]}",
        "{\"arrays\":[{\"name\":\"a\",\"dtype\":\"float64\",\"shape\":[1,1,1],\"offset\":0}]}",
        "{\"arrays\":[{\"name\":\"a\",\"dtype\":\"float64\",\"shape\":[1,2],\"offset\":0}]}",
        "{\"arrays\":[{\"name\":\"a\",\"dtype\":\"float64\",\"shape\":[-1,-1],\"offset\":0}]}",
        "{\"arrays\":[{\"name\":\"a\",\"dtype\":\"float64\",\"shape\":[0.5,2],\"offset\":0}]}",
        "{\"arrays\":[{\"name\":\"a\",\"dtype\":\"float64\",\"shape\":[\"1\",1],\"offset\":0}]}",
        "{\"arrays\":[{\"name\":\"a\",\"dtype\":\"float64\",\"shape\":[9007199254740992,9007199254740992],\"offset\":0}]}",
        "{\"arrays\":[{\"name\":\"a\",\"dtype\":\"float64\",\"shape\":[1e300,1],\"offset\":0}]}",
        "{\"arrays\":[{\"name\":\"a\",\"dtype\":\"float64\",\"shape\":[4611686018427387905,4],\"offset\":0}]}",
        "{\"arrays\":[{\"name\":\"a\",\"dtype\":\"float64\",\"shape\":[1,1],\"offset\":64}]}",
        "{\"arrays\":[{\"name\":\"a\",\"dtype\":\"float64\",\"shape\":[1,1],\"offset\":-64}]}",
        "{\"arrays\":[{\"name\":\"a\",\"dtype\":\"float64\",\"shape\":[1,1],\"offset\":0},"
        "{\"name\":\"b\",\"dtype\":\"float64\",\"shape\":[1,1],\"offset\":0}]}",
        "{\"arrays\":[{\"name\":\"a\",\"dtype\":\"float64\",\"shape\":[1,1],\"offset\":0},"
        "{\"name\":\"b\",\"dtype\":\"float64\",\"shape\":[0,1],\"offset\":64}]}",
    };
    const double one = 1;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int64_t size;
        char *p = forge(wrong[i], &one, 8, -1, -1, &size);
        refuse(p, size, "damaged");
        free(p);
    }
    /* A header so deep that a recursive parser would run out of stack. */
    char *deep = malloc(100001);
    memset(deep, '[', 100000);
    deep[100000] = '\0';
    int64_t size;
    char *p = forge(deep, NULL, 0, -1, -1, &size);
    refuse(p, size, "damaged");
    free(p);
    free(deep);
}

static void test_unusable_array(void **state) {
    (void)state;
    const hsp_container_array in[] = {{"a", 99, {2, 3}, NULL}};
    void *bytes;
    int64_t size;
    hsp_error *err = NULL;
    int status = hsp_container_pack("model", 1, "{}", in, 1, &bytes, &size, &err);
    handmade_fails(status, HSP_EINTERNAL, &err, "has no size");
    assert_null(bytes);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_unusable_array),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
