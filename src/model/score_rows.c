/* hsp_model_score: the scores and classes of all rows of a data set, on all threads. Rows are independent, so the result
 * does not depend on the number of threads. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/data.h"
#include "data/matrix.h"
#include "model/model.h"

enum { ROWS = 1024 }; /* of a block */

typedef struct row_scoring {
    const hsp_model *m;
    const hsp_matrix *x;
    double *scores;   /* n x outputs; if only classes are wanted, one row of outputs for each block */
    int32_t *classes; /* n, or NULL */
    bool keep;        /* the scores are wanted */
} row_scoring;

static void score_piece(void *ctx, int64_t piece) {
    const row_scoring *s = ctx;
    int64_t K = s->m->outputs, begin = piece * ROWS, end = begin + ROWS < s->x->n ? begin + ROWS : s->x->n;
    for (int64_t i = begin; i < end; i++) {
        double *g = s->scores + (s->keep ? i : piece) * K;
        hsp_model_score_row(s->m, hsp_matrix_row(s->x, i), g);
        if (s->classes) s->classes[i] = (int32_t)hsp_model_decide(s->m, g);
    }
}

int hsp_model_score_matrix(const hsp_model *m, const hsp_matrix *x, int threads, double *scores, int32_t *classes,
                           hsp_error **err) {
    int64_t pieces = (x->n + ROWS - 1) / ROWS;
    double *own = scores ? NULL : hsp_alloc(pieces * m->outputs, sizeof *own);
    if (!scores && !own) return hsp_fail_memory(err);
    row_scoring s = {m, x, scores ? scores : own, classes, scores != NULL};
    hsp_pool_run(pieces, threads, score_piece, &s);
    hsp_free(own);
    return HSP_OK;
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
