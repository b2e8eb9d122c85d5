/* Parts: the same bytes for any division and order, the same sums as passes over all rows, and nothing from bad bytes. */
#include "cut_data.h"

#include "design/design.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "part/barrier_loss.h"
#include "part/evaluated.h"
#include "part/part.h"
#include "part/reply.h"
#include "part/request.h"

enum { BLOCKS = 7 };
static const random_rows two = {.n = 6 * HSP_PART_ROWS + 1234, .d = 4, .classes = 2, .filled = 1, .weights = true, .seed = 3};

typedef struct posed {
    double w[20], b[4], v[20], v0[4];
    int64_t positive[4];
    void *bytes;
    size_t size;
} posed;

static void pose_request(posed *p, hsp_ask ask, const random_rows *r, const hsp_loss *loss, bool gram) {
    static const char *labels[] = {"a", "b", "c", "d"};
    static const double steps[] = {0.5, 1, 2};
    bool joint = loss->traits & HSP_LOSS_MANY;
    for (int k = 0; k < 20; k++) p->w[k] = cos(k), p->v[k] = sin(3 * k);
    for (int k = 0; k < 4; k++) p->b[k] = 0.1 * k, p->v0[k] = -0.2, p->positive[k] = r->classes == 2 ? 1 : k;
    bool stepped = ask == HSP_ASK_EVALUATE && loss == &hsp_loss_barrier, sampled = ask == HSP_ASK_CURVATURE && gram;
    bool way = (ask != HSP_ASK_EVALUATE && ask != HSP_ASK_CURVATURE) || stepped;
    hsp_request q = {.ask = ask,
                     .rows = {.features = r->d, .dense = true, .targets = !r->classes, .label_count = r->classes,
                              .label = labels, .classes = r->classes},
                     .problem = {.loss = loss, .outputs = r->classes > 2 ? r->classes : 1, .joint = joint,
                                 .positive = r->classes ? p->positive : NULL},
                     .at = {.w = p->w, .b = p->b, .v = way ? p->v : NULL, .v0 = way ? p->v0 : NULL,
                            .steps = way || sampled ? steps : NULL, .step_count = stepped || sampled ? 1 : way ? 3 : 0,
                            .gram = gram}};
    assert_int_equal(hsp_request_write(&q, &p->bytes, &p->size, NULL), HSP_OK);
}

/* The sum of the replies of all parts, which the caller frees. */
static void *ask_all(const cut_data *c, int64_t turn, const posed *p, size_t *size) {
    char why[HSP_WHY_SIZE] = "";
    const void *reply;
    hsp_engine *engine = engine_of(c, turn);
    int status = engine->ask(engine->user, p->bytes, p->size, &reply, size, why);
    assert_string_equal(why, "");
    assert_int_equal(status, HSP_OK);
    void *copy = hsp_alloc((int64_t)*size, 1);
    memcpy(copy, reply, *size);
    hsp_engine_free(engine);
    return copy;
}

static void check_kind(hsp_ask ask, const random_rows *r, const hsp_loss *loss, bool gram) {
    static const int64_t counts[] = {1, 2, 3, 7};
    posed p;
    void *expected = NULL;
    size_t size = 0, other_size;
    pose_request(&p, ask, r, loss, gram);
    for (int k = 0; k < 4; k++) {
        cut_data c = cut_rows(r, counts[k]);
        for (int64_t turn = 0; turn < (counts[k] > 3 ? 4 : counts[k]); turn++) {
            void *reply = ask_all(&c, turn, &p, &other_size);
            if (!expected) {
                expected = reply, size = other_size;
                continue;
            }
            assert_int_equal(size, other_size);
            assert_memory_equal(reply, expected, size);
            hsp_free(reply);
        }
        free_cut(&c);
    }
    HSP_FREE(expected, p.bytes);
}

