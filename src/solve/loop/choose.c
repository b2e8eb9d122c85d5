/* See choose.h. Costs are in nanoseconds on one thread of a processor of 2020 or so; only their ratios count. */
#include "solve/loop/choose.h"

#include "data/matrix.h"

#include <math.h>

static const double NS_TILE = 0.07;  /* one product of a dense Gram matrix */
static const double NS_PAIR = 0.8;   /* one of a sparse one */
static const double NS_FACTOR = 0.1; /* one of a Cholesky factorisation */
static const double NS_STREAM = 0.5; /* one stored number of a dense row in a pass over the data */
static const double NS_ENTRY = 1.2;  /* and of a sparse one */
static const double NS_ROW = 15;     /* overhead of a row */
static const double NS_STEP = 5e4;   /* a step of second order, whatever the data */
static const double NS_VISIT = 2;    /* one stored number in an epoch of the dual: read, and half of the time written */
static const double NS_CALL = 80;    /* overhead of a row there: random access to memory */
static const double NS_LOGIT = 50;   /* and with the logistic loss, the solution of its equation */
enum { MOST_SIZE = 4000, MOST_JOINT = 600, MOST_INTERIOR = 3000, MOST_CLASSES = 2000 }; /* unknowns of a Hessian */

/* ---- facts ---- */

enum { SAMPLE = 1024 };

/* Mean of |x'|^2 over a sample of rows, where x' is centred if the design is. */
static double size_of_rows(const hsp_design *D) {
    int64_t stride = D->n / SAMPLE + 1;
    double sum = 0, rows = 0;
    for (int64_t i = 0; i < D->n; i += stride, rows++) {
        double q = hsp_row_norm2(hsp_design_row(D, i, NULL));
        if (D->p) q += D->pp - 2 * D->pz[i];
        sum += fmax(q, 0);
    }
    return rows > 0 ? sum / rows : 0;
}

static double products_of_rows(const hsp_matrix *x) {
    double sum = 0;
    for (int64_t i = 0; i < x->n; i++) {
        double count = (double)hsp_matrix_row(x, i).count;
        sum += count * count / 2;
    }
    return sum;
}

hsp_facts hsp_facts_of(const hsp_design *D, const hsp_loss *loss, double C, double tol) {
    double n = (double)D->n, d = (double)D->d;
    return (hsp_facts){.loss = loss,
                       .penalised = true,
                       .outputs = 1,
                       .C = C,
                       .tol = tol,
                       .n = n,
                       .d = d,
                       .stored = (double)D->x->stored,
                       .dense = D->x->dense,
                       .pairs = D->x->dense ? n * d * d / 2 : products_of_rows(D->x),
                       .size = size_of_rows(D)};
}

/* ---- costs ---- */

static double digits(const hsp_facts *f) {
    return fmin(fmax(-log10(f->tol), 1), 16);
}

static double cost_of_pass(const hsp_facts *f) {
    return (f->dense ? NS_STREAM : NS_ENTRY) * f->stored + NS_ROW * f->n;
}

/* The whole Hessian, once: sparse rows by pairs of entries, or as dense rows where that is cheaper. */
static double cost_of_hessian(const hsp_facts *f) {
    double size = f->d * (double)f->outputs, blocks = (double)f->outputs * (double)(f->outputs + 1) / 2;
    double spread = NS_TILE * f->n * f->d * f->d / 2;
    double gram = f->dense ? spread : fmin(spread, NS_PAIR * f->pairs + f->d * f->d);
    return blocks * gram + NS_FACTOR * size * size * size / 3;
}

/* Several outputs and many rows: in each step the matrix of a sample, and a few products with all rows. */
static double cost_of_samples(const hsp_facts *f, double rows) {
    enum { PRODUCTS = 4 };
    double share = rows / f->n, factor = NS_FACTOR * pow(f->d * (double)f->outputs, 3) / 3;
    double passes = (3 + 2 * PRODUCTS) * (double)f->outputs * cost_of_pass(f);
    return (4 + digits(f) / 2) * (share * (cost_of_hessian(f) - factor) + factor + passes + NS_STEP);
}

