#include "separate/separate.h"

#include "base/clock.h"
#include "base/text.h"
#include "separate/search.h"

/* A step of the linear program needs a d x d matrix. */
enum { FEW_COLUMNS = 1200, FEW_ROWS = 1200 };
/* Most products in a step of the linear program once a witness is known, and once a plane through it is known, too. */
static const double AFFORDABLE = 5e9, CHEAP = 5e8;

static int optimise(hsp_search *s, hsp_error **err) {
    hsp_cone_frame f;
    double d = (double)s->q->x->d;
    double most = s->out->verdict == HSP_TOUCHING ? CHEAP : AFFORDABLE;
    if (s->out->count > 0 && s->left > FEW_ROWS && ((double)s->left * d * d > most || d > FEW_COLUMNS)) {
        s->open_reason = "too many rows and columns";
        hsp_search_log(s, "skipped which rows can be free: %s", s->open_reason);
        return HSP_OK;
    }
    int status = hsp_frame_make(&s->core, &f, err);
    if (!status && f.finite) {
        hsp_cone c = hsp_frame_cone(&f, s->q->origin);
        if (c.d <= FEW_COLUMNS && c.d < s->left)
            status = hsp_search_face(s, &c, NULL, NULL, err);
        else
            status = hsp_search_wide(s, &f, err);
    }
    hsp_frame_clear(&f);
    return status;
}

/* Writes why nothing was proven, or why it is unknown whether the hulls only touch. */
static int explain(hsp_search *s, bool quick, hsp_error **err) {
    hsp_text t = {0};
    bool touching = s->out->verdict == HSP_NOT_SEPARABLE;
    if (touching) hsp_text_add(&t, HSP_PROOF_OPEN);
    if (hsp_cancel_pending())
        hsp_text_add(&t, "cancelled");
    else if (quick)
        hsp_text_add(&t, "only the quick tests were requested");
    else if (hsp_search_stop(s))
        hsp_text_add(&t, "time limit reached");
    else if (s->open_reason)
        hsp_text_add(&t, s->open_reason);
    else
        hsp_text_add(&t, touching ? "no hyperplane could be proven in double precision"
                                  : "neither a hyperplane nor a witness could be proven in double precision");
    return hsp_text_take(&t, &s->out->reason, err);
}

int hsp_separate(const hsp_rows_by_side *q, const hsp_separate_limits *limits, hsp_proof *out, hsp_error **err) {
    hsp_search s;
    hsp_proof_kind kind;
    int status = hsp_search_begin(&s, q, limits, out, err);
    if (!status) status = hsp_search_one_class(&s, err);
    if (!status && !s.decided) status = hsp_search_duplicates(&s, err);
    if (!status && !s.decided && s.out->count == 0 && !hsp_search_stop(&s)) status = hsp_search_column(&s, err);
    if (!status && !s.decided && s.out->count == 0 && !hsp_search_stop(&s)) status = hsp_search_perceptron(&s, err);
    if (!status && !s.decided && !hsp_search_stop(&s)) status = hsp_search_layers(&s, err);
    if (!status && !s.decided && !limits->quick && !hsp_search_stop(&s)) status = optimise(&s, err);
    if (status == HSP_ECANCELLED) status = HSP_OK; /* in a factorisation: undecided, with that reason */
    /* Whatever floating point decided, except a separating plane, is decided again in integers if that is cheap. */
    if (!status && !(s.decided && out->verdict == HSP_SEPARABLE) && !limits->quick && !hsp_search_stop(&s))
        status = hsp_search_rational(&s, s.decided || s.likely_overlap, err);
    bool open = out->verdict == HSP_UNDECIDED || (out->verdict == HSP_NOT_SEPARABLE && !s.decided && !s.likely_overlap);
    if (!status && open) status = explain(&s, limits->quick, err);
    if (!status && out->count > 0)
        status = hsp_proof_check_witness(q, out->row, out->multiplier, out->count, out->multiplier, &kind, err);
    hsp_search_end(&s);
    return status;
}