static void any_division_gives_the_same_bytes(void **state) {
    random_rows many = two, numbers = two, sparse = two;
    (void)state;
    many.classes = 3;
    numbers.classes = 0;
    sparse.filled = 0.25; /* some parts are stored dense, and some not */
    check_kind(HSP_ASK_SCHEMA, &two, &hsp_loss_logistic, false);
    check_kind(HSP_ASK_SCHEMA, &many, &hsp_loss_logistic, false);
    check_kind(HSP_ASK_CLASSES, &many, &hsp_loss_logistic, false);
    check_kind(HSP_ASK_EVALUATE, &two, &hsp_loss_logistic, true);
    check_kind(HSP_ASK_EVALUATE, &sparse, &hsp_loss_logistic, true);
    check_kind(HSP_ASK_EVALUATE, &many, &hsp_loss_squared_hinge, true);
    check_kind(HSP_ASK_EVALUATE, &many, &hsp_loss_softmax, false);
    check_kind(HSP_ASK_EVALUATE, &two, &hsp_loss_barrier, true);
    check_kind(HSP_ASK_EVALUATE, &many, &hsp_loss_barrier, true);
    check_kind(HSP_ASK_EVALUATE, &numbers, &hsp_loss_squared, true);
    check_kind(HSP_ASK_LINE, &many, &hsp_loss_softmax, false);
    check_kind(HSP_ASK_LINE, &two, &hsp_loss_hinge, false);
    check_kind(HSP_ASK_PRODUCT, &two, &hsp_loss_logistic, false);
    check_kind(HSP_ASK_PRODUCT, &many, &hsp_loss_softmax, false);
    check_kind(HSP_ASK_PRODUCT, &many, &hsp_loss_logistic, false);
    check_kind(HSP_ASK_CURVATURE, &two, &hsp_loss_logistic, true);
    check_kind(HSP_ASK_CURVATURE, &sparse, &hsp_loss_logistic, false);
    check_kind(HSP_ASK_CURVATURE, &many, &hsp_loss_softmax, true);
    check_kind(HSP_ASK_CURVATURE, &many, &hsp_loss_squared_hinge, true);
}

/* ---- the sums themselves ---- */

static void sums_are_those_of_all_rows(void **state) {
    (void)state;
    random_rows r = two;
    r.n = 2 * HSP_PART_ROWS + 77;
    posed p;
    size_t size;
    cut_data c = cut_rows(&r, 2);
    hsp_data *all = make_rows(&r, 0, r.n);
    pose_request(&p, HSP_ASK_EVALUATE, &r, &hsp_loss_logistic, true);
    void *bytes = ask_all(&c, 1, &p, &size);
    hsp_reply reply;
    const double *sums;
    assert_int_equal(hsp_reply_read(bytes, size, &reply, NULL), HSP_OK);
    assert_int_equal(reply.counts[HSP_COUNT_ROWS], r.n);
    assert_int_equal(hsp_tree_root(&reply.tree, 3, &sums, NULL), HSP_OK);
    double loss = 0, dual = 0, gradient[5] = {0}, hessian[15] = {0};
    for (int64_t i = 0; i < r.n; i++) {
        double x[5] = {0, 0, 0, 0, 1}, y = all->y[i] ? 1 : -1, g;
        hsp_row_decode(hsp_matrix_row(&all->x, i), 0, 4, NULL, x);
        g = hsp_dot_f64(x, p.w, 4) + p.b[0];
        hsp_loss_at at = hsp_loss_logistic.at(&hsp_loss_logistic, y, g, HSP_KINK_OPEN);
        double weight = all->weight[i], h = hsp_loss_logistic.curvature(&hsp_loss_logistic, y, g);
        loss += weight * at.value;
        dual += weight * hsp_loss_logistic.dual(&hsp_loss_logistic, y, -at.slope);
        for (int j = 0, k = 0; j < 5; j++) {
            gradient[j] += weight * at.slope * x[j];
            for (int l = 0; l <= j; l++) hessian[k++] += weight * h * x[j] * x[l];
        }
    }
    assert_true(fabs(sums[hsp_evaluated_pair(0, HSP_SUM_LOSS)] - loss) < 1e-9 * loss);
    assert_true(fabs(sums[hsp_evaluated_pair(0, HSP_SUM_DUAL)] - dual) < 1e-9 * dual);
    for (int j = 0; j < 5; j++) assert_true(fabs(sums[hsp_evaluated_gradient(1, 4, 0) + j] - gradient[j]) < 1e-7);
    for (int j = 0; j < 15; j++) assert_true(fabs(sums[hsp_evaluated_hessian(1, 1, 4, 4, 0) + j] - hessian[j]) < 1e-7);
    hsp_reply_clear(&reply);
    HSP_FREE(bytes, p.bytes);
    hsp_data_free(all);
    free_cut(&c);
}

/* What preconditions: diagonals are those of the Hessian of all rows, a whole sample is that Hessian, and half of the rows are
 * near it. At 0 one block stands for all outputs. */
