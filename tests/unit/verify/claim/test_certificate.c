/* The dual vector in a file of its own: written, read back to the same bits, and broken in every way. */
#include "read/own_folder.h"
#include "trained.h"
#include "verify/claim/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static char *file_text(const char *name) {
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    char *text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return text;
}

static void write_text(const char *name, const char *text) {
    assert_int_equal(hsp_write_file(name, text, strlen(text), NULL), 0);
}

/* 1: verified, 0: not, negative: the status; the message in `said`. */
static int outcome(const hsp_model *m, const hsp_data *data, const char *certificate, char said[512]) {
    hsp_report *report = NULL;
    hsp_error *err = NULL;
    int status = hsp_verify(m, data, certificate, NULL, NULL, &report, &err);
    assert_true((status == 0) == (report != NULL) && (status == 0) == (err == NULL));
    snprintf(said, 512, "%s", err ? hsp_error_message(err) : "");
    if (!status) {
        status = hsp_report_flag(report, "verified") == 1;
        const char *first = hsp_report_text(report, "first_false");
        snprintf(said, 512, "%s", first ? first : "");
    }
    hsp_report_free(report);
    hsp_error_free(err);
    return status;
}

static void certificates_read_back(void **unused) {
    (void)unused;
    const struct {
        const char *classes, *header;
        const char *const *pairs;
    } cases[] = {
        {"2", "row,alpha,margin,slack,kind\n", PAIRS("algorithm", "svm", "scale", "standard")},
        {"3", "row,class,alpha,margin,slack,kind\n", PAIRS("algorithm", "svm", "loss", "squared-hinge")},
        {"2", "row,alpha,margin\n", PAIRS("algorithm", "logistic")},
        {"2", "row,alpha,margin\n", PAIRS("algorithm", "logistic", "penalty", "l1", "tol", "1e-7")},
        {"3", "row,class,alpha,margin\n", PAIRS("algorithm", "logistic", "multiclass", "ovr")},
        {"3", "row,class,multiplier,score\n", PAIRS("algorithm", "logistic")},
        {"2", "row,alpha,margin\n", PAIRS("algorithm", "ridge")},
        {"3", "row,class,alpha,margin\n", PAIRS("algorithm", "least-squares")},
        {"2", "row,alpha,margin,slack,kind\n", PAIRS("algorithm", "sgd", "penalty", "l2", "max-epochs", "9")},
    };
    const char *name = in_folder("certificate.csv");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char said[512];
        hsp_data *data = generated("blobs", PAIRS("rows", "150", "noise", "3", "classes", cases[i].classes));
        trained t = train(data, cases[i].pairs);
        assert_int_equal(t.status, 0);
        assert_int_equal(hsp_certificate_write(t.model, data, name, NULL), 0);
        char *text = file_text(name);
        assert_memory_equal(text, cases[i].header, strlen(cases[i].header));
        int64_t lines = 0, rows = 150 * (cases[i].classes[0] == '3' ? 3 : 1);
        for (char *s = text; *s; s++) lines += *s == '\n';
        assert_int_equal(lines, rows + 1);
        free(text);
        if (outcome(t.model, data, name, said) != 1) fail_msg("case %zu: %s", i, said);
        hsp_model_drop_dual(t.model);
        if (outcome(t.model, data, name, said) != 1) fail_msg("case %zu without its vector: %s", i, said);
        trained_free(&t);
        hsp_data_free(data);
    }
    unlink(name);
}

static void regression_and_merged_classes_read_back(void **unused) {
    (void)unused;
    char said[512];
    const char *name = in_folder("certificate.csv.gz");
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "noise", "3", "classes", "3"));
    trained merged = train(data, PAIRS("algorithm", "svm", "positive", data->classes.name[0]));
    assert_int_equal(merged.status, 0);
    assert_int_equal(hsp_certificate_write(merged.model, data, name, NULL), 0);
    assert_int_equal(outcome(merged.model, data, name, said), 1);
    double c[60], target[60];
    for (int64_t i = 0; i < 60; i++) c[i] = data->y[i] == 1 ? 0 : 0.5 + (double)i / 60;
    for (int i = 0; i < 60; i++) target[i] = cos(i) * 4;
    assert_int_equal(hsp_data_set_weights(data, c, NULL), 0);
    trained absent = train(data, PAIRS("algorithm", "svm"));
    assert_int_equal(absent.status, 0);
    assert_int_equal(hsp_certificate_write(absent.model, data, name, NULL), 0);
    assert_int_equal(outcome(absent.model, data, name, said), 1);
    assert_int_equal(hsp_data_set_targets(data, target, NULL), 0);
    trained numbers = train(data, PAIRS("algorithm", "ridge"));
    assert_int_equal(numbers.status, 0);
    assert_int_equal(hsp_certificate_write(numbers.model, data, name, NULL), 0);
    assert_int_equal(outcome(numbers.model, data, name, said), 1);
    unlink(name);
    trained_free(&merged);
    trained_free(&absent);
    trained_free(&numbers);
    hsp_data_free(data);
}

