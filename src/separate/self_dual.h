/* Which rows can be strictly on the right side of a plane that has none on the wrong side, and which are held by
 * multipliers? Find v and m >= 0 with (Goldman and Tucker 1956)
 *     s = A v >= 0,  A'm = 0,  m + s > 0
 * The system is self-dual. From v = 0, m = s = 1 an interior-point method follows the path
 *     m_i s_i = mu,  s - A v = mu,  A'm = mu A'1
 * on which sum m + sum s is constant: both stay bounded, and the limit has m_i + s_i > 0 for each row. A step costs one
 * weighted Gram matrix and one Cholesky factorisation (Mehrotra 1992). */
#ifndef HSP_SEPARATE_SELF_DUAL_H
#define HSP_SEPARATE_SELF_DUAL_H

#include "halfspace.h"
#include "separate/cone.h"

/* The matrix A'WA of a step, with the intercept eliminated by the weighted mean. Owns its arrays. */
typedef struct hsp_self_dual_system {
    double *W;            /* n: m_i / s_i */
    double *mean, mass;   /* d: weighted mean of the rows; sum of the weights */
    double *G;            /* d x d: Gram matrix of the rows less their mean */
    double *H, *jacobi;   /* q x q: its Cholesky factor after scaling to a unit diagonal; q: the scales */
    double *T, *TG;       /* q x p each; NULL without Z */
    double *right, *left; /* p: right-hand side; correction of a refinement */
} hsp_self_dual_system;

/* The direction of a step. Owns its arrays. */
typedef struct hsp_self_dual_change {
    double *v;      /* p */
    double *av;     /* n: A v */
    double *m, *s;  /* n */
    double *target; /* n: right-hand side of m ds + s dm */
    double *pull;   /* n: right-hand side r of A'WA dv = A'r */
} hsp_self_dual_change;

typedef struct hsp_self_dual {
    const hsp_cone *cone; /* borrowed */
    const double *Z;      /* q x p, borrowed: v is a combination of these; NULL: any */
    int64_t q;            /* p without Z */
    hsp_cone own;         /* the cone with `rho` */
    double *rho;          /* n, owned: 0 for rows left out */
    int64_t rows;         /* that count */
    double *v;            /* p, owned */
    double *m, *s;        /* n, owned; 1 for rows left out */
    double *av;           /* n, owned: a_i.v */
    double *missing;      /* n, owned: s - A v */
    double *scratch;      /* n, owned */
    double mu;
    double least; /* of av */
    hsp_self_dual_system system;
    hsp_self_dual_change change;
} hsp_self_dual;

/* out: rows to leave out (n; NULL: none). HSP_OK or HSP_EMEMORY; call hsp_self_dual_free in either case. */
int hsp_self_dual_init(hsp_self_dual *t, const hsp_cone *c, const double *Z, int64_t q, const bool *out, hsp_error **err);
/* HSP_OK; HSP_EINTERNAL if no further step is possible; HSP_EMEMORY. */
int hsp_self_dual_step(hsp_self_dual *t, hsp_error **err);
void hsp_self_dual_free(hsp_self_dual *t);

#endif
