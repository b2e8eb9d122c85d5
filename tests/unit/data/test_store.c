/* Every coding and layout against plain tables, in random cuts and by several threads: always the same bytes. */
#include "data_fixture.h"

#include "base/pipeline.h"

enum { SLOTS = 6 };

/* ---- a builder in a pipeline ---- */

typedef struct line {
    const table *t;
    hsp_builder *b;
    const int64_t *cut; /* ends of the blocks, the last one n */
    int64_t next, classes;
    bool dense;
    int base;
    hsp_block block[SLOTS];
    hsp_digest *digest[SLOTS];
    int failed[SLOTS];
    hsp_error **err;
} line;

static int fetch(void *ctx, int slot) {
    line *l = ctx;
    int64_t from = l->next > 0 ? l->cut[l->next - 1] : 0;
    if (from == l->t->n) return 0;
    if (table_block(l->t, from, l->cut[l->next++], l->dense, l->base, l->classes, &l->block[slot]))
        return HSP_EMEMORY; /* fetch and place may run at once: one of them fills the error */
    return 1;
}

static void work(void *ctx, int slot) {
    line *l = ctx;
    l->failed[slot] = hsp_builder_digest(l->b, &l->block[slot], l->digest[slot]);
}

static int place(void *ctx, int slot) {
    line *l = ctx;
    if (l->failed[slot]) return hsp_fail_memory(l->err);
    return hsp_builder_place(l->b, &l->block[slot], l->digest[slot], l->err);
}

static void finish(void *ctx, int slot) {
    line *l = ctx;
    hsp_builder_write(l->b, &l->block[slot], l->digest[slot]);
}

static int build(const table *t, const int64_t *cut, int threads, bool dense, int base, hsp_data **out, hsp_error **err) {
    line l = {.t = t, .cut = cut, .dense = dense, .base = base, .classes = 5, .err = err};
    hsp_schema schema = {0};
    *out = NULL;
    int status = hsp_builder_new(NULL, &l.b, err);
    for (int k = 0; status == 0 && k < SLOTS; k++)
        if (hsp_digest_new(&l.digest[k])) status = hsp_fail_memory(err);
    const hsp_pipeline p = {SLOTS, threads, &l, fetch, work, place, finish};
    if (status == 0) status = hsp_pipeline_run(&p);
    if (status && err && !*err) hsp_fail_memory(err);
    if (status == 0) {
        schema = plain_schema(t->d, base);
        if (!schema.format) status = hsp_fail_memory(err);
    }
    if (status == 0)
        status = hsp_builder_finish(l.b, &schema, out, err);
    else
        hsp_builder_free(l.b);
    hsp_schema_clear(&schema);
    for (int k = 0; k < SLOTS; k++) {
        hsp_digest_free(l.digest[k]);
        hsp_block_free(&l.block[k]);
    }
    return status;
}

static void random_cuts(hsp_rng *r, int64_t n, int64_t most, int64_t *cut) {
    for (int64_t at = 0; at < n;) {
        at += 1 + hsp_rng_below(r, most);
        *cut++ = at < n ? at : n;
    }
}

static void assert_same_bytes(const hsp_data *a, const hsp_data *b) {
    const hsp_matrix *m = &a->x, *o = &b->x;
    assert_int_equal(m->dense, o->dense);
    assert_int_equal(m->ids, o->ids);
    assert_int_equal(m->coding, o->coding);
    assert_int_equal(m->stride, o->stride);
    assert_int_equal(m->stored, o->stored);
    assert_int_equal(m->nonzeros, o->nonzeros);
    if (m->value) assert_memory_equal(m->value, o->value, (size_t)m->stored * hsp_matrix_value_size(m));
    if (m->id) assert_memory_equal(m->id, o->id, (size_t)m->stored * hsp_matrix_id_size(m));
    if (m->row) assert_memory_equal(m->row, o->row, (size_t)(m->n + 1) * sizeof *m->row);
    assert_true(!m->value == !o->value && !m->id == !o->id && !m->row == !o->row && !m->table == !o->table);
    if (m->table) assert_memory_equal(m->table, o->table, HSP_TABLE * sizeof *m->table);
    assert_memory_equal(a->y, b->y, (size_t)m->n * sizeof *a->y);
}

/* Blocks of one kind in several cuts, by one to four threads; then of the other kind. */
static void check_table(hsp_rng *r, const table *t, form *got) {
    int64_t *cut = malloc((size_t)t->n * sizeof *cut);
    uint64_t hash = 0;
    for (int kind = 0; kind < 3; kind++) { /* dense, sparse from 1, sparse from 0 */
        hsp_data *first = NULL;
        for (int way = 0; way < 5; way++) {
            hsp_data *data;
            random_cuts(r, t->n, way == 0 ? t->n : 1 + t->n / (1 << way), cut);
            assert_int_equal(build(t, cut, way > 0 ? way : 1, kind == 0, kind == 1, &data, NULL), 0);
            assert_is_table(&data->x, t);
            for (int64_t i = 0; i < t->n; i++) assert_int_equal(data->y[i], i % 5);
            if (!first) {
                first = data;
                if (kind == 0) hash = hsp_data_hash(data);
                assert_true(hsp_data_hash(data) == hash);
                continue;
            }
            assert_same_bytes(first, data);
            hsp_data_free(data);
        }
        if (got) *got = (form){first->x.dense, first->x.coding, 0};
        hsp_data_free(first);
    }
    free(cut);
}

