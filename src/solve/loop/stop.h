/* The reasons for which a run stops. One table gives each reason its name in reports and its sentence for the user. */
#ifndef HSP_SOLVE_LOOP_STOP_H
#define HSP_SOLVE_LOOP_STOP_H

typedef enum hsp_stop {
    HSP_STOP_NONE, /* still running */
    /* Converged. */
    HSP_STOP_GAP,
    HSP_STOP_GRADIENT,
    HSP_STOP_NO_MISTAKES,
    HSP_STOP_ZERO_LOSS,
    HSP_STOP_CLOSED_FORM,
    /* Limits and interruption. */
    HSP_STOP_MAX_EPOCHS,
    HSP_STOP_MAX_UPDATES,
    HSP_STOP_MAX_STEPS,
    HSP_STOP_MAX_SECONDS,
    HSP_STOP_CANCELLED,
    /* The objective does not improve or has no minimum. */
    HSP_STOP_EARLY, /* a descent whose objective has stopped falling */
    HSP_STOP_NO_PROGRESS,
    HSP_STOP_CYCLING, /* the loop reports no-progress instead */
    HSP_STOP_DIVERGED,
    HSP_STOP_INFINITY,
    /* The hard margin does not exist, or was not computed. */
    HSP_STOP_NOT_SEPARABLE,
    HSP_STOP_TOUCHING,
    HSP_STOP_UNDECIDED,
    HSP_STOP_NOT_TRIED
} hsp_stop;

/* The value of stop_reason in reports: "gap", "max-epochs", ...; NULL for HSP_STOP_NONE. */
const char *hsp_stop_name(hsp_stop stop);

#endif
