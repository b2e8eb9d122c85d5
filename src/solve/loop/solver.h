/* Solvers: one file each, one line in solver_table.c. A solver proposes points; run.c owns the loop, judges them, keeps the
 * best and decides when to stop, so that stopping, trace, progress and time limit exist once. Allocate in init, never in
 * step. */
#ifndef HSP_SOLVE_LOOP_SOLVER_H
#define HSP_SOLVE_LOOP_SOLVER_H

#include "halfspace.h"
#include "option/choices.h"
#include "problem/point.h"
#include "problem/problem.h"

/* The choices of the options of these names. */
typedef enum hsp_schedule { HSP_SCHEDULE_CHOICES(HSP_CHOICE_VALUE) } hsp_schedule;
typedef enum hsp_ordering { HSP_ORDERING_CHOICES(HSP_CHOICE_VALUE) } hsp_ordering;
typedef enum hsp_start { HSP_START_CHOICES(HSP_CHOICE_VALUE) } hsp_start;
typedef enum hsp_update_on { HSP_UPDATE_ON_CHOICES(HSP_CHOICE_VALUE) } hsp_update_on;
typedef enum hsp_keep { HSP_KEEP_CHOICES(HSP_CHOICE_VALUE) } hsp_keep;

enum { HSP_MOST_SPARE = 2 };

/* How a run goes: what the options say, with every "auto" decided. */
typedef struct hsp_rules {
    hsp_schedule schedule;
    double rate, decay;
    int64_t batch;
    hsp_ordering order;
    hsp_start start;
    hsp_update_on update_on;
    hsp_keep keep;
    uint64_t seed;
    /* stopping; negative: no such limit */
    int64_t max_epochs, max_updates, max_steps;
    double max_seconds;
    double tol;     /* relative duality gap at which to stop */
    bool tol_given; /* asked for by name: then nothing short of it stops the run but a limit */
    const struct hsp_solver
        *next; /* takes over, from the point reached, when the solver has stalled or failed; NULL: none */
    /* Those that are tried after it, in turn, when nothing else is left, or when the limit on epochs is reached that nobody
     * asked for; NULL: no more. */
    const struct hsp_solver *spare[HSP_MOST_SPARE];
    bool epochs_given; /* the limit on epochs was asked for */
} hsp_rules;

/* What a step may use up, and what it has used. */
typedef struct hsp_budget {
    int64_t updates, steps;         /* so far; the solver counts */
    int64_t max_updates, max_steps; /* INT64_MAX: no limit */
    double deadline;                /* hsp_clock_seconds() at which to stop; INFINITY: never */
    bool out;                       /* set when a limit, the deadline or a cancel ended the step inside an epoch */
    int64_t polled;                 /* steps at the last look at the clock */
    int64_t row;                    /* that caused the last update, where one did; the solver writes it */
    /* Somebody looks at every update: max_updates is one more than there are, and the limit itself is here. A step comes
     * back after each update and goes on, when it is called again, as if it had never been away. */
    bool watched;
    int64_t most_updates;
    bool paused; /* set when a step came back for that */
} hsp_budget;

/* True when the step must end now; looks at the clock and at the cancel flag now and then. */
bool hsp_budget_out(hsp_budget *budget);

typedef enum hsp_step {
    HSP_STEP_MORE,    /* an epoch ended, or the budget is out */
    HSP_STEP_QUIET,   /* an epoch ended, and its point is not worth a look: run.c counts it and goes on */
    HSP_STEP_DONE,    /* nothing left to do: no mistakes, or the gradient vanished */
    HSP_STEP_STALLED, /* no step makes progress any more */
    HSP_STEP_FAILED,  /* numbers ran away */
    HSP_STEP_MEMORY,  /* no memory for it */
    HSP_STEP_ENDLESS, /* the optimum is at infinity: see diverging */
    HSP_STEP_ALONE    /* of a batch: the solver goes on with this problem by itself */
} hsp_step;

enum { HSP_MOST_DIVERGING = 5 };

/* What a solver knows of the point that it exports, so that nobody measures it twice: the figures, as hsp_problem_evaluate
 * would find them, and the bound of the multipliers in the point's alpha (feasible as they are), NaN where there is none.
 */
typedef struct hsp_known {
    hsp_evaluation at;
    double bound;
} hsp_known;

