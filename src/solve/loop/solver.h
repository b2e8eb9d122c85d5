/* The solver contract. A solver is a table of functions (hsp_solver) with one line in solver_table.c. It proposes points;
 * run.c owns the loop, measures the points, keeps the best and decides when to stop, so that stopping, trace, progress and
 * time limit are written once. Solvers allocate in init, never in step. */
#ifndef HSP_SOLVE_LOOP_SOLVER_H
#define HSP_SOLVE_LOOP_SOLVER_H

#include "halfspace.h"
#include "option/choices.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/stop.h"

/* The choices of the options with these names. */
typedef enum hsp_schedule { HSP_SCHEDULE_CHOICES(HSP_CHOICE_VALUE) } hsp_schedule;
typedef enum hsp_ordering { HSP_ORDERING_CHOICES(HSP_CHOICE_VALUE) } hsp_ordering;
/* given: as numbers; model: the point that the run begins at */
typedef enum hsp_start { HSP_START_CHOICES(HSP_CHOICE_VALUE) HSP_START_GIVEN, HSP_START_MODEL } hsp_start;
typedef enum hsp_update_on { HSP_UPDATE_ON_CHOICES(HSP_CHOICE_VALUE) } hsp_update_on;
typedef enum hsp_keep { HSP_KEEP_CHOICES(HSP_CHOICE_VALUE) } hsp_keep;

enum { HSP_MOST_FALLBACKS = 2 };

/* The settings of a run: the options, with every "auto" resolved. */
typedef struct hsp_rules {
    hsp_schedule schedule;
    double rate, decay;
    int64_t batch;
    hsp_ordering order;
    hsp_start start;
    const double *given; /* HSP_START_GIVEN: the weights, then the intercept if there is one; borrowed */
    hsp_update_on update_on;
    hsp_keep keep;
    uint64_t seed;
    /* stopping; negative: no such limit */
    int64_t max_epochs, max_updates, max_steps;
    double max_seconds;
    double tol;     /* relative duality gap at which to stop */
    bool tol_given; /* by the user: then only a limit stops the run before the tolerance is reached */
    /* Takes over from the best point when the solver has stalled or failed; NULL: none. */
    const struct hsp_solver *next;
    /* Tried in turn after that, or when the default limit on epochs is reached; NULL: no more. */
    const struct hsp_solver *fallback[HSP_MOST_FALLBACKS];
    bool epochs_given; /* the limit on epochs was set by the user */
    /* Stops early when the objective has not fallen by a share of `least_fall` over this many epochs; 0: never. */
    int64_t patience;
    double least_fall;
    bool continued; /* a pass that continues those before it (run_update.h): row weights count as they are */
} hsp_rules;

/* What a pass over new rows continues from, besides the weights; all 0 at the beginning. */
typedef struct hsp_counters {
    int64_t updates, steps; /* of all passes: they determine the step sizes */
    uint64_t draws;         /* random numbers drawn */
    double step;            /* line search: the step to try next; 0: none yet */
} hsp_counters;

/* What an update was made of, for observers (observe.h). A solver fills it in with every update; score and loss are those
 * before the change. */
typedef struct hsp_change {
    int64_t row;         /* the row that caused it; -1: more than one */
    const int64_t *rows; /* the rows of a batch, borrowed until the next update; NULL: a single row, or all rows */
    int64_t count;       /* of them */
    double score;        /* of the single row */
    double loss;         /* weighted mean of the batch or of all rows; not needed for a single row */
    double step;         /* the learning rate, before row weights; of a dual method the change of the multiplier */
} hsp_change;

/* What a step may use, and what has been used so far. */
typedef struct hsp_budget {
    int64_t updates, steps;         /* so far; counted by the solver: changes of the weights, rows visited */
    int64_t max_updates, max_steps; /* INT64_MAX: no limit */
    double deadline;                /* hsp_clock_seconds() at which to stop; INFINITY: never */
    bool out;                       /* set when a limit, the deadline or a cancel ended the step inside an epoch */
    int64_t polled;                 /* steps when the clock was last read */
    hsp_change change;              /* the last update, set by the solver */
    /* Every update is observed: max_updates is updates + 1 and the limit itself is most_updates. A step returns after each
     * update, and the next call continues with the same bits as if it had not returned. */
    bool watched;
    int64_t most_updates;
    bool paused; /* set when a step returned for that reason */
} hsp_budget;

/* True when the step must end now. Polls the clock and the cancel flag every 256 steps. */
bool hsp_budget_out(hsp_budget *budget);

/* The result of a step. */
typedef enum hsp_step {
    HSP_STEP_MORE,    /* an epoch ended, or the budget is out */
    HSP_STEP_QUIET,   /* an epoch ended, but its point is not worth measuring: run.c counts the epoch and continues */
    HSP_STEP_DONE,    /* nothing left to do: no mistakes, or the gradient vanished */
    HSP_STEP_STALLED, /* no step makes progress any more */
    HSP_STEP_FAILED,  /* numbers are not finite */
    HSP_STEP_MEMORY,  /* out of memory */
    HSP_STEP_ENDLESS, /* the optimum is at infinity: see diverging */
    HSP_STEP_ALONE    /* of a batch: the solver is to continue with this problem by itself */
} hsp_step;

