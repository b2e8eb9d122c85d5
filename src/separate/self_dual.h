/* Which rows can be strictly on the right side of a plane that has none on the wrong one, and which are held by
 * multipliers: find v and m >= 0 with  s = A v >= 0,  A'm = 0,  m + s > 0   (Goldman and Tucker 1956). The system is its
 * own dual. From v = 0, m = s = 1 an interior-point method follows the path  m_i s_i = mu,  s - A v = mu, A'm = mu A'1,  on
 * which  sum m + sum s  stays what it is: both sides stay bounded, and the limit has m_i + s_i > 0 for each row. One
 * weighted Gram matrix and one Cholesky factorisation a step (Mehrotra 1992). */
#ifndef HSP_SEPARATE_SELF_DUAL_H
#define HSP_SEPARATE_SELF_DUAL_H

#include "halfspace.h"
#include "separate/cone.h"

#include <stdbool.h>

typedef struct hsp_self_dual {
    const hsp_cone *cone;
    const double *Z; /* q x p: v is a combination of these; NULL: any */
    int64_t q;       /* p without Z */
    hsp_cone own;    /* the cone with `rho` */
    double *rho;     /* 0 for rows left out */
    int64_t rows;    /* that count */
    double *v;       /* p */
    double *m, *s;   /* n; 1 for rows left out */
    double *av;      /* n: a_i.v */
    double mu;
    double least;   /* of av */
    double stepped; /* length of the last step */
    /* scratch */
    double *W, *c, *rp, *r, *adv, *ds, *dm, *pass; /* n */
    double *mean, *rhs, *dv, *left;                /* p */
    double *G, *H, *T, *TG, *jacobi;               /* d x d; q x q; q x p; q x d; q */
    double mass;
} hsp_self_dual;

/* out: rows to leave out (n; NULL: none). HSP_OK or HSP_EMEMORY; hsp_self_dual_free in any case. */
int hsp_self_dual_init(hsp_self_dual *t, const hsp_cone *c, const double *Z, int64_t q, const bool *out, hsp_error **err);
/* HSP_OK; HSP_EINTERNAL when it can go no further; HSP_EMEMORY. */
int hsp_self_dual_step(hsp_self_dual *t, hsp_error **err);
void hsp_self_dual_free(hsp_self_dual *t);

#endif