/* Every cell of the file, changed by the least that can be said. */
static void every_lie_in_a_certificate_is_found(void **unused) {
    (void)unused;
    const char *name = in_folder("certificate.csv");
    hsp_data *data = generated("blobs", PAIRS("rows", "40", "noise", "3"));
    trained t = train(data, PAIRS("algorithm", "svm"));
    char said[512], *text;
    assert_int_equal(t.status, 0);
    assert_int_equal(hsp_certificate_write(t.model, data, name, NULL), 0);
    hsp_model_drop_dual(t.model);
    text = file_text(name);
    char *again = calloc(1, 1 << 20);
    int64_t line = 0, column = 0, changed = 0;
    for (const char *s = text; *s; s += strcspn(s, ",\n") + 1) {
        size_t n = strcspn(s, ",\n");
        bool last = s[n] == '\n';
        if (line > 0 && column > 0) {
            static const char *const kinds[] = {"non-support", "on-margin", "bound"};
            char cell[64];
            double v;
            if (column < 4) {
                assert_int_equal(hsp_parse_number(s, n, &v), 0);
                hsp_format_number(v == 0 ? 1e-9 : nextafter(v, 1e300), cell);
            } else {
                snprintf(cell, sizeof cell, "%s", kinds[s[0] == 'n' ? 1 : s[0] == 'o' ? 2 : 0]);
            }
            snprintf(again, 1 << 20, "%.*s%s%s", (int)(s - text), text, cell, s + n);
            write_text(name, again);
            if (outcome(t.model, data, name, said) != 0) fail_msg("line %d, column %d", (int)line, (int)column);
            changed++;
        }
        column = last ? 0 : column + 1;
        line += last;
    }
    assert_int_equal(changed, 160);
    write_text(name, text);
    assert_int_equal(outcome(t.model, data, name, said), 1);
    unlink(name);
    free(text);
    free(again);
    trained_free(&t);
    hsp_data_free(data);
}

static void broken_certificates_are_refused(void **unused) {
    (void)unused;
    const char *name = in_folder("certificate.csv");
    hsp_data *data = generated("blobs", PAIRS("rows", "3", "noise", "3"));
    trained t = train(data, PAIRS("algorithm", "svm"));
    assert_int_equal(t.status, 0);
    const struct {
        const char *text, *message;
    } broken[] = {
        {"", "empty file"},
        {"\n\n", "empty file"},
        {"row,alpha,margin\n", ":1:1: not a certificate of this model, its first line must be "
                               "'row,alpha,margin,slack,kind': write the certificate again"},
        {"row,alpha,margin,slack,kind,x\n", "not a certificate"},
        {"row,class,alpha,margin,slack,kind\n", "not a certificate"},
        {"row,alpha,margin,slack,kind\n", "no line for row 1"},
        {"row,alpha,margin,slack,kind\n1,0,1,0,on-margin\n3,0,1,0,on-margin\n", "no line for row 2"},
        {"row,alpha,margin,slack,kind\n1,0,1,0\n", ":2: 4 cells instead of 5"},
        {"row,alpha,margin,slack,kind\n1,0,1,0,on-margin,7\n", ":2: 6 cells instead of 5"},
        {"row,alpha,margin,slack,kind\n0,0,1,0,on-margin\n", ":2:1: '0' is not a row of the data"},
        {"row,alpha,margin,slack,kind\n4,0,1,0,on-margin\n", ":2:1: '4' is not a row of the data"},
        {"row,alpha,margin,slack,kind\n-1,0,1,0,on-margin\n", "'-1' is not a row of the data"},
        {"row,alpha,margin,slack,kind\n1.5,0,1,0,on-margin\n", "'1.5' is not a row of the data"},
        {"row,alpha,margin,slack,kind\n99999999999999999999,0,1,0,bound\n", "is not a row of the data"},
        {"row,alpha,margin,slack,kind\n,0,1,0,on-margin\n", ":2:1: '' is not a row"},
        {"row,alpha,margin,slack,kind\n1,,1,0,on-margin\n", ":2:3: '' is not a number"},
        {"row,alpha,margin,slack,kind\n1,nan,1,0,on-margin\n", "'nan' is not a number"},
        {"row,alpha,margin,slack,kind\n1,1e999,1,0,on-margin\n", ":2:3: '1e999' is out of range"},
        {"row,alpha,margin,slack,kind\n1,0,inf,0,on-margin\n", ":2:5: 'inf' is not a number"},
        {"row,alpha,margin,slack,kind\n1,0,1,0x1,on-margin\n", "'0x1' is not a number"},
        {"row,alpha,margin,slack,kind\n1,0,1,0,support\n", ":2:9: 'support' is not one of"},
        {"row,alpha,margin,slack,kind\n1,0,1,0,\n", "'' is not one of"},
        {"row,alpha,margin,slack,kind\n1,0,1,0,bound\n1,0,1,0,bound\n", ":3:1: '1' is a duplicate row"},
        {"row,alpha,margin,slack,kind\n\"1,0,1,0,bound\n", "unclosed quote"},
        {"row,alpha,margin,slack,kind\n1,\"0\"x,1,0,bound\n", "text after the closing quote"},
    };
    char said[512];
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        write_text(name, broken[i].text);
        assert_int_equal(outcome(t.model, data, name, said), HSP_EINPUT);
        if (!strstr(said, broken[i].message)) fail_msg("case %zu: %s", i, said);
    }
    unlink(name);
    assert_int_equal(outcome(t.model, data, name, said), HSP_EINPUT); /* no such file */
    trained_free(&t);
    hsp_data_free(data);
}