static void curvatures_are_those_of_all_rows(void **state) {
    static const double shares[] = {1, 0.5};
    static const char *labels[] = {"a", "b", "c"};
    enum { D = 4, K = 3, HESSIAN = (D + 1) * (D + 2) / 2 };
    (void)state;
    random_rows r = two;
    r.n = 2 * HSP_PART_ROWS + 77, r.classes = K;
    cut_data c = cut_rows(&r, 2);
    hsp_data *all = make_rows(&r, 0, r.n);
    posed p;
    for (int k = 0; k < K * D; k++) p.w[k] = cos(k);
    for (int k = 0; k < K; k++) p.b[k] = 0.1 * k;
    for (int turn = 0; turn < 4; turn++) {
        bool zero = turn < 2;
        double share = shares[turn % 2], expected[K][HESSIAN] = {0};
        hsp_request q = {
            .ask = HSP_ASK_CURVATURE,
            .rows = {.features = D, .dense = true, .label_count = K, .label = labels, .classes = K},
            .problem = {.loss = &hsp_loss_softmax, .outputs = K, .joint = true},
            .at = {.w = zero ? NULL : p.w, .b = zero ? NULL : p.b, .steps = &share, .step_count = 1, .gram = true}};
        assert_int_equal(hsp_request_write(&q, &p.bytes, &p.size, NULL), HSP_OK);
        for (int64_t i = 0; i < r.n; i++) {
            double x[D + 1] = {0, 0, 0, 0, 1}, g[K], sum = 0;
            hsp_row_decode(hsp_matrix_row(&all->x, i), 0, D, NULL, x);
            for (int k = 0; k < K; k++) sum += g[k] = exp(zero ? 0 : hsp_dot_f64(x, p.w + k * D, D) + p.b[k]);
            for (int k = 0; k < K; k++)
                for (int j = 0, at = 0; j <= D; j++)
                    for (int l = 0; l <= j; l++)
                        expected[k][at++] += all->weight[i] * g[k] / sum * (1 - g[k] / sum) * x[j] * x[l];
        }
        size_t size;
        const double *sums;
        hsp_reply reply;
        void *bytes = ask_all(&c, 1, &p, &size);
        assert_int_equal(hsp_reply_read(bytes, size, &reply, NULL), HSP_OK);
        assert_int_equal(hsp_tree_root(&reply.tree, 3, &sums, NULL), HSP_OK);
        assert_int_equal(reply.tree.shape.length, hsp_curvature_block(K, D, zero ? 1 : K));
        for (int k = 0; k < K; k++) {
            const double *own = sums + hsp_curvature_diagonal(D, k), *H = sums + hsp_curvature_block(K, D, k);
            for (int j = 0, at = 0; j < D; j++, at += j + 1) {
                assert_true(fabs(own[j] - expected[k][at]) <= 1e-9 * expected[k][at]);
                assert_true(fabs(own[D + j] - expected[k][HESSIAN - D - 1 + j]) <= 1e-9 * expected[k][at]);
            }
            assert_true(fabs(own[2 * D] - expected[k][HESSIAN - 1]) <= 1e-9 * own[2 * D]);
            for (int at = 0; at < HESSIAN && (k == 0 || !zero); at++)
                assert_true(fabs(H[at] - expected[k][at]) <= (share == 1 ? 1e-9 : 0.1) * own[2 * D]);
        }
        hsp_reply_clear(&reply);
        HSP_FREE(bytes, p.bytes);
    }
    hsp_data_free(all);
    free_cut(&c);
}

/* ---- what must not be added ---- */

static void wrong_sums_are_refused(void **state) {
    (void)state;
    random_rows r = two;
    r.n = 3 * HSP_PART_ROWS;
    posed p, other;
    size_t size[3], sum_size;
    void *reply[3], *sum;
    hsp_reply decoded;
    const double *sums;
    cut_data c = cut_rows(&r, 3);
    pose_request(&p, HSP_ASK_EVALUATE, &r, &hsp_loss_logistic, false);
    pose_request(&other, HSP_ASK_EVALUATE, &r, &hsp_loss_squared_hinge, false);
    for (int k = 0; k < 3; k++) {
        const posed *q = k < 2 ? &p : &other;
        assert_int_equal(hsp_part_answer(c.part[k], q->bytes, q->size, &reply[k], &size[k], NULL), HSP_OK);
    }
    assert_int_equal(hsp_reply_add(reply[0], size[0], reply[0], size[0], &sum, &sum_size, NULL), HSP_EINPUT);
    assert_null(sum);
    assert_int_equal(hsp_reply_add(reply[0], size[0], reply[2], size[2], &sum, &sum_size, NULL), HSP_EINPUT);
    assert_int_equal(hsp_reply_add(reply[0], size[0], reply[1], size[1], &sum, &sum_size, NULL), HSP_OK);
    assert_int_equal(hsp_reply_read(sum, sum_size, &decoded, NULL), HSP_OK);
    assert_int_equal(hsp_tree_root(&decoded.tree, 3, &sums, NULL), HSP_EINPUT); /* block 2 is missing */
    hsp_reply_clear(&decoded);
    HSP_FREE(reply[0], reply[1], reply[2], sum, p.bytes, other.bytes);
    free_cut(&c);
}