enum { HSP_MOST_DIVERGING = 5 };

/* What a solver has measured itself at the point that it exports, so that run.c need not: the figures, as
 * hsp_problem_evaluate computes them, and the bound from the point's multipliers alpha (which must be feasible), NaN: none. */
typedef struct hsp_measured {
    hsp_evaluation at;
    double bound;
} hsp_measured;

typedef enum hsp_which { HSP_POINT_CURRENT, HSP_POINT_AVERAGE, HSP_POINT_CANDIDATE } hsp_which;

/* Solves several problems over one design at once. They share loss, penalty and intercept and may differ in y, C and c. A
 * problem leaves the batch when run.c ends it, or to be solved by itself from the point reached: after ALONE by the same
 * solver, after STALLED by rules->next. */
typedef struct hsp_batch {
    const char *name; /* of the method, in reports */
    int64_t most;     /* problems at once; at most HSP_MOST_BATCH */
    size_t state_size;
    bool (*takes)(const hsp_problem *p); /* whether the batch can solve problems like this one */
    int (*init)(void *state, hsp_problem *const *p, int64_t count, const hsp_rules *rules, hsp_point *const *start,
                hsp_error **err);
    /* An epoch of all problems that have not left: fills result[k] and updates[k]; counts rows in budget->steps. */
    void (*step)(void *state, hsp_budget *budget, hsp_step *result, int64_t *updates);
    void (*export)(void *state, int64_t k, hsp_point *out);      /* the present point of problem k */
    bool (*measured)(void *state, int64_t k, hsp_measured *out); /* as hsp_solver.measured */
    void (*leave)(void *state, int64_t k);                       /* problem k has left */
    void (*free)(void *state);                                   /* as hsp_solver.free */
} hsp_batch;

enum { HSP_MOST_BATCH = 8 };

/* Of update rules, which can continue on other rows; NULL of all others. */
typedef struct hsp_continuing {
    void (*resume)(void *state, const hsp_counters *from); /* takes up the counters, after `init` */
    void (*leave)(const void *state, hsp_counters *to);    /* writes `draws` and `step` at the end */
} hsp_continuing;

typedef struct hsp_solver {
    const char *name;
    const char *help;
    hsp_stop done;        /* the stop reason after DONE */
    unsigned needs;       /* HSP_LOSS_* traits */
    bool counts_mistakes; /* the best point is the one with the fewest mistakes, not the lowest objective */
    bool searches;        /* uses all rows in each step, and can do a line search */
    bool samples;         /* uses some of the rows in each step, so a step proves nothing about all of them */
    bool many;            /* can solve problems of several outputs */
    bool smooth_penalty;  /* needs a penalty without L1 part */
    bool proposes;        /* export fills point->alpha with multipliers for a lower bound */
    bool expensive_steps; /* few expensive steps: run.c measures the gap after each */
    bool own_start;       /* its own start is better than the multipliers of a solver that stalled */
    /* NULL; or, if it needs a d x d matrix, the name of a solver that does not. */
    const char *without_matrix;
    size_t state_size;
    int (*init)(void *state, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err);
    hsp_step (*step)(void *state, hsp_budget *budget); /* runs to the end of the epoch or of the budget */
    /* Writes a point; false when it has none of that kind. */
    bool (*export)(void *state, hsp_which which, hsp_point *out);
    /* Optional, for solvers that return after every update of a watched run: writes the present point, d weights and an
     * intercept, without any effect on the run. False: not possible at present. */
    bool (*peek)(const void *state, double *w, double *b);
    /* Optional: what the solver has measured at the present point; called after `export` of it. False: nothing. */
    bool (*measured)(void *state, hsp_measured *out);
    /* Optional, for a solver made of several methods: the name of the present one. Reports list the changes. */
    const char *(*method)(const void *state);
    /* Optional, after ENDLESS: fills in up to HSP_MOST_DIVERGING columns whose weights grow without bound, the most important
     * first, and returns how many. */
    int (*diverging)(void *state, int64_t *columns);
    hsp_continuing on;
    void (*free)(void *state); /* frees what init allocated, also when init failed; not the state itself */
    const hsp_batch *batch;    /* NULL; or the same for several problems at once */
    /* NULL; or the solver whose batch `auto` prefers for several problems over sparse rows. */
    const struct hsp_solver *together;
} hsp_solver;

extern const hsp_solver *const hsp_solver_table[]; /* NULL-terminated */
const hsp_solver *hsp_solver_find(const char *name);
extern const hsp_solver hsp_solver_perceptron, hsp_solver_gradient, hsp_solver_stochastic, hsp_solver_newton,
    hsp_solver_newton_cg, hsp_solver_prox_newton, hsp_solver_interior_point, hsp_solver_proximal_point, hsp_solver_dual,
    hsp_solver_class_dual, hsp_solver_class_interior;

/* Whether the schedule has the parameter `decay`. */
bool hsp_schedule_decays(hsp_schedule schedule);
/* The step size of update k (from 0), for all schedules but the line search. */
double hsp_schedule_rate(const hsp_rules *rules, double lambda, int64_t k);

#endif
