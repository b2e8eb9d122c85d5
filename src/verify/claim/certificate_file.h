/* The dual vector as a CSV file, one line for each row (and problem):
 *
 *     row[,class],alpha,margin,slack,kind     hinge and squared hinge with an L2 penalty, and the hard margin
 *     row[,class],alpha,margin                other losses of classes against each other
 *     row[,class],multiplier,score            softmax, and numbers to predict
 *
 * Rows count from 1. With a_i the multiplier of model.h, alpha = y_i a_i and margin = y_i g_i, y_i being +1 for rows of the
 * class (of the positive one) and -1 for the others; `multiplier` is a_i itself. Numbers read back to the same bits.
 * Classes without rows of weight have no lines. */
#ifndef HSP_VERIFY_CLAIM_CERTIFICATE_FILE_H
#define HSP_VERIFY_CLAIM_CERTIFICATE_FILE_H

#include "halfspace.h"
#include "model/model.h"
#include "verify/claim/support.h"

/* The columns for a claim, by name; returns how many. */
enum { HSP_CERTIFICATE_COLUMNS = 6 };
int hsp_certificate_columns(const hsp_claim *c, const char *names[HSP_CERTIFICATE_COLUMNS]);

typedef struct hsp_certificate_file {
    int64_t n, outputs;
    double *a;              /* n x outputs */
    double *margin, *slack; /* the same, or margins and scores; slack and kind NULL where there are none */
    signed char *kind;      /* hsp_support_kind; -1: the file has no such line */
    hsp_dual *dual;         /* the multipliers */
} hsp_certificate_file;

/* Reads a file for a claim: HSP_EINPUT with line and column for whatever is not as above. Clear it also on failure. */
int hsp_certificate_read(const char *path, const hsp_claim *c, hsp_certificate_file *out, hsp_error **err);
void hsp_certificate_clear(hsp_certificate_file *f);

/* What a line says besides the multiplier, and what it should say: the first that differs for the present problem k of an
 * audit; false: none does. */
typedef struct hsp_certificate_fault {
    int64_t row; /* from 0 */
    const char *column;
    double claimed, found; /* of a kind: its number */
} hsp_certificate_fault;
bool hsp_certificate_fault_find(const hsp_certificate_file *f, const hsp_audit *u, int64_t k, const hsp_figures *figures,
                                hsp_certificate_fault *out);

#endif
