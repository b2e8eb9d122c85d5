/* Tables by the Arrow C data interface: the same data as from the equal CSV, for all types, offsets and record batches. */
#include "arrow_made.h"

#define NUL ((double)NAN)

/* ---- the same as CSV ---- */

/* All that a data set says, except its file. */
static void describe(const hsp_data *data, hsp_text *t) {
    double *x = hsp_alloc(data->x.d, sizeof *x);
    for (int64_t j = 0; j < data->x.d; j++) hsp_text_format(t, "%s ", hsp_data_feature_name(data, j));
    for (int64_t k = 0; k < hsp_data_classes(data); k++) hsp_text_format(t, "/ %s ", hsp_data_class_name(data, k));
    for (int64_t i = 0; i < data->x.n; i++) {
        assert_int_equal(hsp_data_row(data, i, x, NULL), 0);
        hsp_text_format(t, "| %lld:", data->y ? (long long)data->y[i] : -1);
        for (int64_t j = 0; j < data->x.d; j++) {
            hsp_text_char(t, ' ');
            hsp_text_number(t, x[j]);
        }
    }
    hsp_text_format(t, "| hash %llx %s ", (unsigned long long)hsp_data_hash(data), data->notes ? data->notes : "");
    hsp_text_add(t, strstr(data->assumed, ", target"));
    if (data->refusal) hsp_text_add(t, strstr(data->refusal, ": "));
    hsp_free(x);
}

static hsp_data *read_made(made_stream *m, const char *spec) {
    hsp_options *o = options_of(spec);
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    if (hsp_data_read_arrow(made_start(m), o, NULL, &data, &err)) fail_msg("%s", hsp_error_message(err));
    assert_int_equal(made_live, 0);
    hsp_options_free(o);
    return data;
}

/* A table as columns, made again for each offset. */
typedef int64_t table_maker(made_column *c);
enum { MOST_COLUMNS = 16 };

static void check_same(table_maker *make, const char *csv, const char *spec, int64_t rows) {
    static const int64_t before[] = {0, 3, 8}, batch[] = {1 << 20, 1, 2, 5};
    hsp_text expected = {0};
    hsp_data *from_csv = read_good("t", csv, spec);
    describe(from_csv, &expected);
    for (int b = 0; b < 12; b++) {
        made_column c[MOST_COLUMNS];
        made_before = before[b / 4];
        made_stream m = {.column = c, .columns = make(c), .rows = rows, .batch = batch[b % 4]};
        hsp_data *data = read_made(&m, spec);
        made_clear();
        hsp_text text = {0};
        describe(data, &text);
        assert_string_equal(text.s, expected.s);
        assert_memory_equal(data->assumed, "arrow, target", 13);
        hsp_text_free(&text);
        hsp_data_free(data);
    }
    made_before = 0;
    hsp_data_free(from_csv);
    hsp_text_free(&expected);
}

/* ---- numbers ---- */

static int64_t make_numbers(made_column *c) {
    static const double a[] = {1, -2, 3, 100, 0, 7}, positive[] = {1, 2, 3, 200, 0, 7};
    static const double real[] = {0.1, -1e300, 2.5, 1e-5, -0.0, 1.2345678901234568e17}, single[] = {0.5, -2, 3.25, 1e6, 0, 1};
    static const double y[] = {0, 1, 1, 0, 1, 0};
    static const char *const formats[] = {"c", "s", "i", "l"}, *const unsigneds[] = {"C", "S", "I", "L"};
    for (int k = 0; k < 4; k++) {
        c[k] = made_numbers(formats[k], &"a\0b\0c\0d"[2 * k], a, 6);
        c[4 + k] = made_numbers(unsigneds[k], &"e\0f\0g\0h"[2 * k], positive, 6);
    }
    c[8] = made_numbers("f", "i", single, 6);
    c[9] = made_numbers("g", "j", real, 6);
    c[10] = made_numbers("l", "y", y, 6);
    return 11;
}

