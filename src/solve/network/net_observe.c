#include "solve/network/net_observe.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "solve/loop/observe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 48 }; /* bytes of a name */

static void name_parameters(hsp_net_observer *w, const hsp_network *net) {
    int64_t t = 0;
    for (int64_t l = 1; l <= net->layers; l++) {
        int64_t from = net->size[l - 1], to = net->size[l], weights = to * from;
        for (int64_t k = 0; k < weights + to; k++, t++) {
            int64_t unit = k < weights ? k / from : k - weights, input = k < weights ? k % from + 1 : 0;
            char *name = w->text + t * NAME;
            snprintf(name, NAME, "%" PRId64 ".%" PRId64 ".%" PRId64, l, unit + 1, input);
            w->names[t] = name;
        }
    }
}

int hsp_net_observer_open(hsp_net_observer *w, const hsp_hooks *hooks, const hsp_examples *e, const hsp_network *net,
                          hsp_error **err) {
    *w = (hsp_net_observer){.hooks = hooks, .e = e};
    if (!hsp_observed(hooks)) return HSP_OK;
    int64_t count = hsp_network_parameters(net);
    int status = hsp_network_new(net->size, net->layers, net->activation, &w->shown, err);
    if (status) return status;
    bool whole = HSP_ALLOC(w->text, count * NAME) && HSP_ALLOC(w->names, count) && HSP_ALLOC(w->rows, e->n);
    if (!whole) return hsp_fail_memory(err);
    name_parameters(w, net);
    return HSP_OK;
}

void hsp_net_observer_close(hsp_net_observer *w) {
    hsp_network_free(w->shown);
    HSP_FREE(w->text, w->names, w->rows);
    *w = (hsp_net_observer){0};
}

/* A change by one row has its target, and the score that it had before. */
static void describe_row(const hsp_net_observer *w, int64_t row, hsp_update *u) {
    const hsp_examples *e = w->e;
    u->row = row;
    if (e->outputs > 1 || hsp_network_ready(w->shown, NULL)) return;
    hsp_row x = hsp_matrix_row(e->design->x, row);
    hsp_network_scores(w->shown, x, x.count, 0, 1, &u->score);
    u->y = e->target ? e->target[row] : e->class[row] == e->positive ? 1 : -1;
    if (!e->target) u->margin = u->y * u->score;
}

static void describe_change(const hsp_net_observer *w, const hsp_net_change *c, hsp_update *u) {
    u->passes = c->passes;
    u->epoch = c->epoch;
    u->step = c->step;
    u->loss = c->loss;
    if (!c->list) return;
    for (int64_t i = 0; i < c->count; i++) w->rows[i] = w->e->row[c->list[i]];
    if (c->count == 1) {
        describe_row(w, w->rows[0], u);
        return;
    }
    u->rows = w->rows;
    u->row_count = c->count;
}

void hsp_net_observe(hsp_net_observer *w, const hsp_network *net, const hsp_budget *budget, const hsp_net_change *change) {
    if (!w->shown) return;
    int64_t count = hsp_network_parameters(net);
    hsp_update u = {.size = sizeof u,
                    .problems = 1,
                    .updates = change ? budget->updates : 0,
                    .steps = budget->steps,
                    .row = -1,
                    .y = NAN,
                    .score = NAN,
                    .margin = NAN,
                    .step = NAN,
                    .loss = NAN,
                    .weights = w->shown->theta,
                    .features = count,
                    .names = w->names};
    if (change) describe_change(w, change, &u); /* with the scores before it */
    memcpy(w->shown->theta, net->theta, (size_t)count * sizeof *net->theta);
    hsp_examples_to_original(w->e, w->shown);
    if (w->hooks->update(w->hooks->user, &u)) w->stopped = true;
}
