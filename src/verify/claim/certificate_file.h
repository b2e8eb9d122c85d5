/* The dual vector as a CSV file, one line for each row (and problem):
 *
 *     row[,class],alpha,margin,slack,kind     hinge and squared hinge with an L2 penalty, and the hard margin
 *     row[,class],alpha,margin                other losses, binary or one-vs-rest
 *     row[,class],multiplier,score            softmax and regression
 *
 * Rows count from 1. With a_i the multiplier of model.h,
 *
 *     alpha = y_i a_i,   margin = y_i g_i,   multiplier = a_i,
 *
 * where y_i is +1 for rows of the class (of the positive one) and -1 for the others. Numbers read back to the same bits.
 * Classes without weighted rows have no lines. */
#ifndef HSP_VERIFY_CLAIM_CERTIFICATE_FILE_H
#define HSP_VERIFY_CLAIM_CERTIFICATE_FILE_H

#include "halfspace.h"
#include "model/model.h"
#include "verify/claim/support.h"

/* The names of the columns for a claim; returns their number. */
enum { HSP_CERTIFICATE_COLUMNS = 6 };
int hsp_certificate_columns(const hsp_claim *c, const char *names[HSP_CERTIFICATE_COLUMNS]);

typedef struct hsp_certificate_file {
    int64_t n, outputs;
    double *a;              /* n x outputs */
    double *margin, *slack; /* n x outputs: margins, or scores; slack and kind are NULL where the file has none */
    signed char *kind;      /* hsp_support_kind; -1: the file has no line for it */
    hsp_dual *dual;         /* the multipliers */
} hsp_certificate_file;

/* Reads a file for a claim. Returns HSP_EINPUT with line and column where the format differs from the above. Clear it also
 * after a failure. */
int hsp_certificate_read(const char *path, const hsp_claim *c, hsp_certificate_file *out, hsp_error **err);
void hsp_certificate_clear(hsp_certificate_file *f);

/* Finds the first value of a line, other than the multiplier, that differs from the audit of the current problem k. Returns
 * false if none does. */
typedef struct hsp_certificate_fault {
    int64_t row; /* from 0 */
    const char *column;
    double claimed, found; /* for a kind: its number */
} hsp_certificate_fault;
bool hsp_certificate_fault_find(const hsp_certificate_file *f, const hsp_audit *u, int64_t k, const hsp_figures *figures,
                                hsp_certificate_fault *out);

#endif