static void numbers_are_copied(void **state) {
    (void)state;
    const char *csv = "a,b,c,d,e,f,g,h,i,j,y\n"
                      "1,1,1,1,1,1,1,1,0.5,0.1,0\n-2,-2,-2,-2,2,2,2,2,-2,-1e300,1\n3,3,3,3,3,3,3,3,3.25,2.5,1\n"
                      "100,100,100,100,200,200,200,200,1e6,1e-5,0\n0,0,0,0,0,0,0,0,0,-0.0,1\n7,7,7,7,7,7,7,7,1,"
                      "1.2345678901234568e17,0\n";
    check_same(make_numbers, csv, "", 6);
    check_same(make_numbers, csv, "target=j task=regression weight=e", 6);
    check_same(make_numbers, csv, "ignore=a,c target=11", 6);
    check_same(make_numbers, csv, "target=i", 6);
    check_same(make_numbers, csv, "missing=mean missing-values=7,j=2.5", 6);
    check_same(make_numbers, csv, "categorical=a,f", 6);
}

static int64_t make_halves(made_column *c) {
    static const uint16_t half[] = {0x3c00, 0xc000, 0x0001, 0x7bff, 0x3555, 0x8400};
    static const int32_t small[] = {5, -12345, 0, 7, 99, 100};
    static const int64_t middle[] = {5, -12345, 0, 7, 99, 100};
    /* 128 bits, low half first; the last is 2^70 */
    static const int64_t big[] = {5, 0, -12345, -1, 0, 0, 7, 0, 99, 0, 0, 64};
    static const char *const y[] = {"u", "v", "u", "v", "u", "v"};
    c[0] = made_raw("e", "half", half, 2, 6);
    c[1] = made_raw("d:9,2,32", "small", small, 4, 6);
    c[2] = made_raw("d:18,3,64", "middle", middle, 8, 6);
    c[3] = made_raw("d:38,2", "big", big, 16, 6);
    c[4] = made_raw("d:38,-2,128", "coarse", big, 16, 6);
    c[5] = made_texts("u", "label", y, 6);
    return 6;
}

static void halves_and_decimals(void **state) {
    (void)state;
    const char *csv = "half,small,middle,big,coarse,label\n1,0.05,0.005,0.05,500,u\n-2,-123.45,-12.345,-123.45,-1234500,v\n"
                      "5.960464477539063e-8,0.00,0,0.00,0,u\n65504,0.07,0.007,0.07,700,v\n"
                      "0.333251953125,0.99,0.099,0.99,9900,u\n"
                      "-6.103515625e-5,1,0.1,11805916207174113034.24,118059162071741130342400,v\n";
    check_same(make_halves, csv, "ignore=coarse", 6);
    check_same(make_halves, csv, "numeric=coarse", 6);
}

/* Whole numbers of more than 15 digits may be codes, as in a file. */
static int64_t make_codes(made_column *c) {
    static const int64_t code[] = {4012345678901234567, 4012345678901234568, 4012345678901234567, 4012345678901234569};
    static const uint64_t wide[] = {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX};
    static const double v[] = {1, 2, 3, 4};
    static const char *const y[] = {"p", "q", "q", "p"};
    c[0] = made_raw("l", "account", code, 8, 4);
    c[1] = made_raw("L", "wide", wide, 8, 4);
    c[2] = made_numbers("g", "v", v, 4);
    c[3] = made_texts("U", "y", y, 4);
    return 4;
}

static void long_numbers_are_codes(void **state) {
    (void)state;
    const char *csv = "account,wide,v,y\n4012345678901234567,18446744073709551615,1,p\n4012345678901234568,"
                      "18446744073709551614,2,q\n4012345678901234567,18446744073709551615,3,q\n4012345678901234569,"
                      "18446744073709551615,4,p\n";
    check_same(make_codes, csv, "", 4);
    check_same(make_codes, csv, "numeric=account", 4);
    check_same(make_codes, csv, "target=account", 4);
}

/* Refused when a model is trained, like missing values. */
static int64_t make_infinite(made_column *c) {
    static const double v[] = {1, (double)-INFINITY, 3, 4}, w[] = {1, 2, 3, 4};
    static const char *const y[] = {"p", "q", "q", "p"};
    c[0] = made_numbers("g", "v", v, 4);
    c[1] = made_numbers("f", "w", w, 4);
    c[2] = made_texts("U", "y", y, 4);
    return 3;
}