static void damaged_bytes_are_refused(void **state) {
    (void)state;
    random_rows r = two;
    r.n = 50;
    posed p;
    size_t size, other;
    void *reply, *again, *sum;
    hsp_reply decoded;
    cut_data c = cut_rows(&r, 1);
    pose_request(&p, HSP_ASK_EVALUATE, &r, &hsp_loss_logistic, false);
    assert_int_equal(hsp_part_answer(c.part[0], p.bytes, p.size, &reply, &size, NULL), HSP_OK);
    for (size_t k = 0; k < p.size; k++) {
        ((char *)p.bytes)[k] ^= 1;
        assert_int_equal(hsp_part_answer(c.part[0], p.bytes, p.size, &again, &other, NULL), HSP_EINPUT);
        ((char *)p.bytes)[k] ^= 1;
        assert_int_equal(hsp_part_answer(c.part[0], p.bytes, k, &again, &other, NULL), HSP_EINPUT);
    }
    for (size_t k = 0; k < size; k++) {
        ((char *)reply)[k] ^= 4;
        assert_int_equal(hsp_reply_read(reply, size, &decoded, NULL), HSP_EINPUT);
        ((char *)reply)[k] ^= 4;
    }
    assert_int_equal(hsp_reply_add(NULL, 0, reply, size, &sum, &other, NULL), HSP_EINPUT);
    HSP_FREE(reply, p.bytes);
    free_cut(&c);
}

/* A share of the rows that is none, and weights without intercepts. */
static void impossible_samples_are_refused(void **state) {
    static const double shares[] = {0, -1, 1.5, NAN, INFINITY, 0.5};
    static const char *labels[] = {"a", "b"};
    (void)state;
    random_rows r = two;
    r.n = 50;
    cut_data c = cut_rows(&r, 1);
    posed p = {.positive = {1}};
    for (int k = 0; k < 7; k++) {
        hsp_request q = {
            .ask = HSP_ASK_CURVATURE,
            .rows = {.features = r.d, .dense = true, .label_count = 2, .label = labels, .classes = 2},
            .problem = {.loss = k < 6 ? &hsp_loss_logistic : &hsp_loss_hinge, .outputs = 1, .positive = p.positive},
            .at = {.w = k == 5 ? p.w : NULL, .steps = k < 6 ? &shares[k] : NULL, .step_count = k < 6, .gram = k < 6}};
        size_t size;
        void *reply;
        assert_int_equal(hsp_request_write(&q, &p.bytes, &p.size, NULL), HSP_OK);
        assert_int_equal(hsp_part_answer(c.part[0], p.bytes, p.size, &reply, &size, NULL), HSP_EINPUT);
        hsp_free(p.bytes);
    }
    free_cut(&c);
}

/* ---- faults ---- */

static void the_first_fault_is_told(void **state) {
    (void)state;
    random_rows r = two;
    r.n = 2 * HSP_PART_ROWS;
    posed p;
    size_t size, other;
    void *bytes;
    hsp_reply a, b;
    hsp_error *err = NULL;
    cut_data c = cut_rows(&r, 2);
    hsp_data_drop_labels(c.data[1]);
    pose_request(&p, HSP_ASK_EVALUATE, &r, &hsp_loss_logistic, false);
    void *reply[2];
    assert_int_equal(hsp_part_answer(c.part[0], p.bytes, p.size, &reply[0], &size, NULL), HSP_OK);
    assert_int_equal(hsp_part_answer(c.part[1], p.bytes, p.size, &reply[1], &other, NULL), HSP_OK);
    assert_int_equal(hsp_reply_add(reply[0], size, reply[1], other, &bytes, &size, NULL), HSP_OK);
    assert_int_equal(hsp_reply_read(bytes, size, &a, NULL), HSP_OK);
    assert_int_equal(a.fault.code, HSP_EINPUT);
    assert_int_equal(a.fault.block, 1);
    assert_int_equal(hsp_reply_raise(&a, &err), HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(err), "no labels"));
    b = hsp_reply_new(a.ask, a.asked);
    hsp_error *why = NULL;
    hsp_fail(&why, HSP_EIO, "worse");
    assert_int_equal(hsp_reply_blame(&b, 0, why, NULL), HSP_OK);
    assert_int_equal(hsp_reply_join(&a, &b, NULL), HSP_OK);
    assert_int_equal(a.fault.code, HSP_EIO);
    hsp_reply_clear(&a);
    hsp_error_free(err);
    HSP_FREE(reply[0], reply[1], bytes, p.bytes);
    free_cut(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_division_gives_the_same_bytes), cmocka_unit_test(sums_are_those_of_all_rows),
        cmocka_unit_test(curvatures_are_those_of_all_rows),  cmocka_unit_test(impossible_samples_are_refused),
        cmocka_unit_test(wrong_sums_are_refused),            cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(the_first_fault_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
