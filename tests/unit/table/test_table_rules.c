/* What options ask of the columns of a table. */
#include "frames.h"

static const char table[] = "Age,Sex,When,a:b,7,Survived\n1,m,2024-01-01,1,2,0\n";

static int make(const char *options, hsp_table_rules *r, hsp_error **err) {
    hsp_frame *f = frames_of(table, 10);
    hsp_options *o = frames_options(options);
    int status = hsp_table_rules_make(o, &f->schema, "t.csv", r, err);
    hsp_options_free(o);
    hsp_frame_free(f);
    return status;
}

static void kinds(void **state) {
    (void)state;
    hsp_table_rules r, s;
    hsp_error *err = NULL;
    int status = make("categorical=Age, 4,,Age;date=When;text=2;numeric=7;missing=median;min-count=3;cross=Age:Sex,a:b:7;"
                      "ngrams=2-3;text-value=presence;hash-bits=10;degree=2;rff=5;rff-gamma=0.5;seed=9",
                      &r, &err);
    frames_ok(status, &err);
    assert_int_equal(r.d, 5);
    assert_ptr_equal(r.kind[0], &hsp_kind_categorical);
    assert_ptr_equal(r.kind[1], &hsp_kind_text);
    assert_ptr_equal(r.kind[2], &hsp_kind_date);
    assert_ptr_equal(r.kind[3], &hsp_kind_categorical);
    assert_ptr_equal(r.kind[4], &hsp_kind_numeric); /* a name before a number */
    assert_true(r.missing == HSP_MISSING_MEDIAN && r.min_count == 3 && r.crosses == 2);
    assert_true(r.cross[0][0] == 0 && r.cross[0][1] == 1 && r.cross[1][0] == 3 && r.cross[1][1] == 4);
    assert_true(!r.characters && r.gram_least == 2 && r.gram_most == 3 && r.text_value == HSP_TEXT_PRESENCE);
    assert_true(r.hash_bits == 10 && r.degree == 2 && r.fourier == 5 && r.fourier_gamma == 0.5 && r.seed == 9);
    assert_string_equal(r.file, "t.csv");
    frames_ok(hsp_table_rules_copy(&r, &s, &err), &err);
    hsp_table_rules_clear(&r);
    assert_true(s.kind[2] == &hsp_kind_date && s.cross[1][1] == 4 && strcmp(s.file, "t.csv") == 0);
    hsp_table_rules_clear(&s);
    assert_true(!s.kind && !s.cross && !s.file && s.d == 0);
}

static void defaults(void **state) {
    (void)state;
    hsp_table_rules r;
    hsp_error *err = NULL;
    frames_ok(make("", &r, &err), &err);
    for (int64_t j = 0; j < r.d; j++) assert_null(r.kind[j]);
    assert_true(r.missing == HSP_MISSING_ERROR && r.min_count == 1 && r.crosses == 0 && !r.cross && r.degree == 1);
    assert_true(r.gram_least == 1 && r.gram_most == 2 && r.hash_bits == 0 && r.fourier == 0 && isnan(r.fourier_gamma));
    hsp_table_rules_clear(&r);
    frames_ok(make("text=Sex;text-unit=char", &r, &err), &err);
    assert_true(r.characters && r.gram_least == 2 && r.gram_most == 4);
    hsp_table_rules_clear(&r);
    frames_ok(make("text=Sex;ngrams=3", &r, &err), &err);
    assert_true(r.gram_least == 3 && r.gram_most == 3);
    hsp_table_rules_clear(&r);
}