static void infinite_numbers_are_refused_later(void **state) {
    (void)state;
    check_same(make_infinite, "v,w,y\n1,1,p\n-inf,2,q\n3,3,q\n4,4,p\n", "", 4);
    check_same(make_infinite, "v,w,y\n1,1,p\n-inf,2,q\n3,3,q\n4,4,p\n", "missing=mean", 4);
    check_same(make_infinite, "v,w,y\n1,1,p\n-inf,2,q\n3,3,q\n4,4,p\n", "missing=mean missing-values=-inf", 4);
}

/* ---- words ---- */

static int64_t make_words(made_column *c) {
    static const char *const city[] = {"Ulm", "Bonn, \"am\" Rhein", "Ulm", "a rather long name", "Bonn, \"am\" Rhein",
                                       "a rather long name"};
    static const char *const answer[] = {"yes", "No", "no", "yes", "YES", "no"};
    static const char *const number[] = {"1", " 2.50", "3e0", "4", "5", "6"};
    static const char *const zip[] = {"01067", "1067", "01067", "1067", "01067", "1067"};
    static const char *const price[] = {"$12.00", "$3", "$4.50", "$1", "$2", "$7"};
    static const double v[] = {3, 1, 4, 1, 5, 9};
    c[0] = made_texts("u", " city", city, 6);
    c[1] = made_texts("vu", "answer", answer, 6);
    c[2] = made_texts("U", "number", number, 6);
    c[3] = made_texts("vu", "zip", zip, 6);
    c[4] = made_texts("u", "price", price, 6);
    c[5] = made_bools("flag", "101100");
    c[6] = made_numbers("i", "v", v, 6);
    c[7] = made_bools("class", "110010");
    return 8;
}

static void words_become_levels(void **state) {
    (void)state;
    const char *csv = "city,answer,number,zip,price,flag,v,class\nUlm,yes,1,01067,$12.00,true,3,true\n"
                      "\"Bonn, \"\"am\"\" Rhein\",No, 2.50,1067,$3,false,1,true\nUlm,no,3e0,01067,$4.50,true,4,false\n"
                      "a rather long name,yes,4,1067,$1,true,1,false\n"
                      "\"Bonn, \"\"am\"\" Rhein\",YES,5,01067,$2,false,5,true\na rather long name,no,6,1067,$7,false,9,false\n";
    check_same(make_words, csv, "", 6);
    check_same(make_words, csv, "text=city categorical=number", 6);
    check_same(make_words, csv, "target=city ignore=price", 6);
    check_same(make_words, csv, "target=v task=regression", 6);
    check_same(make_words, csv, "target=price task=regression", 6);
    check_same(make_words, csv, "weight=number min-count=2 map-label=true=a,false=b", 6);
}

/* ---- dates ---- */

static int64_t make_dates(made_column *c) {
    static const int32_t day[] = {19787, -1, 0, 20000, 365, -719162};
    static const int64_t ms[] = {19787LL * 86400000, -86400000, 0, 20000LL * 86400000, 365LL * 86400000, -719162LL * 86400000};
    static const int64_t s[] = {1709641800, -1, 0, 59, 86399, 253402300799};
    static const int64_t us[] = {1709641800250000, -1, 0, 59000000, 86399000001, 100};
    static const int64_t ns[] = {1709641800250000000, -1, 0, INT64_MAX, INT64_MIN + 1, 100};
    static const int64_t zoned[] = {1709641800, -1, 0, 59, 86399, 253402207200};
    static const char *const y[] = {"p", "q", "q", "p", "p", "q"};
    c[0] = made_raw("tdD", "day", day, 4, 6);
    c[1] = made_raw("tdm", "day64", ms, 8, 6);
    c[2] = made_raw("tss:", "s", s, 8, 6);
    c[3] = made_raw("tsu:UTC", "us", us, 8, 6);
    c[4] = made_raw("tsn:", "ns", ns, 8, 6);
    c[5] = made_raw("tss:-05:30", "zoned", zoned, 8, 6);
    c[6] = made_texts("u", "y", y, 6);
    return 7;
}

