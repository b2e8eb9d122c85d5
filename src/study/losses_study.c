/* The study "losses": every loss of the table as a function of the margin m = y g, with y = 1, and its kinks. At a kink the
 * slopes from the left and from the right differ; every slope between them is a subgradient. */
#include "base/error.h"
#include "loss/loss.h"
#include "study/study.h"

#include <math.h>

enum { STEPS = 250 }; /* on each side of 0 */

static const double widest = 2.5, nearby = 1e-9, same = 1e-6;
/* The margins at which a loss may have a kink. */
static const double corner[] = {0, 1};

enum { CORNERS = sizeof corner / sizeof corner[0] };

static bool of_margin(const hsp_loss *l) {
    return l->at && (l->traits & HSP_LOSS_CLASSES); /* softmax is a function of K scores */
}

static double slope_at(const hsp_loss *l, double m) {
    return l->at(l, 1, m, HSP_KINK_OPEN).slope;
}

typedef struct kink {
    double margin, value, left, right, loss;
} kink;

static int64_t find_kinks(kink *found) {
    int64_t count = 0, k = 0;
    for (const hsp_loss *const *l = hsp_loss_table; *l; l++) {
        if (!of_margin(*l)) continue;
        for (int i = 0; i < CORNERS; i++) {
            double left = slope_at(*l, corner[i] - nearby), right = slope_at(*l, corner[i] + nearby);
            if (fabs(right - left) < same) continue;
            kink at = {corner[i], (*l)->at((*l), 1, corner[i], HSP_KINK_OPEN).value, left, right, (double)k};
            if (found) found[count] = at;
            count++;
        }
        k++;
    }
    return count;
}

enum { MOST_KINKS = 64 };

static int study_losses(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    (void)in;
    int64_t losses = 0, n = 2 * STEPS + 1;
    for (const hsp_loss *const *l = hsp_loss_table; *l; l++) losses += of_margin(*l);
    double *margin = hsp_study_add(s, "margin", n, 0, err);
    double *value = margin ? hsp_study_add(s, "value", losses, n, err) : NULL;
    double *slope = value ? hsp_study_add(s, "slope", losses, n, err) : NULL;
    if (!slope) return HSP_EMEMORY;
    for (int64_t i = 0; i < n; i++) margin[i] = widest * (double)(i - STEPS) / STEPS;
    for (const hsp_loss *const *l = hsp_loss_table; *l; l++) {
        if (!of_margin(*l)) continue;
        int status = hsp_study_add_text(s, "losses", (*l)->name, err);
        if (!status) status = hsp_study_add_text(s, "formulas", (*l)->formula, err);
        if (status) return status;
        for (int64_t i = 0; i < n; i++) {
            hsp_loss_at at = (*l)->at((*l), 1, margin[i], HSP_KINK_OPEN);
            *value++ = at.value;
            *slope++ = at.slope;
        }
    }
    static const char *const names[] = {"kink_margin", "kink_value", "kink_left", "kink_right", "kink_loss"};
    kink found[MOST_KINKS];
    int64_t count = find_kinks(NULL);
    if (count > MOST_KINKS) return hsp_fail(err, HSP_EINTERNAL, "the losses have more kinks than expected");
    find_kinks(found);
    for (int a = 0; a < 5; a++) {
        double *v = hsp_study_add(s, names[a], count, 0, err);
        if (!v) return HSP_EMEMORY;
        for (int64_t i = 0; i < count; i++) {
            const double part[] = {found[i].margin, found[i].value, found[i].left, found[i].right, found[i].loss};
            v[i] = part[a];
        }
    }
    return HSP_OK;
}

const hsp_study_entry hsp_study_losses = {
    .name = "losses",
    .help = "loss functions against the margin, with their slopes and kinks",
    .run = study_losses,
};
