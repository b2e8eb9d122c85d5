/* Arrow streams, types and arrays that cannot be read: the message, and that all is released once. */
#include "arrow_made.h"

static const double one_to_four[] = {1, 2, 3, 4};
static const char *const letters[] = {"p", "q", "p", "q"};

/* Reads the table, which is expected to fail so; message NULL: to succeed. */
static void read_bad(made_stream *m, const char *spec, int code, const char *message) {
    hsp_options *o = options_of(spec);
    for (int known = 0; known < 2; known++) {
        hsp_data *data = NULL;
        hsp_error *err = NULL;
        int status = hsp_data_read_arrow(made_start(m), o, NULL, &data, known ? NULL : &err);
        assert_int_equal(made_live, 0);
        if (!message && status) fail_msg("%s", hsp_error_message(err));
        if (message && !known) {
            if (!err) fail_msg("no error, expected: %s", message);
            assert_string_equal(hsp_error_message(err), message);
        }
        assert_int_equal(status, message ? code : 0);
        assert_true((data != NULL) == (message == NULL));
        assert_null(m->stream.release);
        hsp_data_free(data);
        hsp_error_free(err);
    }
    hsp_options_free(o);
}

/* A sound table, a and b beside y, in two batches. */
static made_stream sound(made_column c[3]) {
    c[0] = made_numbers("i", "a", one_to_four, 4);
    c[1] = made_texts("u", "b", letters, 4);
    c[2] = made_texts("u", "y", letters, 4);
    return (made_stream){.column = c, .columns = 3, .rows = 4, .batch = 3};
}

/* The sound table with b replaced. */
static void read_with(const made_column *b, const char *spec, const char *message) {
    made_column c[3];
    made_stream m = sound(c);
    c[1] = *b;
    read_bad(&m, spec, HSP_EINPUT, message);
}

/* ---- streams ---- */

static void streams_fail(void **state) {
    (void)state;
    made_column c[3];
    made_stream m = sound(c);
    read_bad(&m, "", 0, NULL);
    m.fails = 1;
    m.error = "the disk\n is gone\n";
    read_bad(&m, "", HSP_EIO, "<arrow>: the stream failed to give its schema (the disk  is gone): correct its source");
    m.fails = 3;
    m.error = NULL;
    read_bad(&m, "", HSP_EIO, "<arrow>: the stream failed to give a record batch (no message): correct its source");
    m.fails = 0;
    m.format = "i";
    read_bad(&m, "", HSP_EINPUT,
             "<arrow>: the stream is of type int32, not of record batches: give a table with named columns");
    m.format = "+";
    read_bad(&m, "", HSP_EINPUT,
             "<arrow>: the stream is of type unknown, not of record batches: give a table with named columns");
    m.format = NULL;
    m.rows = 0;
    read_bad(&m, "", HSP_EINPUT, "<arrow>: no rows: give a table with rows");
    m.columns = 1;
    read_bad(&m, "", HSP_EINPUT, "<arrow>: only one column, so no features: give a table with more columns");
    m.columns = 0;
    read_bad(&m, "", HSP_EINPUT, "<arrow>: no columns, so no features: give a table with more columns");
    made_clear();
}

/* Reads a stream that lacks a function, or has none at all. */
static void read_incomplete(struct ArrowArrayStream *stream, const char *message) {
    hsp_options *o = options_of("");
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    assert_int_equal(hsp_data_read_arrow(stream, o, NULL, &data, &err), HSP_EUSAGE);
    assert_string_equal(hsp_error_message(err), message);
    assert_null(data);
    assert_int_equal(made_live, 0);
    hsp_error_free(err);
    hsp_options_free(o);
}

static void streams_lack_functions(void **state) {
    (void)state;
    made_column c[3];
    made_stream m = sound(c);
    struct ArrowArrayStream released = {0};
    read_incomplete(NULL, "the stream is NULL or was released before: give a new one");
    read_incomplete(&released, "the stream is NULL or was released before: give a new one");
    made_start(&m)->get_schema = NULL;
    read_incomplete(&m.stream, "the stream lacks a function: fill in get_schema and get_next");
    made_start(&m)->get_next = NULL;
    read_incomplete(&m.stream, "the stream lacks a function: fill in get_schema and get_next");
    made_clear();
}

/* ---- batches ---- */

static void shorten(struct ArrowArray *batch) {
    batch->length = -1;
}

