/* Random tables of all types, written as CSV too: both are read as the same data, or refused alike. */
#include "arrow_made.h"

#include "base/rng.h"

enum { TABLES = 400, MOST_ROWS = 40, MOST_COLUMNS = 7 };

static hsp_rng rng;

static int64_t pick(int64_t n) {
    return hsp_rng_below(&rng, n);
}

/* A cell of a table: its text in the CSV file; NULL: missing. */
typedef struct cell {
    char text[48];
    bool missing;
} cell;
static cell cells[MOST_COLUMNS][MOST_ROWS];

/* ---- columns ---- */

static made_column random_numbers(int64_t c, const char *name, int64_t n, double gaps) {
    static const char *const formats[] = {"c", "C", "s", "S", "i", "I", "l", "L", "f", "g"};
    const char *format = formats[pick(10)];
    double v[MOST_ROWS];
    for (int64_t i = 0; i < n; i++) {
        bool fraction = *format == 'f' || *format == 'g';
        v[i] = fraction ? (double)(pick(2001) - 1000) / 8 : (double)(pick(100) - (strchr("csil", *format) ? 50 : 0));
        cells[c][i].missing = hsp_rng_uniform(&rng) < gaps;
        cells[c][i].text[hsp_format_number(v[i], cells[c][i].text)] = '\0';
        if (cells[c][i].missing) v[i] = NAN;
    }
    return made_numbers(format, name, v, n);
}

static const char *const pools[][6] = {{"Ulm", "Bonn", "Rome", "Paris, Texas", "a rather long name", "x"},
                                       {"yes", "no", "yes", "no", "yes", "no"},
                                       {"1", "2.50", "3e0", "-4", "05", "6"},
                                       {"2024-03-05", "2023-12-31", "1999-01-01", "2024-02-29", "2000-01-01", "2001-01-01"},
                                       {"$1", "$2.50", "$3", "$4", "$5", "$6"},
                                       {"7", "nine", "-", "None", "7.0", "12"}};

static made_column random_texts(int64_t c, const char *name, int64_t n, double gaps) {
    static const char *const formats[] = {"u", "U", "vu"};
    const char *const *pool = pools[pick(6)], *text[MOST_ROWS];
    for (int64_t i = 0; i < n; i++) {
        text[i] = pool[pick(6)];
        cells[c][i].missing = hsp_rng_uniform(&rng) < gaps;
        snprintf(cells[c][i].text, sizeof cells[c][i].text, "%s", text[i]);
        if (cells[c][i].missing) text[i] = NULL;
    }
    return made_texts(formats[pick(3)], name, text, n);
}

/* A dictionary of words that are levels or truth values by themselves. */
static made_column random_codes(int64_t c, const char *name, int64_t n, double gaps, made_column *words) {
    static const char *const formats[] = {"c", "C", "s", "S", "i", "I", "l", "L"};
    const char *const *pool = pools[pick(2)];
    double v[MOST_ROWS];
    *words = made_texts(pick(2) ? "u" : "vu", "", pool, 6);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = pick(6);
        v[i] = (double)k;
        cells[c][i].missing = hsp_rng_uniform(&rng) < gaps;
        snprintf(cells[c][i].text, sizeof cells[c][i].text, "%s", pool[k]);
        if (cells[c][i].missing) v[i] = NAN;
    }
    return made_codes(formats[pick(8)], name, v, n, words);
}

static made_column random_bools(int64_t c, const char *name, int64_t n, double gaps) {
    char truth[MOST_ROWS + 1] = "";
    for (int64_t i = 0; i < n; i++) {
        bool yes = pick(2);
        cells[c][i].missing = hsp_rng_uniform(&rng) < gaps;
        snprintf(cells[c][i].text, sizeof cells[c][i].text, "%s", yes ? "true" : "false");
        truth[i] = cells[c][i].missing ? '?' : yes ? '1' : '0';
    }
    return made_bools(name, truth);
}

/* Timestamps in March 2024, to the minute. */
static made_column random_times(int64_t c, const char *name, int64_t n, double gaps) {
    static const char *const formats[] = {"tss:", "tsm:", "tsu:UTC", "tsn:Z"};
    static const int64_t units[] = {1, 1000, 1000000, 1000000000};
    int64_t v[MOST_ROWS], kind = pick(4);
    for (int64_t i = 0; i < n; i++) {
        int64_t day = pick(31), minute = pick(1440);
        v[i] = (1709251200 + 86400 * day + 60 * minute) * units[kind];
        cells[c][i].missing = hsp_rng_uniform(&rng) < gaps;
        snprintf(cells[c][i].text, sizeof cells[c][i].text, "2024-03-%02dT%02d:%02d:00%s", (int)day + 1, (int)minute / 60,
                 (int)minute % 60, kind < 2 ? "" : "Z");
    }
    made_column made = made_raw(formats[kind], name, v, 8, n);
    for (int64_t i = 0; i < n; i++)
        if (cells[c][i].missing) made_null(&made, i);
    return made;
}

