/* Reports every change of a network's parameters to the hook `update`, in original units. The result of training has the same
 * bits as without. */
#ifndef HSP_SOLVE_NETWORK_NET_OBSERVE_H
#define HSP_SOLVE_NETWORK_NET_OBSERVE_H

#include "halfspace.h"
#include "network/network.h"
#include "solve/loop/solver.h"
#include "solve/network/examples.h"

typedef struct hsp_net_observer {
    const hsp_hooks *hooks;
    const hsp_examples *e;
    hsp_network *shown;  /* owned: the parameters reported last, in original units; NULL: nothing is observed */
    char *text;          /* owned: the names, behind each other */
    const char **names;  /* owned: LAYER.TO.FROM of each parameter, from 1; FROM 0 is the intercept */
    int64_t *rows;       /* owned: the rows of a batch */
    bool stopped;        /* the hook asked for it */
} hsp_net_observer;

/* One change. */
typedef struct hsp_net_change {
    const int64_t *list; /* the examples of the batch; NULL: all */
    int64_t count;
    double step, loss; /* NaN: unknown; the mean loss before the change */
    int64_t passes, epoch;
} hsp_net_change;

/* 0 or HSP_EMEMORY; close it in either case. */
int hsp_net_observer_open(hsp_net_observer *w, const hsp_hooks *hooks, const hsp_examples *e, const hsp_network *net,
                          hsp_error **err);
void hsp_net_observer_close(hsp_net_observer *w);
/* After a change, or at the start (change NULL); nothing if no one observes. */
void hsp_net_observe(hsp_net_observer *w, const hsp_network *net, const hsp_budget *budget, const hsp_net_change *change);

#endif
