/* The pipeline: every piece once, placed in order, few at a time, and the first failure in order ends it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/pipeline.h"
#include "base/pool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 5000 };

typedef struct belt {
    int pieces, fail_fetch, fail_place; /* at which piece; -1: never */
    int fetched, placed;
    atomic_int fetching, placing, finished, worked, under_way, most_under_way;
    int piece[HSP_PIPELINE_SLOTS];
    bool done[HSP_PIPELINE_SLOTS]; /* worked */
    atomic_int finishes[MOST];
    bool wrong;
} belt;

static void pause_at(int piece) {
    if (piece % 97 == 0) nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

static int fetch(void *ctx, int slot) {
    belt *b = ctx;
    if (atomic_fetch_add(&b->fetching, 1) != 0) b->wrong = true;
    int status = b->fetched == b->fail_fetch ? -7 : b->fetched < b->pieces;
    if (status > 0) {
        int now = atomic_fetch_add(&b->under_way, 1) + 1;
        if (now > b->most_under_way) b->most_under_way = now;
        b->piece[slot] = b->fetched++;
        b->done[slot] = false;
        pause_at(b->piece[slot] + 1);
    }
    atomic_fetch_sub(&b->fetching, 1);
    return status;
}

static void work(void *ctx, int slot) {
    belt *b = ctx;
    pause_at(b->piece[slot]);
    b->done[slot] = true;
    atomic_fetch_add(&b->worked, 1);
}

static int place(void *ctx, int slot) {
    belt *b = ctx;
    if (atomic_fetch_add(&b->placing, 1) != 0 || b->piece[slot] != b->placed || !b->done[slot]) b->wrong = true;
    int status = b->placed == b->fail_place ? -5 : 0;
    if (status == 0) b->placed++;
    atomic_fetch_sub(&b->placing, 1);
    return status;
}

static void finish(void *ctx, int slot) {
    belt *b = ctx;
    pause_at(b->piece[slot] + 2);
    atomic_fetch_add(&b->finishes[b->piece[slot]], 1);
    atomic_fetch_sub(&b->under_way, 1);
}

static int run_pipeline(belt *b, int threads) {
    const hsp_pipeline p = {hsp_pipeline_slots(threads), threads, b, fetch, work, place, finish};
    return hsp_pipeline_run(&p);
}

static void every_piece_in_order(void **state) {
    (void)state;
    static const int pieces[] = {0, 1, 2, 3, 10, MOST};
    for (int threads = 1; threads <= 6; threads++)
        for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
            belt *b = calloc(1, sizeof *b);
            *b = (belt){.pieces = pieces[k], .fail_fetch = -1, .fail_place = -1};
            assert_int_equal(run_pipeline(b, threads), 0);
            assert_false(b->wrong);
            assert_int_equal(b->placed, pieces[k]);
            assert_true(b->most_under_way <= hsp_pipeline_slots(threads));
            for (int i = 0; i < pieces[k]; i++) assert_int_equal(b->finishes[i], 1);
            free(b);
        }
}

/* Pieces fetched before a failed fetch are placed; after a failed place none is. The earlier failure counts. */
static void the_first_failure_counts(void **state) {
    (void)state;
    for (int threads = 1; threads <= 4; threads++)
        for (int at = 0; at < 30; at += 7) {
            belt *b = calloc(1, sizeof *b);
            *b = (belt){.pieces = MOST, .fail_fetch = at, .fail_place = -1};
            assert_int_equal(run_pipeline(b, threads), -7);
            assert_int_equal(b->placed, at);
            *b = (belt){.pieces = MOST, .fail_fetch = -1, .fail_place = at};
            assert_int_equal(run_pipeline(b, threads), -5);
            assert_int_equal(b->placed, at);
            for (int i = 0; i < 40; i++) assert_int_equal(b->finishes[i], i < at);
            *b = (belt){.pieces = MOST, .fail_fetch = at + 1, .fail_place = at};
            assert_int_equal(run_pipeline(b, threads), -5);
            *b = (belt){.pieces = MOST, .fail_fetch = at, .fail_place = at};
            assert_int_equal(run_pipeline(b, threads), -7);
            assert_false(b->wrong);
            free(b);
        }
}

static void nested(void *ctx, int64_t index) {
    belt *b = (belt *)ctx + index;
    *b = (belt){.pieces = 100, .fail_fetch = -1, .fail_place = -1};
    assert_int_equal(run_pipeline(b, 3), 0);
}

/* The pool is busy already: the caller does all the work. */
static void inside_the_pool(void **state) {
    (void)state;
    belt *b = calloc(4, sizeof *b);
    hsp_pool_run(4, 2, nested, b);
    for (int k = 0; k < 4; k++) assert_int_equal(b[k].placed, 100);
    free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_piece_in_order),
        cmocka_unit_test(the_first_failure_counts),
        cmocka_unit_test(inside_the_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
