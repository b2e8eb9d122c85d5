/* hard-svm on classes that no plane separates: the witness, which proves it. */
#include "explain/explain_no_margin.h"

#include "base/error.h"
#include "explain/derivation.h"
#include "kernel/kernel.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 12 }; /* rows */

static void write_witness(hsp_derivation *v, const hsp_report *witness, double *x, double *plus, double *minus) {
    hsp_exposition *e = &v->text;
    int64_t count = hsp_report_count(witness, "rows"), d = v->rows.d, shown = count < SHOWN ? count : SHOWN;
    double most = 0, balance = 0, rows[SHOWN], factor[SHOWN];
    char label[HSP_ROW_LABEL];
    hsp_exposition_table(e, "row", (const char *const[]){"`y`", "factor"}, 2);
    for (int64_t t = 0; t < count; t++) {
        int64_t i = (int64_t)hsp_report_number_at(witness, "rows", t) - 1;
        double f = hsp_report_number_at(witness, "multipliers", t), y = v->rows.y[i];
        hsp_derivation_row(v, i, x);
        hsp_axpy_f64(f, x, y > 0 ? plus : minus, d);
        balance += f * y;
        if (t >= shown) continue;
        rows[t] = (double)(i + 1);
        factor[t] = f;
        hsp_exposition_row(e, hsp_derivation_row_label(v, i, label), (double[]){y, f}, NULL);
    }
    hsp_exposition_table_end(e, NULL);
    for (int64_t j = 0; j < d; j++) most = fmax(most, fabs(plus[j] - minus[j]));
    HSP_SAY(e, "The rows of + give `%1`, those of - `%2`; they differ by at most %3.", hsp_derivation_vector(v, plus),
            hsp_derivation_vector(v, minus), number(most < 1e-12 ? 0 : most));
    if (v->intercept != HSP_INTERCEPT_NONE)
        HSP_SAY(e, "The factors of + less those of - sum to %1.", number(fabs(balance) < 1e-12 ? 0 : balance));
    hsp_exposition_vector(e, "witness_rows", rows, shown);
    hsp_exposition_vector(e, "witness_factors", factor, shown);
    hsp_derivation_put(v, "sum_of_plus", plus);
    hsp_derivation_put(v, "sum_of_minus", minus);
    hsp_exposition_number(e, "witness_difference", most);
}

int hsp_explain_no_margin(hsp_derivation *v, hsp_error **err) {
    hsp_exposition *e = &v->text;
    const hsp_report *verdict = hsp_report_member(v->report, "separable");
    int64_t d = v->rows.d;
    double *x = hsp_derivation_zeros(v, d), *plus = hsp_derivation_zeros(v, d), *minus = hsp_derivation_zeros(v, d);
    if (!x || !plus || !minus) return hsp_fail_memory(err);
    for (int64_t k = 0; v->outputs > 1 && k < v->outputs; k++) {
        const char *text = hsp_report_text(hsp_report_item(v->report, "separable", k), "verdict");
        if (!text || strcmp(text, "separable") == 0) continue;
        verdict = hsp_report_item(v->report, "separable", k);
        hsp_derivation_choose(v, k);
        HSP_SAY(e, "Each class has a problem of its own, against the rest. Here + is "
                   "'%1'.", word(hsp_derivation_class(v, k)));
        hsp_exposition_number(e, "class", (double)(k + 1));
        break;
    }
    const hsp_report *witness = hsp_report_member(verdict, "witness");
    hsp_exposition_section(e, "There is no such plane");
    HSP_FORMULA(e, "min |w|^2/2   subject to   y_i (w.x_i + b) >= 1~\\min_{w,b} \\tfrac12\\lVert w\\rVert^2 \\quad "
                   "\\text{subject to}\\quad y_i(w\\cdot x_i+b) \\ge 1");
    HSP_SAY(e, v->intercept == HSP_INTERCEPT_NONE
                   ? "With `b = 0` (--intercept none) the verdict is: %1. No w satisfies all constraints."
                   : "The verdict is: %1. No w and b satisfy all constraints.",
            word(hsp_report_text(verdict, "verdict")));
    if (witness && hsp_report_count(witness, "rows") > 0) {
        HSP_SAY(e, v->intercept == HSP_INTERCEPT_NONE
                       ? "The proof is a witness: factors that are not negative, for which `sum factor_i y_i x_i = "
                         "0~\\sum f_i y_i "
                         "x_i = 0`. Multiply each constraint by its factor and add: 0 would be at least the sum of the "
                         "factors."
                       : "The proof is a witness: a mean of rows of one class that equals a mean of rows of the other. "
                         "Multiply "
                         "each constraint by its factor and add: on the left w and b cancel, and 0 would be at least the "
                         "sum of the "
                         "factors.");
        write_witness(v, witness, x, plus, minus);
    } else {
        HSP_SAY(e, "halfspace inspect prints what is known about the separability of these rows.");
    }
    HSP_SAY(e, "-a svm allows slack, and has a solution for all data.");
    return HSP_OK;
}
