/* Columns of groups and times: read, left out of the features, kept when rows are dropped; what is refused. */
#include "read_from.h"

#include "data/data.h"

#define F "t.csv"

/* Groups as codes and times, with blanks between; "-": none. */
static void check(const char *name, const char *text, const char *spec, const char *groups, const char *times) {
    hsp_data *data = read_good(name, text, spec);
    hsp_text g = {0}, t = {0};
    for (int64_t i = 0; i < data->x.n; i++) {
        if (i > 0) hsp_text_char(&g, ' '), hsp_text_char(&t, ' ');
        if (data->group) hsp_text_int(&g, data->group[i]);
        if (data->time) hsp_text_number(&t, data->time[i]);
    }
    assert_string_equal(data->group ? g.s : "-", groups);
    assert_string_equal(data->time ? t.s : "-", times);
    hsp_text_free(&g);
    hsp_text_free(&t);
    hsp_data_free(data);
}

static void test_csv(void **state) {
    (void)state;
    const char *text =
        "who,day,a,label\nP1,2024-01-01,1,x\nP2,2024-01-03,2,y\n P1 ,2023-12-31,3,x\n\"P2\",1970-01-02T12:00:00,4,y\n";
    check(F, text, "group=who ignore=day", "0 1 0 1", "-");
    check(F, text, "time=day ignore=who", "-", "19723 19725 19722 1.5");
    check(F, text, "group=1 time=2", "0 1 0 1", "19723 19725 19722 1.5");
    check(F, "a,t,y\n1,5,x\n2,-0.25,y\n3,1e3,x\n", "time=t", "-", "5 -0.25 1000");
    check(F, "1,5,x\n2,7,y\n3,5,x\n", "group=2 header=no", "0 1 0", "-");
    /* a group may be last, and have a name that targets usually have */
    check(F, "a,y,class\n1,u,p\n2,v,q\n3,u,p\n", "target=y group=class", "0 1 0", "-");
    hsp_data *data = read_good(F, text, "group=who time=day");
    assert_int_equal(data->x.d, 1);
    assert_string_equal(data->assumed,
                        "csv, comma, header, target 'label' (by name), groups 'who', times 'day', 1 feature, 4 rows");
    hsp_data_free(data);
    data = read_good(F, "P,3,1,x\nQ,2,2,y\n", "group=1 time=2 header=no");
    assert_string_equal(
        data->assumed,
        "csv, comma, no header, target column 4 (the last), groups in column 1, times in column 2, 1 feature, 2 rows");
    hsp_data_free(data);
}

/* A table: words, missing values, rows that are dropped. */
static void test_table(void **state) {
    (void)state;
    const char *text = "who,a,town,label\nP1,1,Ulm,x\nP2,,Bonn,y\nP3,3,Ulm,x\nP3,4,,y\nP1,5,Bonn,x\n";
    check(F, text, "group=who missing=mean", "0 1 2 2 0", "-");
    check(F, text, "group=who missing=drop", "0 2 0", "-");
    check(F, "who,a,label\nP1,1,x\nP2,2,\nP3,3,y\n", "group=who missing=drop", "0 1", "-");
    check("t.jsonl",
          "{\"who\":\"P1\",\"a\":1,\"label\":\"x\"}\n{\"who\":\"P2\",\"a\":2,\"label\":\"y\"}\n{\"who\":\"P1\",\"a\":3,"
          "\"label\":\"y\"}\n",
          "group=who format=jsonl", "0 1 0", "-");
}

static void read_bad(const char *name, const char *text, const char *spec, int code, const char *message) {
    read_bad_known(name, text, strlen(text), spec, NULL, code, message);
}

static void test_bad(void **state) {
    (void)state;
    static const char *const text = "who,day,a,label\nP1,2024-01-01,1,x\nP2,soon,2,y\n";
    read_bad(F, text, "group=whom", HSP_EUSAGE, "--group: t.csv has no column 'whom': choose from who, day, a, label");
    read_bad(
        F, text, "time=day", HSP_EINPUT,
        "t.csv:3: 'soon' in the column of --time is neither a date such as 2024-03-05 nor a number: correct it, or choose "
        "another column");
    read_bad(F, text, "time=label", HSP_EINPUT,
             "t.csv:2: 'x' in the column of --time is neither a date such as 2024-03-05 nor a number: correct it, or "
             "choose another "
             "column");
    read_bad(F, text, "group=who time=who", HSP_EUSAGE, "column 'who' is both --time and --group: name it in one of them");
    read_bad(F, text, "group=label target=label", HSP_EUSAGE,
             "column 'label' is both --group and --target: name it in one of them");
    read_bad(F, text, "group=who ignore=who", HSP_EUSAGE,
             "column 'who' is both --group and --ignore: name it in one of them");
    read_bad(F, "who,a,y\nP,1,u\n,2,v\n", "group=who", HSP_EINPUT,
             "t.csv:3: the cell of --group is empty: fill it in or remove the row");
    read_bad(F, "t,a,y\n5/6/2024,1,u\n", "time=t", HSP_EINPUT,
             "t.csv:2: '5/6/2024' in the column of --time is neither a date such as 2024-03-05 nor a number: correct it, "
             "or choose "
             "another column");
    read_bad(
        F, "t,a,y\n2024-02-30,1,u\n", "time=t", HSP_EINPUT,
        "t.csv:2: '2024-02-30' in the column of --time is neither a date such as 2024-03-05 nor a number: correct it, or "
        "choose another column");
    read_bad("t.svm", "1 1:2\n0 2:1\n", "group=2", HSP_EUSAGE,
             "--group names a column of a CSV, JSON Lines or .npy file, and t.svm is svmlight: give such a file, or leave "
             "it out");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