static void dates_have_all_units(void **state) {
    (void)state;
    const char *csv =
        "day,day64,s,us,ns,zoned,y\n"
        "2024-03-05,2024-03-05,2024-03-05 12:30:00,2024-03-05 12:30:00.250000Z,2024-03-05T12:30:00.25,2024-03-05 "
        "07:00:00-05:30,p\n"
        "1969-12-31,1969-12-31,1969-12-31 23:59:59,1969-12-31 23:59:59.999999Z,1969-12-31T23:59:59.999999999,1969-12-31 "
        "18:29:59-05:30,q\n"
        "1970-01-01,1970-01-01,1970-01-01,1970-01-01 00:00Z,1970-01-01,1969-12-31 18:30:00-05:30,q\n"
        "2024-10-04,2024-10-04,1970-01-01 00:00:59,1970-01-01 00:00:59Z,2262-04-11T23:47:16.854775807,1969-12-31 "
        "18:30:59-05:30,p\n"
        "1971-01-01,1971-01-01,1970-01-01 23:59:59,1970-01-01 23:59:59.000001Z,1677-09-21T00:12:43.145224193,1970-01-01 "
        "18:29:59-05:30,p\n"
        "0001-01-01,0001-01-01,9999-12-31 23:59:59,1970-01-01 00:00:00.000100Z,1970-01-01T00:00:00.0000001,9999-12-30 "
        "16:30:00-05:30,q\n";
    check_same(make_dates, csv, "", 6);
    check_same(make_dates, csv, "categorical=day", 6);
}

/* ---- missing values ---- */

static int64_t make_missing(made_column *c) {
    static const double whole[] = {1, NUL, 3, 4, 5, NUL}, real[] = {0.5, 1.5, NUL, 3, 4, 5};
    static double nan[] = {1, 2, 3, 4, 5, 6};
    static const char *const city[] = {"Ulm", NULL, "", "Bonn", "NA", "Ulm"}, *const y[] = {"a", "b", "a", "b", NULL, "a"};
    static const int32_t day[] = {1, 2, 3, 4, 5, 6};
    nan[3] = 0;
    c[0] = made_numbers("i", "whole", whole, 6);
    c[1] = made_numbers("g", "real", real, 6);
    c[2] = made_numbers("g", "nan", nan, 6);
    ((double *)(uintptr_t)c[2].buffer[1])[c[2].offset + 3] = NAN;
    c[3] = made_texts("vu", "city", city, 6);
    c[4] = made_bools("flag", "10?1?0");
    c[5] = made_raw("tdD", "day", day, 4, 6);
    made_null(&c[5], 5);
    c[6] = made_empty("n", "nothing", 6);
    c[6].buffers = 0;
    c[6].nulls = 6;
    c[7] = made_texts("u", "y", y, 6);
    return 8;
}

static void nulls_are_missing(void **state) {
    (void)state;
    const char *csv = "whole,real,nan,city,flag,day,nothing,y\n1,0.5,1,Ulm,true,1970-01-02,,a\n,1.5,2,,false,1970-01-03,,b\n"
                      "3,,3,,,1970-01-04,,a\n4,3,,Bonn,true,1970-01-05,,b\n5,4,5,NA,,1970-01-06,,\n,5,6,Ulm,false,,,a\n";
    check_same(make_missing, csv, "missing=drop ignore=nothing", 6);
    check_same(make_missing, csv, "target=flag missing=drop ignore=nothing,whole,y", 6);
    check_same(make_missing, csv, "target=nan missing=drop task=regression ignore=nothing,city", 6);
    check_same(make_missing, csv, "ignore=y,nothing target=city missing=drop", 6);
    check_same(make_missing, csv, "map-label=a=u,b=v missing=drop ignore=nothing,whole,city,flag", 6);
}

static int64_t make_filled(made_column *c) {
    static const double y[] = {1, 2, 1, 2, 1, 2};
    int64_t columns = make_missing(c);
    c[7] = made_numbers("s", "y", y, 6);
    return columns;
}