/* ---- what there is to store ---- */

typedef enum numbers { ONES, TWO, FEW, MOST_DENSE, MOST, TOO_MANY, FEW_WIDE, FLOATS, DOUBLES, KINDS } numbers;

static double number(hsp_rng *r, numbers kind) {
    static const int64_t count[KINDS] = {1, 2, 30, 255, 256, 257, 100, 0, 0};
    if (kind == FLOATS) return (double)(float)hsp_rng_normal(r);
    if (kind == DOUBLES) return hsp_rng_normal(r);
    int64_t k = hsp_rng_below(r, count[kind]);
    return kind == FEW_WIDE ? (double)(k + 1) / 10 : (double)(k + 1) / 4;
}

static table make_table(hsp_rng *r, int64_t n, int64_t d, double fill, numbers kind) {
    table t = {n, d, calloc((size_t)(n * d), sizeof(double))};
    for (int64_t k = 0; k < n * d; k++)
        if (hsp_rng_uniform(r) < fill) t.x[k] = number(r, kind);
    return t;
}

static void every_form(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(11, 0);
    const double fills[] = {0, 0.05, 0.3, 0.5, 0.8, 1};
    bool seen[2][4] = {{false}};
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t f = 0; f < sizeof fills / sizeof *fills; f++) {
            form got;
            table t = make_table(&r, 200 + hsp_rng_below(&r, 300), 3 + hsp_rng_below(&r, 40), fills[f], (numbers)kind);
            check_table(&r, &t, &got);
            seen[got.dense][got.coding] = true;
            free(t.x);
        }
    }
    for (int k = 0; k < 4; k++) assert_true(seen[0][k]);
    for (int k = 0; k < 3; k++) assert_true(seen[1][k]);
}

/* The value that changes the coding is in the last row, or the first, or anywhere. */
static void one_value_changes_all(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(12, 0);
    const double late[] = {0.1, -0.0, 1e300, 7, 0.25};
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t k = 0; k < sizeof late / sizeof *late; k++) {
            int64_t where = hsp_rng_below(&r, 3);
            table t = make_table(&r, 200, 14, where == 1 ? 1 : k % 2 ? 0.2 : 0.6, (numbers)kind);
            int64_t at = where == 0 ? t.n * t.d - 1 : where == 1 ? hsp_rng_below(&r, t.n * t.d) : 0;
            t.x[at] = late[k];
            check_table(&r, &t, NULL);
            free(t.x);
        }
    }
}

/* The 256th and 257th distinct number come last: byte codes, at the border of dense and of CSR. */
static void the_last_code(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(13, 0);
    for (int64_t count = 254; count <= 258; count++) {
        for (int full = 0; full < 2; full++) {
            for (int wide = 0; wide < 2; wide++) {
                table t = {count + 1500, 4, calloc((size_t)(count + 1500) * 4, sizeof(double))};
                for (int64_t i = 0; i < t.n; i++) {
                    int64_t k = i < t.n - count ? 1 : i - (t.n - count) + 1;
                    for (int64_t j = 0; j < (full ? 4 : 1); j++) t.x[4 * i + j] = (double)k / (wide ? 3 : 2);
                }
                check_table(&r, &t, NULL);
                free(t.x);
            }
        }
    }
}

/* Dense rows that become sparse and back, and the other way round, while distinct numbers become more. */
static void fill_and_numbers_change(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(14, 0);
    for (int trial = 0; trial < 24; trial++) {
        table t = make_table(&r, 600, 12, 0, ONES);
        int kinds[3], fills[3];
        for (int part = 0; part < 3; part++) {
            kinds[part] = (int)hsp_rng_below(&r, KINDS);
            fills[part] = (int)hsp_rng_below(&r, 3);
        }
        for (int64_t k = 0; k < t.n * t.d; k++) {
            int64_t part = k / (t.n * t.d / 3);
            if (hsp_rng_uniform(&r) < (double[]){0.02, 0.5, 1}[fills[part]]) t.x[k] = number(&r, (numbers)kinds[part]);
            if (trial % 4 == 0 && hsp_rng_below(&r, 100) == 0) t.x[k] = -0.0;
        }
        check_table(&r, &t, NULL);
        free(t.x);
    }
}

