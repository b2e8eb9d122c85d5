/* The gradient by finite differences, over activations, outputs, weights, depths and storage; the same bits for any threads,
 * level and list of rows; the objective against its definition. */
#include "base/memory.h"
#include "base/rng.h"
#include "data/matrix.h"
#include "design/design.h"
#include "halfspace.h"
#include "kernel/level.h"
#include "solve/network/trainer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 300, D = 5, K = 3 };

typedef struct posed_network {
    hsp_matrix x;
    hsp_design *design;
    hsp_examples e;
    hsp_network *net;
    hsp_net_objective o;
    int32_t class[N];
    double target[N], c[N];
} posed_network;

/* `kind`: 0 two classes, 1 K classes, 2 numbers. */
static void pose(posed_network *p, const char *activation, int kind, bool weighted, int64_t hidden, bool sparse, int threads) {
    static double x[N * D], value[N * D];
    static int64_t row[N + 1];
    static uint32_t column[N * D];
    *p = (posed_network){0};
    hsp_rng r = hsp_rng_new(11, 0);
    int64_t stored = 0;
    for (int64_t i = 0; i < N; i++) {
        row[i] = stored;
        for (int64_t j = 0; j < D; j++) {
            bool zero = j == 4 ? hsp_rng_below(&r, 4) > 0 : j > 1 && hsp_rng_below(&r, 4) == 0;
            x[i * D + j] = zero ? 0 : (j == 0 ? 1000 : 0) + hsp_rng_normal(&r) * (double)(j + 1);
            if (x[i * D + j] != 0) column[stored] = (uint32_t)j, value[stored++] = x[i * D + j];
        }
        p->class[i] = (int32_t)(i % (kind == 1 ? K : 2));
        p->target[i] = 50 + 10 * hsp_rng_normal(&r);
        p->c[i] = weighted ? (double)(i % 4) : 1;
    }
    row[N] = stored;
    p->x = (hsp_matrix){.n = N, .d = D, .dense = !sparse, .stored = sparse ? stored : N * D, .nonzeros = stored};
    if (sparse) p->x.row = row, p->x.id = column;
    p->x.value = sparse ? value : x;
    assert_int_equal(hsp_design_new(&p->x, NULL, NULL, threads, &p->design, NULL), 0);
    p->e = (hsp_examples){.design = p->design,
                          .outputs = kind == 1 ? K : 1,
                          .class = kind == 2 ? NULL : p->class,
                          .positive = 1,
                          .target = kind == 2 ? p->target : NULL,
                          .c = weighted ? p->c : NULL};
    assert_int_equal(hsp_examples_open(&p->e, false, NULL), 0);
    int64_t size[HSP_NETWORK_LAYERS + 1] = {D};
    for (int64_t l = 1; l <= hidden; l++) size[l] = 3 + 15 * (l % 2);
    size[hidden + 1] = p->e.outputs;
    assert_int_equal(hsp_network_new(size, hidden + 1, hsp_activation_find(activation), &p->net, NULL), 0);
    const hsp_output *output = kind == 2 ? &hsp_output_squared : kind == 1 ? &hsp_output_softmax : &hsp_output_logistic;
    assert_int_equal(hsp_net_objective_open(&p->o, p->net, &p->e, output, 0.3, p->e.n, NULL), 0);
    hsp_net_start(p->net, 3, 1);
}

static void drop(posed_network *p) {
    hsp_net_objective_clear(&p->o);
    hsp_examples_clear(&p->e);
    hsp_network_free(p->net);
    hsp_design_free(p->design);
}

static double value_at(posed_network *p) {
    return hsp_net_evaluate(&p->o, NULL, p->e.n, NULL).objective / p->o.scale;
}