static void missing_values_are_filled(void **state) {
    (void)state;
    const char *csv = "whole,real,nan,city,flag,day,nothing,y\n1,0.5,1,Ulm,true,1970-01-02,,1\n,1.5,2,,false,1970-01-03,,2\n"
                      "3,,3,,,1970-01-04,,1\n4,3,,Bonn,true,1970-01-05,,2\n5,4,5,NA,,1970-01-06,,1\n,5,6,Ulm,false,,,2\n";
    check_same(make_filled, csv, "", 6);
    check_same(make_filled, csv, "missing=mean", 6);
    check_same(make_filled, csv, "missing=median", 6);
    check_same(make_filled, csv, "missing=indicator task=regression", 6);
    check_same(make_filled, csv, "weight=y target=flag missing=drop ignore=nothing missing-values=whole=3", 6);
}

/* ---- dictionaries ---- */

static int64_t make_categories(made_column *c) {
    static const char *const colours[] = {"red", "green", "blue", "never"}, *const answers[] = {"yes", "no", NULL};
    static const double sizes[] = {36, 38, 40}, i[] = {0, 1, NUL, 2, 1, 0}, j[] = {0, 1, 2, 0, 1, 0}, y[] = {1, 0, 1, 0, 1, 0};
    static const int32_t days[] = {10, 20, 30};
    static made_column words[5];
    words[0] = made_texts("vu", "", colours, 4);
    words[1] = made_texts("u", "", answers, 3);
    words[2] = made_numbers("l", "", sizes, 3);
    words[3] = made_raw("tdD", "", days, 4, 3);
    words[4] = made_texts("U", "", colours, 2);
    c[0] = made_codes("c", "colour", i, 6, &words[0]);
    c[1] = made_codes("L", "answer", j, 6, &words[1]);
    c[2] = made_codes("i", "size", j, 6, &words[2]);
    c[3] = made_codes("S", "day", j, 6, &words[3]);
    c[4] = made_codes("I", "class", y, 6, &words[4]);
    return 5;
}

/* Dictionaries of numbers and dates say what an option says of a file: they are categorical, unless another option says
 * otherwise. */
static void dictionaries_are_categories(void **state) {
    (void)state;
    const char *csv = "colour,answer,size,day,class\nred,yes,36,1970-01-11,green\ngreen,no,38,1970-01-21,red\n"
                      ",,40,1970-01-31,green\nblue,yes,36,1970-01-11,red\ngreen,no,38,1970-01-21,green\n"
                      "red,yes,36,1970-01-11,red\n";
    check_same(make_categories, csv, "missing=indicator categorical=size,day", 6);
    check_same(make_categories, csv, "missing=mean numeric=size date=day", 6);
    check_same(make_categories, csv, "missing=drop text=colour numeric=size categorical=answer,day", 6);
    check_same(make_categories, csv, "missing=drop task=regression target=size date=day", 6);
    check_same(make_categories, csv, "missing=drop weight=size date=day min-count=2", 6);
    made_column c[MOST_COLUMNS];
    made_stream m = {.column = c, .columns = make_categories(c), .rows = 6, .batch = 4};
    hsp_data *data = read_made(&m, "missing=mean");
    made_clear();
    assert_non_null(strstr(data->assumed, "3 categorical (colour 4, size 3, day 3), 1 boolean -> 11 features"));
    hsp_data_free(data);
}

/* A column of another batch may have another dictionary. */
static void change_dictionary(struct ArrowArray *batch) {
    static const void *buffers[3];
    static const int32_t offsets[] = {0, 1, 2};
    if (batch->length == 4) return;
    buffers[1] = offsets;
    buffers[2] = "vu";
    struct ArrowArray *words = batch->children[0]->dictionary;
    *words = (struct ArrowArray){.length = 2, .n_buffers = 3, .buffers = buffers, .release = words->release};
}

static void dictionaries_may_differ(void **state) {
    (void)state;
    static const char *const letters[] = {"u", "v"};
    static const double i[] = {0, 1, 1, 0, 0, 1};
    made_column words = made_texts("u", "", letters, 2);
    made_column c[] = {made_codes("c", "a", i, 6, &words), made_numbers("i", "y", i, 6)};
    made_stream m = {.column = c, .columns = 2, .rows = 6, .batch = 4, .change = change_dictionary};
    hsp_data *data = read_made(&m, "");
    made_clear();
    assert_rows(data, "0: 1 0 | 1: 0 1 | 1: 0 1 | 0: 1 0 | 0: 0 1 | 1: 1 0");
    hsp_data_free(data);
}