static void faults(void **state) {
    (void)state;
    const struct {
        const char *options, *message;
    } bad[] = {
        {"categorical=Agee", "--categorical: t.csv has no feature column 'Agee': choose from Age, Sex, When, a:b, 7"},
        {"numeric=0", "--numeric: t.csv has no feature column '0': choose from Age, Sex, When, a:b, 7"},
        {"text=8", "--text: t.csv has no feature column '8': choose from Age, Sex, When, a:b, 7"},
        {"date=Survived", "--date: column 'Survived' holds the target: choose another column"},
        {"date=6", "--date: column '6' holds the target: choose another column"},
        {"categorical=Sex;text=Age,Sex", "column 'Sex' is both --categorical and --text: name it in one of them"},
        {"numeric=1;date=Age", "column 'Age' is both --numeric and --date: name it in one of them"},
        {"cross=Age", "--cross: 'Age' does not name two columns: write A:B"},
        {"cross=Age:Sexx", "--cross: t.csv has no feature column 'Sexx': choose from Age, Sex, When, a:b, 7"},
        {"cross=Agee:Sex", "--cross: t.csv has no feature column 'Agee': choose from Age, Sex, When, a:b, 7"},
        {"cross=Age:Survived", "--cross: column 'Survived' holds the target: choose another column"},
        {"cross=Age:1", "--cross: 'Age:1' is the same column twice: name two columns, or use --degree 2"},
        {"cross=Age:Sex,Sex:Age", "--cross names 'Sex:Age' twice: name it once"},
        {"text=Sex;ngrams=0", "--ngrams cannot be '0': give N or N-M, from 1 to 20"},
        {"text=Sex;ngrams=3-2", "--ngrams cannot be '3-2': give N or N-M, from 1 to 20"},
        {"text=Sex;ngrams=1-21", "--ngrams cannot be '1-21': give N or N-M, from 1 to 20"},
        {"text=Sex;ngrams=1-", "--ngrams cannot be '1-': give N or N-M, from 1 to 20"},
        {"text=Sex;ngrams=1-2x", "--ngrams cannot be '1-2x': give N or N-M, from 1 to 20"},
        {"text=Sex;ngrams=two", "--ngrams cannot be 'two': give N or N-M, from 1 to 20"},
        {"ngrams=1", "--ngrams is for text columns, and there are none: name them with --text"},
        {"text-unit=char", "--text-unit is for text columns, and there are none: name them with --text"},
        {"text-value=count", "--text-value is for text columns, and there are none: name them with --text"},
        {"hash-bits=4", "--hash-bits is for text columns, and there are none: name them with --text"},
        {"rff-gamma=1", "--rff-gamma has no effect without random Fourier features: add --rff N"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hsp_table_rules r;
        hsp_error *err = NULL;
        frames_fails(make(bad[i].options, &r, &err), HSP_EUSAGE, &err, bad[i].message);
        assert_true(!r.kind && !r.cross && !r.file);
    }
}

static void whether_any_is_asked(void **state) {
    (void)state;
    static const char *const yes[] = {"missing=error", "categorical=x", "numeric=x",      "date=x",          "text=x",
                                      "min-count=1",   "ngrams=1",      "text-unit=char", "degree=1",        "rff=3",
                                      "rff-gamma=1",   "hash-bits=2",   "cross=a:b",      "text-value=count"};
    static const char *const no[] = {"", "seed=3", "threads=2", "C=1", "missing-values=x", "ignore=3", "strict=yes"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        hsp_options *o = frames_options(yes[i]);
        if (!hsp_table_rules_asked(o)) fail_msg("%s", yes[i]);
        hsp_options_free(o);
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        hsp_options *o = frames_options(no[i]);
        if (hsp_table_rules_asked(o)) fail_msg("%s", no[i]);
        hsp_options_free(o);
    }
    assert_null(hsp_table_rules_asked(NULL));
}

static void memory_runs_out(void **state) {
    (void)state;
    hsp_frame *f = frames_of(table, 10);
    hsp_options *o = frames_options("categorical=Age;cross=Age:Sex,Age:When;text=Sex");
    for (int64_t k = 0;; k++) {
        hsp_table_rules r = {0}, s = {0};
        hsp_memory_fail_after(k);
        int status = hsp_table_rules_make(o, &f->schema, "t.csv", &r, NULL);
        if (!status) status = hsp_table_rules_copy(&r, &s, NULL);
        hsp_memory_fail_after(-1);
        hsp_table_rules_clear(&r);
        hsp_table_rules_clear(&s);
        if (status == 0) break;
        assert_int_equal(status, HSP_EMEMORY);
        assert_true(k < 100);
    }
    hsp_options_free(o);
    hsp_frame_free(f);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(kinds),           cmocka_unit_test(defaults),
        cmocka_unit_test(faults),          cmocka_unit_test(whether_any_is_asked),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