/* Central differences of every parameter. */
static void check_gradient(posed_network *p) {
    int64_t size = hsp_network_parameters(p->net);
    double *gradient = hsp_alloc(size, sizeof *gradient), h = 1e-5;
    hsp_evaluation at = hsp_net_evaluate(&p->o, NULL, p->e.n, gradient);
    assert_true(at.objective == hsp_net_evaluate(&p->o, NULL, p->e.n, NULL).objective);
    for (int64_t t = 0; t < size; t++) {
        double old = p->net->theta[t];
        p->net->theta[t] = old + h;
        double above = value_at(p);
        p->net->theta[t] = old - h;
        double below = value_at(p);
        p->net->theta[t] = old;
        double slope = (above - below) / (2 * h);
        if (!(fabs(slope - gradient[t]) <= 1e-6 * (1 + fabs(slope))))
            fail_msg("parameter %d: %d and %d millionths", (int)t, (int)(slope * 1e6), (int)(gradient[t] * 1e6));
    }
    hsp_free(gradient);
}

static void gradients_are_differences(void **state) {
    (void)state;
    for (int64_t f = 0; hsp_activation_table[f]; f++)
        for (int kind = 0; kind < 3; kind++)
            for (int weighted = 0; weighted < 2; weighted++)
                for (int64_t hidden = 1; hidden <= 3; hidden++)
                    for (int sparse = 0; sparse < 2; sparse++) {
                        posed_network p;
                        pose(&p, hsp_activation_table[f]->name, kind, weighted, hidden, sparse, 1);
                        check_gradient(&p);
                        drop(&p);
                    }
}

static double *gradient_of(posed_network *p, const int64_t *list, int64_t count) {
    double *gradient = hsp_alloc(hsp_network_parameters(p->net), sizeof *gradient);
    hsp_net_evaluate(&p->o, list, count, gradient);
    return gradient;
}

static void threads_and_levels_give_the_same_bits(void **state) {
    (void)state;
    static const char *const names[] = {"plain", "v3", "v4"};
    for (int sparse = 0; sparse < 2; sparse++) {
        double *first = NULL;
        size_t bytes = 0;
        for (int level = 0; level < 3; level++)
            for (int threads = 1; threads <= 3; threads++) {
                posed_network p;
                if (!hsp_level_choose(names[level])) continue;
                pose(&p, "tanh", 1, true, 2, sparse, threads);
                double *now = gradient_of(&p, NULL, p.e.n);
                bytes = (size_t)hsp_network_parameters(p.net) * sizeof *now;
                if (first) assert_memory_equal(now, first, bytes);
                if (first)
                    hsp_free(now);
                else
                    first = now;
                drop(&p);
            }
        hsp_free(first);
    }
    hsp_level_choose(NULL);
}

/* Dense and sparse storage of the same rows: the same up to rounding. */
static void storage_does_not_matter(void **state) {
    (void)state;
    posed_network a, b;
    pose(&a, "tanh", 0, true, 2, false, 1);
    pose(&b, "tanh", 0, true, 2, true, 1);
    for (int64_t j = 0; j < D; j++)
        assert_true(fabs(a.e.unit[j] - b.e.unit[j]) <= 1e-12 * a.e.unit[j] && fabs(a.e.centre[j] - b.e.centre[j]) < 1e-9);
    assert_true(fabs(value_at(&a) - value_at(&b)) < 1e-9);
    drop(&a);
    drop(&b);
}

/* The mean over batches that cover the rows is the gradient of all rows. */
static void batches_add_up(void **state) {
    (void)state;
    posed_network p;
    pose(&p, "relu", 0, true, 1, true, 1);
    int64_t size = hsp_network_parameters(p.net), n = p.e.n, list[N];
    for (int64_t i = 0; i < n; i++) list[i] = (i * 7) % n;
    double *whole = gradient_of(&p, NULL, n), *sum = hsp_alloc_zero(size, sizeof *sum);
    for (int64_t from = 0; from < n; from += 50) {
        int64_t count = n - from < 50 ? n - from : 50;
        double *part = gradient_of(&p, list + from, count);
        for (int64_t t = 0; t < size; t++) sum[t] += part[t] * (double)count / (double)n;
        hsp_free(part);
    }
    for (int64_t t = 0; t < size; t++) assert_true(fabs(sum[t] - whole[t]) < 1e-10);
    HSP_FREE(whole, sum);
    drop(&p);
}

