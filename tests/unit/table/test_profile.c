/* What the columns hold, counted by chunks and threads, and counted naively. */
#include "frames.h"

#include "base/rng.h"
#include "table/profile.h"

#include <stdio.h>

static hsp_profile *profile(const hsp_frame *f, const bool *text, int threads) {
    hsp_profile *p = NULL;
    hsp_error *err = NULL;
    frames_ok(hsp_profile_table(&(hsp_profile_request){.f = f, .text = text}, threads, &p, &err), &err);
    return p;
}

static void a_small_table(void **state) {
    (void)state;
    hsp_frame *f = frames_of("id,x,w,mixed,none,when,y\n"
                             "1,0.5,b,1,,2024-01-01,0\n"
                             "2,,a, 01,,1.1.2024,0\n"
                             "5,-0,b,x,,,1\n"
                             "9,0,longer,1.0,,soon,1\n",
                             3);
    hsp_profile *p = profile(f, NULL, 1);
    assert_true(p[0].cells == 4 && p[0].numbers == 4 && p[0].words == 0 && p[0].missing == 0);
    assert_true(p[0].whole && p[0].ascending && p[0].least == 1 && p[0].greatest == 9 && p[0].mean == 4.25);
    assert_true(p[0].distinct == 4 && p[0].number[2] == 5 && p[0].number_count[2] == 1 && !p[0].word_line);
    assert_true(p[1].numbers == 3 && p[1].missing == 1 && p[1].first_missing.line == 3 && !p[1].whole && !p[1].ascending);
    assert_true(p[1].distinct == 2 && p[1].number_count[1] == 2); /* -0 is 0 */
    assert_true(p[2].words == 4 && hsp_profile_levels(&p[2]) == 3 && p[2].longest == 6 && p[2].word_line == 2);
    assert_string_equal(hsp_intern_text(p[2].dictionary, 0), "b");
    assert_string_equal(hsp_intern_text(p[2].dictionary, 2), "longer");
    assert_true(p[2].count[0] == 2 && p[2].count[1] == 1 && isnan(p[2].mean) && isnan(p[2].least));
    assert_true(p[3].numbers == 2 && p[3].words == 2 && p[3].distinct == 1 && p[3].word_line == 3);
    assert_string_equal(hsp_intern_text(p[3].dictionary, 0), "01"); /* " 01" as it is spelt: a code */
    assert_true(p[4].missing == 4 && p[4].first_missing.line == 2 && hsp_profile_levels(&p[4]) == 0);
    assert_true(p[5].dates == 2 && p[5].words == 3 && p[5].missing == 1 && p[5].first_missing.line == 4);
    hsp_profiles_free(p, 6);
    const bool text[] = {false, false, true, false, false, true};
    p = profile(f, text, 2);
    assert_true(p[2].words == 4 && hsp_profile_levels(&p[2]) == 0 && p[2].longest == 6 && p[5].dates == 0);
    hsp_profiles_free(p, 6);
    hsp_frame_free(f);
}

static void many_numbers(void **state) {
    (void)state;
    hsp_text t = {0};
    hsp_text_add(&t, "few,many,half,huge,y\n");
    for (int i = 0; i < 400; i++)
        hsp_text_format(&t, "%d,%d,%d.5,%s,0\n", i % HSP_PROFILE_NUMBERS, i % (HSP_PROFILE_NUMBERS + 1), i,
                        i % 2 ? "1.7e308" : "1.5e308");
    hsp_frame *f = frames_of(t.s, 7);
    hsp_profile *p = profile(f, NULL, 2);
    assert_true(p[0].distinct == HSP_PROFILE_NUMBERS && p[0].number_count[63] == 6 && p[0].number_count[0] == 7);
    assert_true(p[1].distinct == HSP_PROFILE_NUMBERS + 1 && p[1].greatest == 64);
    assert_true(p[2].distinct == HSP_PROFILE_NUMBERS + 1 && !p[2].whole && p[2].ascending);
    assert_true(isfinite(p[3].mean) && fabs(p[3].mean / 1.6e308 - 1) < 1e-12);
    hsp_profiles_free(p, 4);
    hsp_frame_free(f);
    hsp_text_free(&t);
}