static double cost_newton(const hsp_facts *f) {
    double size = f->d * (double)f->outputs, rows = fmax(1000, 20 * f->d);
    if (size > (f->outputs == 1 ? MOST_SIZE : MOST_JOINT)) return INFINITY;
    if (f->outputs > 1 && f->penalised && f->n >= 4 * rows) return cost_of_samples(f, rows);
    bool sampled = f->outputs == 1 && f->n >= 4 * fmax(4096, 50 * f->d); /* the start comes from samples of the rows */
    double steps = sampled ? 2.5 + digits(f) / 4 : 4 + digits(f) / 2;
    double gram = cost_of_hessian(f);
    /* Expensive: most steps use a sample of the rows, and dense rows are multiplied in single precision. */
    if (f->outputs == 1 && gram > 10 * cost_of_pass(f)) gram /= f->dense ? 4 : 2;
    return steps * (gram + 2 * cost_of_pass(f) + NS_STEP);
}

/* The strength of a row's loss relative to the penalty: decides the epochs of the dual and the products of Newton-CG. */
static double loss_strength(const hsp_facts *f) {
    return f->C * f->size;
}

/* More columns than rows take more products, a curvature with jumps takes more steps. */
static double cost_newton_cg(const hsp_facts *f) {
    bool wide = f->d > f->n, jumps = f->loss->traits & HSP_LOSS_PIECEWISE;
    double products = (10 + 25 * log10(1 + loss_strength(f))) * (0.5 + digits(f) / 6);
    if (wide) products *= jumps ? 6 : 3;
    return (double)f->outputs * products * (2 * cost_of_pass(f) + NS_STEP / 10) + 5 * NS_STEP;
}

static double cost_interior(const hsp_facts *f) {
    if (f->d > MOST_INTERIOR) return INFINITY;
    double steps = 10 + 1.2 * digits(f);
    return steps * (cost_of_hessian(f) + 18 * cost_of_pass(f) + NS_STEP / 2);
}

/* The inner Newton systems contain only the rows near the margin. With many columns they are solved by products with these
 * rows, of which there are many unless the columns are far fewer than the rows. */
static double cost_proximal(const hsp_facts *f) {
    enum { ROWS_A_COLUMN = 4 };
    if (f->d > MOST_INTERIOR)
        return f->n < ROWS_A_COLUMN * f->d ? INFINITY : 200 * pow(digits(f) / 3, 2.4) * cost_of_pass(f);
    double steps = 30 * pow(digits(f) / 3, 0.7);
    return steps * (0.6 * cost_of_hessian(f) + 4 * cost_of_pass(f) + NS_STEP);
}

static double cost_dual(const hsp_facts *f) {
    bool hinge = !(f->loss->traits & HSP_LOSS_SMOOTH), logistic = f->loss->dual_shape == HSP_DUAL_ENTROPY;
    double epochs = hinge ? 5 + 20 * pow(loss_strength(f), 0.6) : 4 + 5 * pow(loss_strength(f), 0.5);
    if (digits(f) > 3) epochs *= pow(digits(f) / 3, hinge ? 2 : 1);
    double finish = hinge && digits(f) > 8 ? 20 : 2; /* Newton steps to exact multipliers */
    return finish * NS_STEP + (epochs + 2) * (NS_VISIT * f->stored + (NS_CALL + (logistic ? NS_LOGIT : 0)) * f->n);
}

/* ---- the choice ---- */

static const hsp_solver *second_order(const hsp_facts *f) {
    return cost_newton(f) <= cost_newton_cg(f) ? &hsp_solver_newton : &hsp_solver_newton_cg;
}

typedef struct offer {
    const hsp_solver *solver;
    double cost;
} offer;

