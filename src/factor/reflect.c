/* Blocks of reflections in compact form: R. Schreiber, C. Van Loan, A storage-efficient WY representation for products of
 * Householder transformations, SISSC 10 (1989). */
#include "factor/reflect.h"

#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

double hsp_length(const double *x, int64_t n) {
    double square = hsp_dot_f64(x, x, n), top = 0, sum = 0;
    if (square > 1e-270 && square < 1e270) return sqrt(square);
    for (int64_t i = 0; i < n; i++) top = fmax(top, fabs(x[i]));
    if (!(top > 0)) return 0;
    int e;
    frexp(top, &e);
    for (int64_t i = 0; i < n; i++) {
        double v = ldexp(x[i], -e);
        sum += v * v;
    }
    return ldexp(sqrt(sum), e);
}

double hsp_reflector(double *alpha, double *x, int64_t n) {
    double rest = hsp_length(x, n), a = *alpha;
    if (!(rest > 0)) return 0;
    double pair[2] = {a, rest}, beta = a >= 0 ? -hsp_length(pair, 2) : hsp_length(pair, 2);
    double least = 1e-290;
    if (fabs(beta) < least) { /* such numbers have few digits, and their inverse may not exist: they count as 0 */
        memset(x, 0, (size_t)n * sizeof *x);
        return 0;
    }
    hsp_scale_f64(1 / (a - beta), x, n);
    *alpha = beta;
    return (beta - a) / beta;
}

void hsp_reflections_triangle(const hsp_reflections *h, double *T) {
    int64_t count = h->count;
    memset(T, 0, (size_t)(count * count) * sizeof *T);
    for (int64_t i = 0; i < count; i++) {
        double dots[HSP_REFLECTIONS];
        for (int64_t p = 0; p < i; p++) dots[p] = hsp_dot_f64(h->V + p * h->v_step, h->V + i * h->v_step, h->m);
        for (int64_t p = 0; p < i; p++) {
            double sum = 0;
            for (int64_t q = p; q < i; q++) sum += T[p * count + q] * dots[q];
            T[p * count + i] = -h->tau[i] * sum;
        }
        T[i * count + i] = h->tau[i];
    }
}

void hsp_reflect_rows(hsp_product_room *room, const hsp_reflections *h, bool reversed, double *P, int64_t step,
                      int64_t rows, double *work) {
    int64_t k = h->count;
    double T[HSP_REFLECTIONS * HSP_REFLECTIONS], *Y = work, *Z = work + rows * k;
    hsp_reflections_triangle(h, T);
    memset(work, 0, (size_t)(2 * rows * k) * sizeof *work);
    hsp_add_product(room, rows, k, h->m, 1, (hsp_factor_side){P, step, true}, (hsp_factor_side){h->V, h->v_step, true}, Y,
                    k, false);
    hsp_add_product(room, rows, k, k, 1, (hsp_factor_side){Y, k, true}, (hsp_factor_side){T, k, reversed}, Z, k, false);
    hsp_add_product(room, rows, h->m, k, -1, (hsp_factor_side){Z, k, true}, (hsp_factor_side){h->V, h->v_step, false}, P,
                    step, false);
}
