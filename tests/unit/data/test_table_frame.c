#include "data_fixture.h"

#include "base/memory.h"
#include "data/table_frame.h"

#include <math.h>

/* Adds a row of three cells: "" is missing, a text that begins with a digit is a number, any other a word. */
static void add_row(hsp_block *b, const char *const cell[3], const char *label, int64_t line) {
    assert_int_equal(hsp_block_reserve(b, 3, (int64_t)strlen(label)), 0);
    double *x = b->value + hsp_block_tail(b);
    for (int j = 0; j < 3; j++) {
        bool number = cell[j][0] >= '0' && cell[j][0] <= '9';
        x[j] = number ? (double)(cell[j][0] - '0') : (double)NAN;
        if (!number && cell[j][0]) assert_int_equal(hsp_block_add_word(b, j, cell[j], (int64_t)strlen(cell[j])), 0);
    }
    hsp_block_close_row(b, 3, label, (int64_t)strlen(label), line);
}

static const char *const rows[][3] = {{"1", "red", "2"},  {"", "blue", "3"}, {"4", "", "5"},
                                      {"6", "red", "no"}, {"7", "red", ""},  {"8", "green", "9"}};
enum { ROWS = sizeof rows / sizeof *rows };

/* The rows above, `a_block` rows in each block. */
static hsp_frame *frame_of(int64_t a_block) {
    hsp_frame *f = NULL;
    hsp_block b = {0};
    assert_int_equal(hsp_frame_new(&f, NULL), 0);
    f->schema.d = 3;
    for (int64_t i = 0; i < ROWS; i++) {
        if (i % a_block == 0) {
            hsp_block_reset(&b, true, 3);
            b.table = true;
        }
        add_row(&b, rows[i], i % 2 ? "yes" : "n", i + 1);
        if (i % a_block == a_block - 1 || i + 1 == ROWS) assert_int_equal(hsp_frame_add(f, &b, NULL), 0);
    }
    assert_int_equal(f->n, ROWS);
    return f;
}

/* Whether row i of the frame is that row of the table above. */
static void check_row(const hsp_frame *f, int64_t i, int64_t of) {
    int64_t k = 0;
    while (i >= f->first[k + 1]) k++;
    const hsp_block *b = &f->block[k];
    i -= f->first[k];
    hsp_cells cells = hsp_block_cells(b, i);
    for (int64_t j = 0; j < 3; j++) {
        const char *text = rows[of][j];
        hsp_cell c = hsp_cells_at(&cells, j);
        bool number = text[0] >= '0' && text[0] <= '9';
        assert_int_equal(hsp_cell_missing(c), !*text);
        assert_int_equal(isnan(c.number), !number);
        if (number) assert_true(c.number == (double)(text[0] - '0'));
        assert_int_equal(c.text != NULL, *text && !number);
        if (c.text) {
            assert_int_equal(c.length, strlen(text));
            assert_memory_equal(c.text, text, strlen(text));
        }
    }
    assert_int_equal(b->line_base + b->line[i], of + 1);
    int64_t length = b->label[i + 1] - b->label[i];
    assert_int_equal(length, of % 2 ? 3 : 1);
    assert_memory_equal(b->text + b->label[i], of % 2 ? "yes" : "n", (size_t)length);
}

static void cells_come_back(void **state) {
    (void)state;
    for (int64_t a_block = 1; a_block <= ROWS; a_block++) {
        hsp_frame *f = frame_of(a_block);
        for (int64_t i = 0; i < ROWS; i++) check_row(f, i, i);
        hsp_frame_free(f);
    }
}

static void cells_may_be_passed_over(void **state) {
    (void)state;
    hsp_frame *f = frame_of(ROWS);
    hsp_cells cells = hsp_block_cells(&f->block[0], 3);
    hsp_cell last = hsp_cells_at(&cells, 2);
    assert_memory_equal(last.text, "no", 2);
    hsp_frame_free(f);
}

static void rows_are_taken_in_any_order(void **state) {
    (void)state;
    const int64_t wanted[] = {5, 0, 3, 3, 1, 4, 2};
    enum { WANTED = sizeof wanted / sizeof *wanted };
    for (int64_t a_block = 1; a_block <= ROWS; a_block++) {
        hsp_frame *f = frame_of(a_block), *part = NULL;
        assert_int_equal(hsp_frame_take(f, wanted, WANTED, &part, NULL), 0);
        assert_int_equal(part->n, WANTED);
        for (int64_t i = 0; i < WANTED; i++) check_row(part, i, wanted[i]);
        hsp_frame_free(part);
        assert_int_equal(hsp_frame_take(f, wanted, 0, &part, NULL), 0);
        assert_int_equal(part->n, 0);
        hsp_frame_free(part);
        hsp_frame_free(f);
    }
}

