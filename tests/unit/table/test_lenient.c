/* Lenient rules: what blocks only training is not an error, but kept as the refusal of the encoding. */
#include "frames.h"

/* Learns by lenient rules, whose refusal must be the error of the other rules; NULL when there is none. */
static hsp_encoding *learn_both_ways(const hsp_frame *f, const char *options) {
    hsp_encoding *strict = NULL, *e = NULL;
    hsp_error *err = NULL, *error = NULL;
    int status = frames_learn(f, options, 2, &strict, &error);
    frames_ok(frames_learn_by(f, options, true, 2, &e, &err), &err);
    if (status)
        assert_string_equal(e->refusal, hsp_error_message(error));
    else
        assert_null(e->refusal);
    hsp_error_free(error);
    hsp_encoding_release(strict);
    return e;
}

static const char slip[] = "age,when,size,label\n1,03/1/2024,5,a\n2,03/2/2024,,b\n3,03/3/2024,7,a\n4,03/4/2024,8,b\n"
                           "5,03/5/2024,9,a\n6,03/6/2024,1,b\n7,03/7/2024,2,a\n8,03/8/2024,3,b\n9,03/9/2024,4,a\n"
                           "10,03/9/2024,4,b\n11,03/9/2024,4,a\n1o,03/9/2024,4,b\n";

static void unrecognised_columns_are_left_out(void **state) {
    (void)state;
    hsp_frame *f = frames_of(slip, 5);
    hsp_encoding *e = learn_both_ways(f, "");
    assert_ptr_equal(e->column[0].kind, &hsp_kind_ignored);
    assert_ptr_equal(e->column[1].kind, &hsp_kind_ignored);
    assert_non_null(strstr(e->column[0].trouble, "t.csv:13: column 'age' holds '1o', but 11 other cells hold numbers"));
    assert_non_null(strstr(e->column[1].trouble, "whether the day or the month comes first"));
    assert_null(e->column[2].trouble);
    assert_string_equal(e->refusal, e->column[0].trouble);
    assert_true(e->incomplete);
    assert_true(e->unasked);
    frames_assert_names(e, "size|");
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

static void missing_values_alone(void **state) {
    (void)state;
    hsp_frame *f = frames_of("a,b,label\n1,x,p\n,y,q\n3,,p\n", 5);
    hsp_encoding *e = learn_both_ways(f, "");
    assert_true(e->unasked);
    assert_false(e->incomplete);
    frames_assert_rows(e, f, "0:1 1:1|0:2 2:1|0:3 3:1|");
    hsp_encoding_release(e);
    e = learn_both_ways(f, "missing=mean");
    assert_false(e->unasked);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

static void no_column_is_left(void **state) {
    (void)state;
    hsp_frame *f = frames_of("a,b,label\n\"1,5\",,p\ninf,,q\n", 5);
    hsp_encoding *e = learn_both_ways(f, "cross=a:b");
    hsp_encoding_release(e);
    hsp_frame_free(f);
    f = frames_of("a,label\n,p\n,q\n", 5);
    e = learn_both_ways(f, "");
    assert_int_equal(e->d, 0);
    assert_null(e->column[0].trouble);
    assert_true(e->incomplete);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

/* An option that cannot be met is refused by lenient rules too, unless its columns were left out for other reasons. */
static void options_are_not_lenient(void **state) {
    (void)state;
    hsp_frame *f = frames_of("a,b,label\nred,x,p\nblue,y,q\n", 5);
    hsp_encoding *e = NULL;
    hsp_error *err = NULL;
    frames_fails(frames_learn_by(f, "degree=2", true, 2, &e, &err), HSP_EUSAGE, &err,
                 "--degree 2 needs numeric columns, and there are none: leave it out");
    hsp_frame_free(f);
    f = frames_of(slip, 5);
    e = learn_both_ways(f, "cross=age:size");
    assert_null(e->expansion);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

static void memory_runs_out(void **state) {
    (void)state;
    hsp_frame *f = frames_of(slip, 5);
    frames_learn_short_of_memory(f, "", true);
    hsp_frame_free(f);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(unrecognised_columns_are_left_out),
        cmocka_unit_test(missing_values_alone),
        cmocka_unit_test(no_column_is_left),
        cmocka_unit_test(options_are_not_lenient),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