/* Ids that need more than 16 bits, or just do not; the last row decides. */
static void wide_ids(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(15, 0);
    const int64_t widths[] = {65535, 65536, 65537, 70001};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        for (int kind = 0; kind < KINDS; kind += 3) {
            int64_t n = 12, d = widths[w], cut[12];
            table t = {n, d, calloc((size_t)(n * d), sizeof(double))};
            for (int64_t k = 0; k < 4000; k++)
                t.x[hsp_rng_below(&r, n - 1) * d + hsp_rng_below(&r, d / 2)] = number(&r, (numbers)kind);
            t.x[n * d - 1] = number(&r, (numbers)kind);
            for (int base = 0; base < 2; base++) {
                hsp_data *one, *other;
                random_cuts(&r, n, 3, cut);
                assert_int_equal(build(&t, cut, 2, false, base, &one, NULL), 0);
                cut[0] = n;
                assert_int_equal(build(&t, cut, 1, false, base, &other, NULL), 0);
                assert_is_table(&one->x, &t);
                assert_same_bytes(one, other);
                hsp_data_free(one);
                hsp_data_free(other);
            }
            free(t.x);
        }
    }
}

/* An id 0 after many rows without: the columns move by one. */
static void the_base_shows_late(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(16, 0);
    for (int trial = 0; trial < 12; trial++) {
        table t = make_table(&r, trial == 11 ? 20 : 300, trial == 11 ? 65536 : 9, 0, ONES);
        for (int64_t i = 0; i < t.n; i++)
            for (int64_t j = 1; j < t.d; j += t.d < 100 ? 1 : 1 + hsp_rng_below(&r, 20000))
                if (trial % 2 || hsp_rng_below(&r, 3) == 0) t.x[i * t.d + j] = number(&r, (numbers)(trial % KINDS));
        t.x[(t.n - 1 - hsp_rng_below(&r, t.n / 3)) * t.d] = 1;
        t.x[t.n * t.d - 1] = 1;
        if (trial == 11) { /* too wide for the whole round */
            hsp_data *data;
            int64_t cut[20];
            random_cuts(&r, t.n, 4, cut);
            assert_int_equal(build(&t, cut, 3, false, 0, &data, NULL), 0);
            assert_is_table(&data->x, &t);
            hsp_data_free(data);
        } else {
            check_table(&r, &t, NULL);
        }
        free(t.x);
    }
}

static void coded_rows_are_taken(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(17, 0);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int full = 0; full < 2; full++) {
            table t = make_table(&r, 400, 20, full ? 1 : 0.1, (numbers)kind), part = {3, 20, malloc(480)};
            const int64_t rows[] = {399, 0, 17};
            int64_t cut[400];
            hsp_data *data;
            hsp_matrix m;
            random_cuts(&r, t.n, 50, cut);
            assert_int_equal(build(&t, cut, 2, full, 0, &data, NULL), 0);
            assert_int_equal(hsp_matrix_take(&data->x, rows, 3, &m), 0);
            assert_int_equal(m.coding, data->x.coding);
            assert_int_equal(m.ids, data->x.ids);
            int64_t z = 0;
            for (int64_t i = 0; i < 3; i++) {
                hsp_row a = hsp_matrix_row(&m, i), b = hsp_matrix_row(&data->x, rows[i]);
                assert_int_equal(a.count, b.count);
                for (int64_t k = 0; k < a.count; k++) {
                    assert_true(hsp_row_value(a, k) == hsp_row_value(b, k));
                    assert_int_equal(hsp_row_id(a, k), hsp_row_id(b, k));
                    z += hsp_row_value(a, k) != 0;
                }
            }
            assert_int_equal(m.nonzeros, z);
            hsp_matrix_clear(&m);
            hsp_data_free(data);
            free(part.x);
            free(t.x);
        }
    }
}

/* ---- memory ---- */

typedef struct job {
    const table *t;
    const int64_t *cut;
    int threads;
    bool dense;
} job;

static int build_job(void *user, hsp_error **err) {
    const job *j = user;
    hsp_data *data;
    int status = build(j->t, j->cut, j->threads, j->dense, 1, &data, err);
    if (status) assert_null(data);
    hsp_data_free(data);
    return status;
}

static void memory_runs_out(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(18, 0);
    for (int trial = 0; trial < 8; trial++) {
        table t = make_table(&r, 120, 9, trial % 2 ? 1 : 0.2, ONES);
        int64_t cut[120];
        for (int64_t i = 40; i < t.n; i++)
            for (int64_t j = 0; j < t.d; j++) t.x[i * t.d + j] = trial % 4 < 2 ? number(&r, i < 80 ? FEW : DOUBLES) : 0;
        random_cuts(&r, t.n, 20, cut);
        job j = {&t, cut, 1 + trial % 2, trial < 4};
        sweep_memory(build_job, &j);
        free(t.x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),
        cmocka_unit_test(one_value_changes_all),
        cmocka_unit_test(the_last_code),
        cmocka_unit_test(fill_and_numbers_change),
        cmocka_unit_test(wide_ids),
        cmocka_unit_test(the_base_shows_late),
        cmocka_unit_test(coded_rows_are_taken),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