static void rows_with_missing_values_are_dropped(void **state) {
    (void)state;
    const bool all[] = {true, true, true}, first[] = {true, false, false}, none[] = {false, false, false};
    int64_t dropped = -1;
    hsp_frame *f = frame_of(2);
    assert_int_equal(hsp_frame_drop_missing(f, none, &dropped, NULL), 0);
    assert_int_equal(dropped, 0);
    assert_int_equal(hsp_frame_drop_missing(f, first, &dropped, NULL), 0);
    assert_int_equal(dropped, 1);
    assert_int_equal(hsp_frame_drop_missing(f, all, &dropped, NULL), 0);
    assert_int_equal(dropped, 2);
    assert_int_equal(f->n, 3);
    check_row(f, 0, 0);
    check_row(f, 1, 3);
    check_row(f, 2, 5);
    hsp_frame_free(f);
}

static void memory_may_run_out(void **state) {
    (void)state;
    const int64_t wanted[] = {0, 2, 4};
    hsp_frame *f = frame_of(2);
    for (int64_t calls = 0;; calls++) {
        hsp_frame *part = NULL;
        hsp_memory_fail_after(calls);
        int status = hsp_frame_take(f, wanted, 3, &part, NULL);
        hsp_memory_fail_after(-1);
        hsp_frame_free(part);
        if (status == 0) break;
        assert_int_equal(status, HSP_EMEMORY);
        assert_true(calls < 1000);
    }
    hsp_frame_free(f);
}

/* Number j of row i: mostly 0, some -0, missing, large or small; the more `dense` the fewer zeros. */
static double sample(int64_t i, int64_t j, int64_t dense) {
    uint64_t mixed = (uint64_t)(i * 1000003 + j * 7919 + 17) * UINT64_C(0x9e3779b97f4a7c15);
    static const double odd[] = {-0.0, NAN, 1e300, -5e-324, 0.01, 7};
    return (int64_t)(mixed >> 33) % 10 < dense ? odd[(mixed >> 20) % 6] : 0;
}

static bool same_bits(double a, double b) {
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

/* Packed or not, the numbers are those that were added, to the bit, one by one and row by row. */
static void numbers_are_packed_without_loss(void **state) {
    (void)state;
    enum { N = 50 };
    static const int64_t widths[] = {1, 3, 63, 64, 65, 128, 200, HSP_MOST_PACKED, HSP_MOST_PACKED + 1};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (int64_t dense = 0; dense <= 10; dense += 2) {
            int64_t d = widths[w];
            hsp_frame *f = NULL;
            hsp_block b = {0};
            assert_int_equal(hsp_frame_new(&f, NULL), 0);
            f->schema.d = d;
            hsp_block_reset(&b, true, d);
            b.table = true;
            for (int64_t i = 0; i < N; i++) {
                assert_int_equal(hsp_block_reserve(&b, d, 0), 0);
                for (int64_t j = 0; j < d; j++) b.value[hsp_block_tail(&b) + j] = sample(i, j, dense);
                hsp_block_close_row(&b, d, NULL, 0, i + 1);
            }
            assert_int_equal(hsp_frame_add(f, &b, NULL), 0);
            if (d > HSP_MOST_PACKED || dense == 10) assert_null(f->block[0].present);
            if (d >= 63 && d <= HSP_MOST_PACKED && dense == 2) assert_non_null(f->block[0].present);
            for (int64_t i = 0; i < N; i++) {
                double room[HSP_MOST_PACKED];
                const double *row = hsp_block_numbers(&f->block[0], i, room);
                for (int64_t j = 0; j < d; j++) {
                    assert_true(same_bits(row[j], sample(i, j, dense)));
                    assert_true(same_bits(hsp_block_number(&f->block[0], i, j), sample(i, j, dense)));
                }
            }
            hsp_frame_free(f);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_come_back),
        cmocka_unit_test(cells_may_be_passed_over),
        cmocka_unit_test(rows_are_taken_in_any_order),
        cmocka_unit_test(rows_with_missing_values_are_dropped),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(numbers_are_packed_without_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