static void move_far(struct ArrowArray *batch) {
    batch->offset = INT64_MAX - 1;
}

static void lose_column(struct ArrowArray *batch) {
    free(batch->children[2]);
    batch->n_children = 2;
}

static void empty_column(struct ArrowArray *batch) {
    free(batch->children[2]);
    batch->children[2] = NULL;
}

static void null_rows(struct ArrowArray *batch) {
    static const uint8_t none[1] = {0};
    static const void *buffers[] = {none};
    batch->buffers = buffers;
    batch->null_count = -1;
    batch->offset = 0;
}

static void lengthen(struct ArrowArray *batch) {
    batch->length += 2;
}

static void batches_are_broken(void **state) {
    (void)state;
    static const struct {
        void (*change)(struct ArrowArray *);
        const char *message;
    } cases[] = {
        {shorten, "<arrow>: record batch 1 has no valid length: export the table again"},
        {move_far, "<arrow>: record batch 1 has no valid length: export the table again"},
        {lose_column, "<arrow>: record batch 1 lacks columns of the schema: export the table again"},
        {empty_column, "<arrow>: record batch 1 lacks columns of the schema: export the table again"},
        {null_rows, "<arrow>: record batch 1 has null rows: remove them"},
        {lengthen, "<arrow>: column 'a' of type int32 in record batch 1 has fewer values than the record batch has rows: "
                   "export the table again"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_column c[3];
        made_stream m = sound(c);
        m.change = cases[i].change;
        read_bad(&m, "", HSP_EINPUT, cases[i].message);
        made_clear();
    }
}

/* ---- types ---- */

static void types_are_refused(void **state) {
    (void)state;
    static const char *const types[][2] = {
        {"z", "binary"},           {"Z", "large_binary"},
        {"vz", "binary_view"},     {"w:16", "fixed_size_binary"},
        {"+l", "list"},            {"+L", "large_list"},
        {"+vl", "list_view"},      {"+vL", "large_list_view"},
        {"+w:3", "fixed_size_list"}, {"+s", "struct"},
        {"+m", "map"},             {"+us:0,1", "union"},
        {"+r", "run_end_encoded"}, {"ttn", "time"},
        {"tDs", "duration"},       {"tiM", "interval"},
        {"d:76,2,256", "decimal"}, {"d:38", "decimal"},
        {"d:38,2x", "decimal"},    {"d:38,99", "decimal"},
        {"q", "q"},                {"", ""},
        {NULL, "none"},            {"tsx:", "tsx:"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char message[200];
        made_column b = made_numbers("i", "the b", one_to_four, 4);
        b.format = types[i][0];
        snprintf(message, sizeof message,
                 "<arrow>: column 'the b' is of type %s, which is not supported: convert it to numbers, text or dates, or "
                 "leave it out with --ignore the b",
                 types[i][1]);
        read_with(&b, "", message);
        read_with(&b, "ignore=2", NULL);
        snprintf(message, sizeof message,
                 "<arrow>: column 'the b' is of type %s, which is not supported: convert it to numbers, text or dates, or "
                 "choose another column",
                 types[i][1]);
        read_with(&b, "target=2", message);
        made_clear();
    }
}

static void dictionaries_are_refused(void **state) {
    (void)state;
    static const double codes[] = {0, 1, 1, 0};
    made_column words = made_texts("u", "", letters, 2), of_codes = made_codes("i", "", codes, 2, &words);
    made_column nested = made_codes("i", "b", codes, 4, &of_codes), real = made_codes("g", "b", codes, 4, &words);
    read_with(&nested, "",
              "<arrow>: column 'b' is of type dictionary of dictionaries, which is not supported: convert it to numbers, "
              "text or dates, or leave it out with --ignore b");
    read_with(&real, "",
              "<arrow>: column 'b' is of type dictionary whose indices are no integers, which is not supported: convert it "
              "to numbers, text or dates, or leave it out with --ignore b");
    made_clear();
}

/* ---- arrays ---- */

#define AGAIN ": export the table again"
#define COLUMN(type) "<arrow>: column 'b' of type " type " in record batch 1 "

static void arrays_are_too_short(void **state) {
    (void)state;
    made_column b = made_numbers("i", "b", one_to_four, 4);
    b.length = 2;
    read_with(&b, "", COLUMN("int32") "has fewer values than the record batch has rows" AGAIN);
    read_with(&b, "ignore=b", NULL);
    b.length = -1;
    read_with(&b, "", COLUMN("int32") "has fewer values than the record batch has rows" AGAIN);
    b.length = 4;
    b.offset = -1;
    read_with(&b, "", COLUMN("int32") "has fewer values than the record batch has rows" AGAIN);
    b.offset = 0;
    b.nulls = -2;
    read_with(&b, "", COLUMN("int32") "has fewer values than the record batch has rows" AGAIN);
    made_clear();
}

static void buffers_are_missing(void **state) {
    (void)state;
    made_column b = made_numbers("g", "b", one_to_four, 4), text = made_texts("u", "b", letters, 4),
                view = made_texts("vu", "b", letters, 4), whole = b;
    b.buffers = 1;
    read_with(&b, "", COLUMN("float64") "has a number of buffers that its type does not have" AGAIN);
    b = whole;
    b.buffer[1] = NULL;
    read_with(&b, "", COLUMN("float64") "lacks a buffer" AGAIN);
    b = whole;
    b.nulls = 1; /* in the second batch, as the first one does not know */
    read_with(&b, "", "<arrow>: column 'b' of type float64 in record batch 2 lacks a buffer" AGAIN);
    b.nulls = -1;
    read_with(&b, "", NULL);
    text.buffer[2] = NULL;
    read_with(&text, "", "<arrow>:1: column 'b' has a text that is out of its buffer" AGAIN);
    text.buffers = 2;
    read_with(&text, "", COLUMN("utf8") "has a number of buffers that its type does not have" AGAIN);
    view.buffer[4] = NULL;
    read_with(&view, "", COLUMN("utf8_view") "lacks a buffer" AGAIN);
    view.buffers = 2;
    read_with(&view, "", COLUMN("utf8_view") "has a number of buffers that its type does not have" AGAIN);
    made_clear();
}

static void texts_are_broken(void **state) {
    (void)state;
    static const int32_t falling[] = {0, 1, 2, 1, 1}, negative[] = {-1, 1, 2, 3, 4};
    static const char *const cells[] = {"p", "a text of some length", "p", "another text, longer"};
    made_column b = made_texts("u", "b", letters, 4), view = made_texts("vu", "b", cells, 4);
    b.buffer[1] = falling;
    read_with(&b, "", "<arrow>:3: column 'b' has a text that is out of its buffer" AGAIN);
    b.buffer[1] = negative;
    read_with(&b, "", "<arrow>:1: column 'b' has a text that is out of its buffer" AGAIN);
    static const int32_t rising[] = {0, 1, 2, 3, 4};
    b.buffer[1] = rising;
    b.buffer[2] = "a\0bc";
    read_with(&b, "", "<arrow>:2: column 'b' has a text with a NUL character: remove it");
    for (int k = 0; k < 5; k++) {
        static const int32_t wrong[] = {2, -1, 1000, -1, 0x7fffffff}, place[] = {8, 8, 12, 12, 0};
        char *views = made_room(64);
        memcpy(views, view.buffer[1], 64);
        memcpy(views + 16 + place[k], &wrong[k], 4);
        made_column odd = view;
        odd.buffer[1] = views;
        read_with(&odd, "", "<arrow>:2: column 'b' has a text that is out of its buffer" AGAIN);
    }
    made_clear();
}

static void indices_are_broken(void **state) {
    (void)state;
    static const double codes[] = {0, 1, 1, 0}, beyond[] = {0, 1, 0, 2}, below[] = {0, -1, 0, 0};
    made_column words = made_texts("u", "", letters, 2), b = made_codes("i", "b", beyond, 4, &words);
    read_with(&b, "", "<arrow>:4: column 'b' has an index that is not in its dictionary" AGAIN);
    b = made_codes("c", "b", below, 4, &words);
    read_with(&b, "", "<arrow>:2: column 'b' has an index that is not in its dictionary" AGAIN);
    uint64_t wide[] = {0, UINT64_MAX, 0, 0};
    b = made_raw("L", "b", wide, 8, 4);
    b.words = &words;
    read_with(&b, "", "<arrow>:2: column 'b' has an index that is not in its dictionary" AGAIN);
    b = made_codes("i", "b", codes, 4, &words);
    words.length = -1;
    read_with(&b, "", COLUMN("utf8") "has fewer values than the record batch has rows" AGAIN);
    words.length = 2;
    words.buffer[2] = NULL;
    read_with(&b, "", COLUMN("utf8") "has a text that is out of its buffer" AGAIN);
    made_clear();
}

static void lose_dictionary(struct ArrowArray *batch) {
    free(batch->children[1]->dictionary);
    batch->children[1]->dictionary = NULL;
}

static void dictionaries_are_lost(void **state) {
    (void)state;
    static const double codes[] = {0, 1, 1, 0};
    made_column words = made_texts("u", "", letters, 2), c[3];
    made_stream m = sound(c);
    c[1] = made_codes("i", "b", codes, 4, &words);
    m.change = lose_dictionary;
    read_bad(&m, "", HSP_EINPUT, COLUMN("utf8") "lacks its dictionary" AGAIN);
    made_clear();
}

static void dates_are_out_of_range(void **state) {
    (void)state;
    static const int32_t days[] = {0, 1, -719163, 2};
    static const int64_t seconds[] = {0, INT64_MAX, 0, 0}, low[] = {0, 0, 0, INT64_MIN};
    made_column b = made_raw("tdD", "b", days, 4, 4);
    read_with(&b, "", "<arrow>:3: column 'b' has a date out of the years 1 to 9999: correct it, or leave it null");
    made_null(&b, 2);
    read_with(&b, "", NULL);
    b = made_raw("tss:", "b", seconds, 8, 4);
    read_with(&b, "", "<arrow>:2: column 'b' has a date out of the years 1 to 9999: correct it, or leave it null");
    b = made_raw("tsm:+14:00", "b", low, 8, 4);
    read_with(&b, "", "<arrow>:4: column 'b' has a date out of the years 1 to 9999: correct it, or leave it null");
    made_clear();
}

/* ---- what is in the table ---- */

static void contents_are_refused(void **state) {
    (void)state;
    static const double some[] = {1, (double)NAN, 3, 4}, negative[] = {1, 1, -2, 1};
    static const char *const labels[] = {"p", NULL, "q", "p"};
    made_column gaps = made_numbers("i", "b", some, 4),
                weight = made_numbers("f", "b", negative, 4), text = made_texts("u", "b", labels, 4),
                twice = made_numbers("i", "y", one_to_four, 4);
    read_with(&gaps, "weight=b", "<arrow>:2: the weight is missing in column 'b': fill it in or remove the row");
    read_with(&weight, "weight=b", "<arrow>:3: column 'b' holds the negative weight -2: give weights of at least 0");
    read_with(&text, "weight=b", "<arrow>:1: column 'b' holds 'p', which is not a weight: give finite weights of at least 0");
    read_with(&text, "target=b",
              "<arrow>:2: the label is missing in column 'b': fill it in, remove the row, or use --missing drop");
    read_with(&twice, "", "<arrow>: columns 2 and 3 are both named 'y': rename one of them");
    made_clear();
}

static void options_are_refused(void **state) {
    (void)state;
    made_column c[3];
    made_stream m = sound(c);
    static const struct {
        const char *spec, *message;
    } cases[] = {
        {"target=z", "--target: <arrow> has no column 'z': choose from a, b, y"},
        {"header=no", "--header is for CSV files, and <arrow> is arrow: leave it out"},
        {"decimal=,", "--decimal is for CSV files, and <arrow> is arrow: leave it out"},
        {"base=1", "--base is for svmlight files, and <arrow> is arrow: leave it out"},
        {"format=csv", "--format is for files, and this is a table in memory: leave it out"},
        {"labels=y.npy", "--labels is for files, and this is a table in memory: leave it out"},
        {"keep-columns=a", "--keep is for files, and this is a table in memory: leave it out"},
        {"task=regression map-label=p=q", "--map-label is for classification, not for --task regression: leave it out"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) read_bad(&m, cases[i].spec, HSP_EUSAGE, cases[i].message);
    made_clear();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_fail),
        cmocka_unit_test(streams_lack_functions),
        cmocka_unit_test(batches_are_broken),
        cmocka_unit_test(types_are_refused),
        cmocka_unit_test(arrays_are_too_short),
        cmocka_unit_test(dictionaries_are_refused),
        cmocka_unit_test(buffers_are_missing),
        cmocka_unit_test(texts_are_broken),
        cmocka_unit_test(indices_are_broken),
        cmocka_unit_test(dictionaries_are_lost),
        cmocka_unit_test(dates_are_out_of_range),
        cmocka_unit_test(contents_are_refused),
        cmocka_unit_test(options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