typedef enum hsp_which { HSP_POINT_CURRENT, HSP_POINT_AVERAGE, HSP_POINT_CANDIDATE } hsp_which;

/* Several problems over one design at once, side by side. They have loss, penalty and intercept in common and may differ in
 * y, C and c. run.c drives it as it drives a solver; a problem leaves when run.c ends it, or to be solved by itself from the
 * point reached, when the batch says so: ALONE, or STALLED for rules->next. */
typedef struct hsp_batch {
    const char *name; /* of the method, in reports */
    int64_t most;     /* problems at once; at most HSP_MOST_BATCH */
    size_t state_size;
    bool (*takes)(const hsp_problem *p); /* whether problems like this one can be solved so */
    int (*init)(void *state, hsp_problem *const *p, int64_t count, const hsp_rules *rules, hsp_point *const *start,
                hsp_error **err);
    /* An epoch of all that have not left: said[k] and updates[k] of each; the rows visited go to the budget's steps. */
    void (*step)(void *state, hsp_budget *budget, hsp_step *said, int64_t *updates);
    void (*export)(void *state, int64_t k, hsp_point *out); /* the present point of problem k */
    bool (*known)(void *state, int64_t k, hsp_known *out);  /* as that of a solver */
    void (*leave)(void *state, int64_t k);                  /* problem k has left */
    void (*free)(void *state);                              /* as that of a solver */
} hsp_batch;

enum { HSP_MOST_BATCH = 8 };

typedef struct hsp_solver {
    const char *name;
    const char *help;
    const char *done;     /* the stop reason when step says DONE */
    unsigned needs;       /* HSP_LOSS_* traits */
    bool counts_mistakes; /* the best point is the one with the fewest mistakes, not the lowest objective */
    bool searches;        /* steps from all rows at once, and can do a line search */
    bool samples;         /* a step sees some of the rows only, so that nothing is proven by it */
    bool many;            /* takes problems of several outputs */
    bool smooth_penalty;  /* takes no L1 part */
    bool proposes;        /* fills point->alpha with multipliers for a bound of its own */
    bool expensive_steps; /* few steps, each worth measuring the gap */
    bool own_start;       /* has a start of its own that is better than any of a solver that got nowhere */
    /* NULL; or, when it works with a matrix of as many numbers as columns squared, the name of a solver that does not */
    const char *without_matrix;
    size_t state_size;
    int (*init)(void *state, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err);
    hsp_step (*step)(void *state, hsp_budget *budget); /* until the end of the epoch, or of the budget */
    /* Writes a point; false when it has none of that kind. */
    bool (*export)(void *state, hsp_which which, hsp_point *out);
    /* NULL; or writes the present point, d weights and an intercept, as a look that changes nothing, not even a bit of what
     * follows. false: cannot, at present. For solvers that come back after every update of a watched run. */
    bool (*peek)(const void *state, double *w, double *b);
    /* NULL; or fills in what is known of the present point, after `export` of it. false: nothing is. */
    bool (*known)(void *state, hsp_known *out);
    /* NULL; or the name of the method at work, where a solver is made of several: a change is told in the report. */
    const char *(*method)(const void *state);
    /* After ENDLESS: up to HSP_MOST_DIVERGING columns whose weights grow for ever, those that matter most first; how many.
     * NULL: cannot tell. */
    int (*diverging)(void *state, int64_t *columns);
    void (*free)(void *state); /* what init allocated, also when init failed half-way; not the state itself */
    const hsp_batch *batch;    /* NULL; or the same for several problems at once */
    /* NULL; or the solver whose batch solves several problems over sparse rows sooner than this one solves each of them, when
     * the choice is ours. */
    const struct hsp_solver *together;
} hsp_solver;

extern const hsp_solver *const hsp_solver_table[]; /* NULL-terminated */
const hsp_solver *hsp_solver_find(const char *name);
extern const hsp_solver hsp_solver_perceptron, hsp_solver_gradient, hsp_solver_stochastic, hsp_solver_newton,
    hsp_solver_newton_cg, hsp_solver_prox_newton, hsp_solver_interior_point, hsp_solver_proximal_point, hsp_solver_dual;

/* The step size of update k (from 0). Not for line searches. */
double hsp_schedule_rate(const hsp_rules *rules, double lambda, int64_t k);

#endif
