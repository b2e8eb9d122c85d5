/* The metrics of regression. Squares of finite residuals can overflow a double. The sums are therefore kept in long
 * doubles, which have a wider exponent range, and the results are clamped to the range of doubles. */
#include "base/advance.h"
#include "data/matrix.h"
#include "eval/metrics.h"
#include "model/model.h"

#include <float.h>
#include <math.h>

double hsp_metrics_clamp(long double v) {
    return v > (long double)DBL_MAX ? DBL_MAX : v < -(long double)DBL_MAX ? -DBL_MAX : (double)v;
}

static long double weight_of(const hsp_scored_rows *rows, int64_t i) {
    return rows->weight ? (long double)rows->weight[i] : 1;
}

/* Sum of the weighted squares around the weighted mean; exactly 0 if all targets of rows with weight are equal. */
static long double spread(const hsp_scored_rows *rows, long double mass) {
    long double mean = 0, sum = 0;
    double least = INFINITY, greatest = -INFINITY;
    for (int64_t i = 0; i < rows->n; i++) {
        long double weight = weight_of(rows, i);
        if (weight <= 0) continue;
        mean += weight * (long double)rows->target[i];
        least = fmin(least, rows->target[i]);
        greatest = fmax(greatest, rows->target[i]);
    }
    if (least >= greatest) return 0;
    mean /= mass;
    for (int64_t i = 0; i < rows->n; i++) {
        long double distance = (long double)rows->target[i] - mean;
        sum += weight_of(rows, i) * distance * distance;
    }
    return sum;
}

void hsp_metrics_regression(const hsp_model *m, const hsp_matrix *matrix, const hsp_scored_rows *rows, hsp_advance *advance,
                            hsp_metrics *x) {
    long double squares = 0, sizes = 0, most = 0, mass = (long double)x->mass;
    for (int64_t i = 0; i < rows->n; i++) {
        if (hsp_metrics_stopped(advance, i)) return;
        long double weight = weight_of(rows, i);
        double score = rows->score ? rows->score[i] : hsp_model_score_output(m, 0, hsp_matrix_row(matrix, i));
        long double size = fabsl((long double)rows->target[i] - (long double)score);
        squares += weight * size * size;
        sizes += weight * size;
        if (weight > 0 && size > most) most = size;
    }
    long double total = spread(rows, mass);
    x->mse = hsp_metrics_clamp(squares / mass);
    x->rmse = hsp_metrics_clamp(sqrtl(squares / mass));
    x->mae = hsp_metrics_clamp(sizes / mass);
    x->max_error = hsp_metrics_clamp(most);
    x->r2 = total > 0 ? hsp_metrics_clamp(1 - squares / total) : (double)NAN;
}
