/* The solvers, and the step size schedules that they share. To add a solver: a file in a folder of src/solve, its name in
 * solver.h, and a line here. */
#include "solve/loop/solver.h"

#include <math.h>
#include <string.h>

const hsp_solver *const hsp_solver_table[] = {
    &hsp_solver_perceptron, &hsp_solver_gradient,    &hsp_solver_stochastic,     &hsp_solver_newton,
    &hsp_solver_newton_cg,  &hsp_solver_prox_newton, &hsp_solver_interior_point, &hsp_solver_proximal_point,
    &hsp_solver_dual,       &hsp_solver_class_dual,  &hsp_solver_class_interior, NULL};

const hsp_solver *hsp_solver_find(const char *name) {
    for (int64_t i = 0; hsp_solver_table[i]; i++)
        if (strcmp(hsp_solver_table[i]->name, name) == 0) return hsp_solver_table[i];
    return NULL;
}

bool hsp_schedule_decays(hsp_schedule schedule) {
    return schedule == HSP_SCHEDULE_DECAY || schedule == HSP_SCHEDULE_POWER;
}

double hsp_schedule_rate(const hsp_rules *rules, double lambda, int64_t k) {
    switch (rules->schedule) {
    case HSP_SCHEDULE_HARMONIC:
        return rules->rate / (double)(k + 1);
    case HSP_SCHEDULE_DECAY:
        return rules->rate / (1 + rules->decay * (double)k);
    case HSP_SCHEDULE_POWER:
        return rules->rate / pow((double)(k + 1), rules->decay);
    case HSP_SCHEDULE_PEGASOS:
        return 1 / (lambda * (double)(k + 1));
    default:
        return rules->rate;
    }
}
