/* The scores of all rows of a data set, on all threads. Rows are independent, so the result does not depend on the number of
 * threads. */
#include "base/advance.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/data.h"
#include "data/matrix.h"
#include "model/model.h"
#include "model/scorer.h"

#include <string.h>

enum {
    ROOM = 1024,           /* scores of a group, on the stack */
    PIECE_VALUES = 1 << 17 /* stored values of a piece, about: long enough to be worth a thread */
};

typedef struct row_scoring {
    hsp_scorer scorer;
    const hsp_matrix *x;
    hsp_advance *advance;
    int64_t rows; /* of a piece */
    double *wide; /* owned: a row of scores for each piece, if the room is too small; or NULL */
    hsp_take_scores *take;
    void *ctx;
} row_scoring;

int64_t hsp_model_piece_rows(const hsp_matrix *x) {
    enum { LEAST = 8, MOST = 2048 };
    int64_t rows = x->n > 0 ? PIECE_VALUES / (x->stored / x->n + 1) / LEAST * LEAST : LEAST;
    return rows < LEAST ? LEAST : rows > MOST ? MOST : rows;
}

static void score_piece(void *ctx, int64_t piece) {
    const row_scoring *s = ctx;
    double room[ROOM], *scores = s->wide ? s->wide + piece * s->scorer.outputs : room;
    int64_t begin = piece * s->rows, end = begin + s->rows < s->x->n ? begin + s->rows : s->x->n;
    int64_t group = s->wide ? 1 : ROOM / s->scorer.outputs;
    if (group > 8) group = group / 8 * 8; /* whole groups of rows for the kernels */
    if (hsp_advance_stopped(s->advance)) return;
    for (int64_t i = begin; i < end; i += group) {
        int64_t count = end - i < group ? end - i : group;
        hsp_scorer_rows(&s->scorer, s->x, i, i + count, scores);
        s->take(s->ctx, i, count, scores);
    }
    hsp_advance_rows(s->advance, end - begin);
}

int hsp_model_each_scores(const hsp_model *m, const hsp_matrix *x, bool project, int threads, hsp_advance *advance,
                          hsp_take_scores *take, void *ctx, hsp_error **err) {
    row_scoring s = {.x = x, .advance = advance, .rows = hsp_model_piece_rows(x), .take = take, .ctx = ctx};
    int64_t pieces = (x->n + s.rows - 1) / s.rows;
    int status = hsp_scorer_init(&s.scorer, m, project, x->stored, err);
    if (!status && s.scorer.outputs > ROOM && !HSP_ALLOC(s.wide, pieces * s.scorer.outputs)) status = hsp_fail_memory(err);
    if (!status) hsp_pool_run(pieces, threads, score_piece, &s);
    hsp_scorer_clear(&s.scorer);
    hsp_free(s.wide);
    return status;
}

typedef struct score_store {
    const hsp_model *m;
    double *scores;   /* n x outputs, or NULL */
    int32_t *classes; /* n, or NULL */
} score_store;

static void store_scores(void *ctx, int64_t first, int64_t rows, const double *scores) {
    const score_store *s = ctx;
    int64_t K = s->m->outputs;
    if (s->scores) memcpy(s->scores + first * K, scores, (size_t)(rows * K) * sizeof *scores);
    for (int64_t i = 0; s->classes && i < rows; i++)
        s->classes[first + i] = (int32_t)hsp_model_decide(s->m, scores + i * K);
}

int hsp_model_score_matrix(const hsp_model *m, const hsp_matrix *x, int threads, double *scores, int32_t *classes,
                           hsp_error **err) {
    score_store s = {m, scores, classes};
    return hsp_model_each_scores(m, x, false, threads, NULL, store_scores, &s, err);
}

int hsp_model_score(const hsp_model *m, const hsp_data *data, double *scores, int32_t *classes, hsp_error **err) {
    if (classes && m->prepare.regression) {
        return hsp_fail(err, HSP_EUSAGE, "a regression has no classes: use its scores");
    }
    int threads = hsp_pool_threads(0);
    hsp_data *own = NULL;
    int status = hsp_model_encode(m, data, threads, &own, err);
    const hsp_data *seen = own ? own : data;
    if (!status) status = hsp_model_check_features(m, seen, err);
    if (!status && seen->x.n > 0 && (scores || classes))
        status = hsp_model_score_matrix(m, &seen->x, threads, scores, classes, err);
    hsp_data_free(own);
    return status;
}