/* ---- the whole ---- */

/* Many rows, so that there are several pieces of work, with words where numbers were at first. */
static void many_rows(void **state) {
    (void)state;
    enum { ROWS = 70000 };
    double *v = made_room(ROWS * (int64_t)sizeof *v), *w = made_room(ROWS * (int64_t)sizeof *w);
    const char **y = made_room(ROWS * (int64_t)sizeof *y);
    hsp_text csv = {0}, one = {0}, two = {0};
    hsp_text_add(&csv, "v,w,word,y\n");
    const char **word = made_room(ROWS * (int64_t)sizeof *word);
    for (int64_t i = 0; i < ROWS; i++) {
        v[i] = (double)(i % 977) / 8;
        w[i] = i == ROWS - 3 ? NUL : (double)(i % 5);
        word[i] = i > ROWS - 20 ? "late" : i % 3 ? "1" : "2";
        y[i] = i % 7 ? "a" : "b";
        hsp_text_number(&csv, v[i]);
        hsp_text_char(&csv, ',');
        if (i != ROWS - 3) hsp_text_number(&csv, w[i]);
        hsp_text_format(&csv, ",%s,%s\n", word[i], y[i]);
    }
    made_column c[] = {made_numbers("g", "v", v, ROWS), made_numbers("s", "w", w, ROWS), made_texts("u", "word", word, ROWS),
                       made_texts("vu", "y", y, ROWS)};
    made_stream m = {.column = c, .columns = 4, .rows = ROWS, .batch = 4097};
    hsp_stream *s = NULL;
    hsp_data *data = read_made(&m, "missing=indicator threads=3"), *from_csv = NULL;
    hsp_options *o = options_of("missing=indicator");
    assert_int_equal(hsp_stream_open_memory(csv.s, csv.length, "t", &s, NULL), 0);
    assert_int_equal(hsp_read_stream(s, o, NULL, NULL, &from_csv, NULL), 0);
    hsp_stream_close(s);
    describe(data, &one);
    describe(from_csv, &two);
    assert_true(strcmp(one.s, two.s) == 0);
    hsp_data_free(data);
    hsp_data_free(from_csv);
    hsp_options_free(o);
    hsp_text_free(&csv);
    hsp_text_free(&one);
    hsp_text_free(&two);
    made_clear();
}

/* With the first allocation failing, then the second, and so on until none fails. */
static void short_of_memory(void **state) {
    (void)state;
    made_column c[MOST_COLUMNS];
    made_stream m = {.column = c, .columns = make_categories(c), .rows = 6, .batch = 2};
    hsp_options *o = options_of("missing=mean threads=1");
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status == HSP_EMEMORY; calls++) {
        hsp_data *data = NULL;
        hsp_error *err = NULL;
        struct ArrowArrayStream *stream = made_start(&m);
        hsp_memory_fail_once(calls);
        status = hsp_data_read_arrow(stream, o, NULL, &data, &err);
        bool reached = hsp_memory_calls() > calls;
        hsp_memory_fail_after(-1);
        assert_true((status == 0) == (data != NULL));
        assert_int_equal(made_live, 0);
        hsp_data_free(data);
        hsp_error_free(err);
        if (reached && status == 0) status = HSP_EMEMORY; /* it can do without this one */
        assert_true(calls < 10000);
    }
    assert_int_equal(status, 0);
    hsp_options_free(o);
    made_clear();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_copied),
        cmocka_unit_test(halves_and_decimals),
        cmocka_unit_test(infinite_numbers_are_refused_later),
        cmocka_unit_test(long_numbers_are_codes),
        cmocka_unit_test(words_become_levels),
        cmocka_unit_test(dates_have_all_units),
        cmocka_unit_test(nulls_are_missing),
        cmocka_unit_test(missing_values_are_filled),
        cmocka_unit_test(dictionaries_are_categories),
        cmocka_unit_test(dictionaries_may_differ),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(short_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