static made_column random_column(int64_t c, const char *name, int64_t n, made_column *words) {
    double gaps = pick(3) ? 0 : 0.2;
    switch (pick(5)) {
    case 0: return random_numbers(c, name, n, gaps);
    case 1: return random_texts(c, name, n, gaps);
    case 2: return random_codes(c, name, n, gaps, words);
    case 3: return random_bools(c, name, n, gaps);
    default: return random_times(c, name, n, gaps);
    }
}

/* ---- tables ---- */

static void write_csv(const made_column *c, int64_t columns, int64_t rows, hsp_text *t) {
    for (int64_t k = 0; k < columns; k++) hsp_text_format(t, "%s%s", k ? "," : "", c[k].name);
    for (int64_t i = 0; i < rows; i++) {
        hsp_text_char(t, '\n');
        for (int64_t k = 0; k < columns; k++)
            hsp_text_format(t, "%s\"%s\"", k ? "," : "", cells[k][i].missing ? "" : cells[k][i].text);
    }
    hsp_text_char(t, '\n');
}

/* The result as text: an error without its place, or what was read. */
static void describe(int status, const hsp_data *data, const hsp_error *err, hsp_text *t) {
    if (status) {
        const char *message = hsp_error_message(err), *what = strstr(message, ": ");
        hsp_text_format(t, "%d%s", status, what ? what : message);
        return;
    }
    for (int64_t j = 0; j < data->x.d; j++) hsp_text_format(t, "%s ", hsp_data_feature_name(data, j));
    for (int64_t k = 0; k < hsp_data_classes(data); k++) hsp_text_format(t, "/ %s ", hsp_data_class_name(data, k));
    hsp_text_format(t, "%llx %s %s", (unsigned long long)hsp_data_hash(data), strstr(data->assumed, ", target"),
                    data->notes ? data->notes : "");
    if (data->refusal) hsp_text_add(t, strstr(data->refusal, ": "));
}

static int check_table(const char *spec) {
    static const char *const names[MOST_COLUMNS] = {"a", "b", "c", "d", "e", "f", "g"};
    made_column c[MOST_COLUMNS], words[MOST_COLUMNS];
    int64_t columns = 2 + pick(MOST_COLUMNS - 1), rows = 1 + pick(MOST_ROWS);
    made_before = pick(3) * 5;
    for (int64_t k = 0; k < columns; k++) c[k] = random_column(k, names[k], rows, &words[k]);
    made_stream m = {.column = c, .columns = columns, .rows = rows, .batch = 1 + pick(rows)};
    hsp_text csv = {0}, one = {0}, two = {0};
    write_csv(c, columns, rows, &csv);
    hsp_options *o = options_of(spec);
    hsp_data *data = NULL, *from_csv = NULL;
    hsp_error *err = NULL, *csv_err = NULL;
    int status = hsp_data_read_arrow(made_start(&m), o, NULL, &data, &err);
    made_clear();
    describe(status, data, err, &one);
    assert_int_equal(hsp_options_set(o, "header", "yes", NULL), 0);
    int expected = read_chunked("t", csv.s, (size_t)csv.length, 1 << 20, o, NULL, &from_csv, &csv_err);
    describe(expected, from_csv, csv_err, &two);
    if (strcmp(one.s, two.s) != 0) print_message("%s\n", csv.s);
    assert_string_equal(one.s, two.s);
    hsp_data_free(data);
    hsp_data_free(from_csv);
    hsp_error_free(err);
    hsp_error_free(csv_err);
    hsp_options_free(o);
    hsp_text_free(&csv);
    hsp_text_free(&one);
    hsp_text_free(&two);
    return status == 0;
}

static void random_tables(void **state) {
    (void)state;
    static const char *const specs[] = {"", "missing=mean", "missing=indicator", "missing=drop", "task=regression missing=mean",
                                        "missing=median weight=a"};
    int good = 0;
    rng = hsp_rng_new(7, 0);
    for (int i = 0; i < TABLES; i++) good += check_table(specs[i % 6]);
    assert_true(good > TABLES / 3); /* or the tables test too little */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