static void what_has_no_vector_writes_none(void **unused) {
    (void)unused;
    char said[512];
    const char *name = in_folder("certificate.csv");
    hsp_data *data = generated("blobs", PAIRS("rows", "30", "noise", "3"));
    trained perceptron = train(data, PAIRS("algorithm", "perceptron", "max-epochs", "2"));
    trained mean = train(data, PAIRS("algorithm", "nearest-mean"));
    trained svm = train(data, PAIRS("algorithm", "svm"));
    hsp_error *err = NULL;
    assert_int_equal(hsp_certificate_write(perceptron.model, data, name, &err), HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(err), "has no dual vector"));
    hsp_error_free(err);
    assert_int_equal(hsp_certificate_write(mean.model, data, name, NULL), HSP_EINPUT);
    assert_int_equal(hsp_certificate_write(svm.model, data, in_folder("no/such"), NULL), HSP_EINPUT);
    name = in_folder("certificate.csv");
    hsp_model_drop_dual(svm.model);
    assert_int_equal(hsp_certificate_write(svm.model, data, name, NULL), HSP_EINPUT);
    assert_int_not_equal(access(name, F_OK), 0);
    write_text(name, "row,alpha,margin\n");
    assert_int_equal(outcome(perceptron.model, data, name, said), HSP_EINPUT);
    assert_non_null(strstr(said, "has no dual vector"));
    unlink(name);
    trained_free(&perceptron);
    trained_free(&mean);
    trained_free(&svm);
    hsp_data_free(data);
}

static void memory_runs_out_cleanly(void **unused) {
    (void)unused;
    const char *name = in_folder("certificate.csv");
    hsp_data *data = generated("blobs", PAIRS("rows", "30", "noise", "3", "classes", "3"));
    trained t = train(data, PAIRS("algorithm", "svm"));
    for (int reading = 0; reading < 2; reading++) {
        int status = HSP_EMEMORY;
        for (int64_t calls = 0; status == HSP_EMEMORY && calls < 5000; calls++) {
            hsp_report *report = NULL;
            hsp_memory_fail_after(calls);
            status = reading ? hsp_verify(t.model, data, name, NULL, NULL, &report, NULL)
                             : hsp_certificate_write(t.model, data, name, NULL);
            hsp_memory_fail_after(-1);
            if (status) assert_true(!report && (reading || access(name, F_OK) != 0));
            hsp_report_free(report);
        }
        assert_int_equal(status, 0);
    }
    unlink(name);
    trained_free(&t);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_read_back),
        cmocka_unit_test(regression_and_merged_classes_read_back),
        cmocka_unit_test(every_lie_in_a_certificate_is_found),
        cmocka_unit_test(broken_certificates_are_refused),
        cmocka_unit_test(what_has_no_vector_writes_none),
        cmocka_unit_test(memory_runs_out_cleanly),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