/* P of the network in original units, by its scores and the definition. */
static void objective_is_that_of_the_original_units(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind += 2) {
        posed_network p;
        pose(&p, "tanh", kind, true, 2, false, 1);
        double P = hsp_net_evaluate(&p.o, NULL, p.e.n, NULL).objective, sum = 0, square = 0, g;
        hsp_examples_to_original(&p.e, p.net);
        assert_int_equal(hsp_network_ready(p.net, NULL), 0);
        for (int64_t i = 0; i < N; i++) {
            hsp_row x = hsp_matrix_row(&p.x, i);
            hsp_network_scores(p.net, x, x.count, 0, 1, &g);
            double y = p.class[i] == 1 ? 1 : -1, r = g - p.target[i];
            sum += p.c[i] * (kind == 2 ? r * r / 2 : log1p(exp(-y * g)));
        }
        for (int64_t l = 1; l <= p.net->layers; l++)
            for (int64_t t = 0; t < p.net->size[l] * p.net->size[l - 1]; t++)
                square += hsp_network_weights(p.net, l)[t] * hsp_network_weights(p.net, l)[t];
        assert_true(fabs(P - (square / 2 + 0.3 * sum)) <= 1e-9 * P);
        drop(&p);
    }
}

/* Every trainer lowers the objective from the same start. */
static void trainers_descend(void **state) {
    (void)state;
    for (int64_t i = 0; hsp_trainer_table[i]; i++)
        for (int kind = 0; kind < 3; kind++) {
            posed_network p;
            pose(&p, "tanh", kind, false, 1, false, 1);
            hsp_rules rules = {.rate = hsp_trainer_table[i]->plain ? 0.1 : 0.01, .batch = 64, .seed = 1, .max_epochs = 30,
                               .max_updates = -1, .max_steps = -1, .max_seconds = -1, .tol = 1e-9, .patience = 10};
            hsp_outcome out;
            hsp_run_place place = {.problems = 1};
            assert_int_equal(hsp_net_train(&p.o, hsp_trainer_table[i], &rules, place, NULL, &out, NULL), 0);
            assert_true(out.end.objective < out.start.objective);
            assert_true(isnan(out.gap) && isnan(out.dual_bound));
            assert_true(out.epochs <= 30 && out.updates > 0);
            drop(&p);
        }
}

static void limits_are_kept(void **state) {
    (void)state;
    for (int64_t i = 0; hsp_trainer_table[i]; i++)
        for (int limit = 0; limit < 4; limit++) {
            posed_network p;
            pose(&p, "tanh", 0, false, 1, false, 1);
            hsp_rules rules = {.rate = 0.01, .batch = 50, .seed = 1, .max_epochs = limit == 0 ? 2 : -1,
                               .max_updates = limit == 1 ? 3 : -1, .max_steps = limit == 2 ? 400 : -1,
                               .max_seconds = limit == 3 ? 0 : -1, .tol = 1e-300, .patience = 1000};
            hsp_outcome out;
            hsp_run_place place = {.problems = 1};
            assert_int_equal(hsp_net_train(&p.o, hsp_trainer_table[i], &rules, place, NULL, &out, NULL), 0);
            static const hsp_stop stops[] = {HSP_STOP_MAX_EPOCHS, HSP_STOP_MAX_UPDATES, HSP_STOP_MAX_STEPS,
                                             HSP_STOP_MAX_SECONDS};
            assert_int_equal(out.stop, stops[limit]);
            assert_false(out.converged);
            if (limit == 1) assert_int_equal(out.updates, 3);
            drop(&p);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_differences), cmocka_unit_test(threads_and_levels_give_the_same_bits),
        cmocka_unit_test(storage_does_not_matter),   cmocka_unit_test(batches_add_up),
        cmocka_unit_test(objective_is_that_of_the_original_units), cmocka_unit_test(trainers_descend),
        cmocka_unit_test(limits_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