/* A random table as text: cells from a small choice, so that all cases meet. */
static char *random_table(uint64_t seed, int rows) {
    static const char *const cells[] = {"", "1", "2.5", "-3", "a", "b", "yes", "2024-02-03", "1e17", "4503599627370497.5"};
    hsp_rng r = hsp_rng_new(seed, 1);
    hsp_text t = {0};
    char *out = NULL;
    hsp_text_add(&t, "p,q,r,s,y\n");
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < 4; j++) {
            int64_t k = hsp_rng_below(&r, j == 0 ? 4 : 10);
            if (j == 3 && k > 6)
                hsp_text_format(&t, "w%lld,", (long long)hsp_rng_below(&r, 500));
            else
                hsp_text_format(&t, "%s,", cells[k]);
        }
        hsp_text_add(&t, "c\n");
    }
    assert_int_equal(hsp_text_take(&t, &out, NULL), 0);
    return out;
}

static void assert_same(const hsp_profile *a, const hsp_profile *b) {
    assert_true(a->cells == b->cells && a->numbers == b->numbers && a->words == b->words && a->missing == b->missing);
    assert_true(a->distinct == b->distinct && a->whole == b->whole && a->ascending == b->ascending && a->dates == b->dates);
    assert_true(a->longest == b->longest && a->word_line == b->word_line && a->first_missing.line == b->first_missing.line);
    assert_memory_equal(&a->least, &b->least, sizeof a->least);
    assert_memory_equal(&a->greatest, &b->greatest, sizeof a->least);
    assert_memory_equal(&a->mean, &b->mean, sizeof a->mean);
    for (int64_t k = 0; k < a->distinct && a->distinct <= HSP_PROFILE_NUMBERS; k++)
        assert_true(a->number[k] == b->number[k] && a->number_count[k] == b->number_count[k]);
    assert_int_equal(hsp_profile_levels(a), hsp_profile_levels(b));
    for (int64_t k = 0; k < hsp_profile_levels(a); k++) {
        assert_string_equal(hsp_intern_text(a->dictionary, k), hsp_intern_text(b->dictionary, k));
        assert_int_equal(a->count[k], b->count[k]);
    }
}

/* For any cut of the rows and any number of threads. */
static void cut_anyhow(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        char *csv = random_table(seed, 5000);
        hsp_frame *whole = frames_of(csv, 100000), *cut = frames_of(csv, 1 + 40 * (int64_t)seed);
        hsp_profile *a = profile(whole, NULL, 1), *b = profile(cut, NULL, 1), *c = profile(cut, NULL, 2);
        for (int j = 0; j < 4; j++) {
            assert_same(&a[j], &b[j]);
            assert_same(&b[j], &c[j]);
        }
        hsp_profiles_free(a, 4);
        hsp_profiles_free(b, 4);
        hsp_profiles_free(c, 4);
        hsp_frame_free(whole);
        hsp_frame_free(cut);
        free(csv);
    }
}

static void memory_runs_out(void **state) {
    (void)state;
    char *csv = random_table(7, 60);
    hsp_frame *f = frames_of(csv, 20);
    for (int64_t k = 0;; k++) {
        hsp_profile *p = NULL;
        hsp_error *err = NULL;
        hsp_memory_fail_after(k);
        int status = hsp_profile_table(&(hsp_profile_request){.f = f}, 1, &p, &err);
        hsp_memory_fail_after(-1);
        hsp_profiles_free(p, 4);
        hsp_error_free(err);
        if (status == 0) break;
        assert_true(status == HSP_EMEMORY && !p);
        assert_true(k < 1000);
    }
    hsp_frame_free(f);
    free(csv);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(a_small_table),
        cmocka_unit_test(many_numbers),
        cmocka_unit_test(cut_anyhow),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
