#include "solve/update/visits.h"

int hsp_visits_init(hsp_visits *v, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, bool l1, uint64_t stream,
                    hsp_error **err) {
    v->p = p;
    v->rules = rules;
    int status = hsp_iterate_init(&v->it, p->design, start, l1, rules->keep == HSP_KEEP_AVERAGE, err);
    if (!status) status = hsp_order_init(&v->order, rules->order, p->design->n, rules->seed, stream, err);
    return status;
}

void hsp_visits_free(hsp_visits *v) {
    hsp_iterate_free(&v->it);
    hsp_order_free(&v->order);
}

bool hsp_visits_export(void *state, hsp_which which, hsp_point *out) {
    hsp_visits *v = state;
    if (which == HSP_POINT_CANDIDATE) return false;
    hsp_iterate_export(&v->it, which == HSP_POINT_AVERAGE, out);
    return true;
}

bool hsp_visits_peek(const void *state, double *w, double *b) {
    const hsp_visits *v = state;
    hsp_iterate_peek(&v->it, w);
    *b = v->it.b;
    return true;
}

/* The draws of a stream are numbered (base/rng.h), so that their count is all of its state. */
void hsp_visits_resume(hsp_visits *v, const hsp_counters *from) {
    v->order.rng.counter = from->draws;
}

void hsp_visits_leave(const void *state, hsp_counters *to) {
    const hsp_visits *v = state;
    to->draws = v->order.rng.counter;
}