/* The fallbacks are the cheapest solvers that are not chosen yet. */
static hsp_solver_choice add_fallbacks(hsp_solver_choice c, const offer *offers, int count) {
    for (int k = 0; k < HSP_MOST_FALLBACKS; k++) {
        double least = INFINITY;
        for (int t = 0; t < count; t++) {
            const hsp_solver *s = offers[t].solver;
            bool taken = s == c.first || s == c.next || (k > 0 && s == c.fallback[0]);
            if (taken || !(offers[t].cost < least)) continue;
            least = offers[t].cost;
            c.fallback[k] = s;
        }
    }
    return c;
}

static hsp_solver_choice choose_hinge(const hsp_facts *f) {
    double dual = cost_dual(f), interior = cost_interior(f), proximal = cost_proximal(f);
    const offer offers[] = {
        {&hsp_solver_dual, dual}, {&hsp_solver_interior_point, interior}, {&hsp_solver_proximal_point, proximal}};
    hsp_solver_choice c = {.first = dual < interior && dual < proximal ? &hsp_solver_dual
                                    : proximal < interior              ? &hsp_solver_proximal_point
                                                                       : &hsp_solver_interior_point};
    return add_fallbacks(c, offers, 3);
}

static hsp_solver_choice choose_smooth(const hsp_facts *f) {
    bool has_dual = f->penalised && f->outputs == 1 && f->loss->dual_shape != HSP_DUAL_OTHER;
    bool margin = has_dual && f->loss->dual_shape == HSP_DUAL_BOX;
    double newton = cost_newton(f), products = cost_newton_cg(f), dual = has_dual ? cost_dual(f) : INFINITY;
    const offer offers[] = {{&hsp_solver_dual, dual},
                            {&hsp_solver_newton, newton},
                            {&hsp_solver_newton_cg, products},
                            {&hsp_solver_proximal_point, margin ? cost_proximal(f) : INFINITY}};
    hsp_solver_choice c = {.first = second_order(f)};
    if (dual < fmin(newton, products)) c = (hsp_solver_choice){.first = &hsp_solver_dual, .next = second_order(f)};
    return add_fallbacks(c, offers, 4);
}

/* Crammer-singer: an epoch of the dual visits each stored number for all classes, four at a time. */
static double cost_class_dual(const hsp_facts *f) {
    double K = (double)f->outputs, epochs = (5 + 20 * pow(loss_strength(f), 0.6)) * fmax(1, digits(f) / 3);
    return epochs * (NS_VISIT * f->stored * K / 4 + (NS_CALL + 10 * K) * f->n);
}

static double cost_class_interior(const hsp_facts *f) {
    if (f->d * (double)f->outputs > MOST_CLASSES) return INFINITY;
    double K = (double)f->outputs, steps = 10 + 2 * digits(f);
    return steps * (cost_of_hessian(f) + K * (12 * cost_of_pass(f) + 40 * f->n) + NS_STEP);
}

static hsp_solver_choice choose_classes(const hsp_facts *f) {
    double dual = cost_class_dual(f), interior = cost_class_interior(f);
    if (!(interior < INFINITY)) return (hsp_solver_choice){.first = &hsp_solver_class_dual};
    bool first = dual < interior;
    return (hsp_solver_choice){.first = first ? &hsp_solver_class_dual : &hsp_solver_class_interior,
                               .next = first ? &hsp_solver_class_interior : &hsp_solver_class_dual};
}

hsp_solver_choice hsp_choose(const hsp_facts *f) {
    if ((f->loss->traits & HSP_LOSS_MANY) && !(f->loss->traits & HSP_LOSS_SMOOTH)) return choose_classes(f);
    if (f->l1) return (hsp_solver_choice){.first = &hsp_solver_prox_newton};
    return f->loss->traits & HSP_LOSS_SMOOTH ? choose_smooth(f) : choose_hinge(f);
}
