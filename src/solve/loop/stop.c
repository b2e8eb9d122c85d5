#include "solve/loop/stop.h"

#include "halfspace_internal.h"

#include <string.h>

static const struct {
    const char *name, *sentence;
} reasons[] = {
    [HSP_STOP_NONE] = {NULL, NULL},
    [HSP_STOP_GAP] = {"gap", "the gap is within the tolerance"},
    [HSP_STOP_GRADIENT] = {"gradient", "the gradient vanished"},
    [HSP_STOP_NO_MISTAKES] = {"no-mistakes", "a whole pass made no mistake"},
    [HSP_STOP_ZERO_LOSS] = {"zero-loss", "the loss is zero"},
    [HSP_STOP_CLOSED_FORM] = {"closed-form", "solved in closed form"},
    [HSP_STOP_MAX_EPOCHS] = {"max-epochs", "the limit on epochs (--max-epochs)"},
    [HSP_STOP_MAX_UPDATES] = {"max-updates", "the limit on updates (--max-updates)"},
    [HSP_STOP_MAX_STEPS] = {"max-steps", "the limit on examples visited (--max-steps)"},
    [HSP_STOP_MAX_SECONDS] = {"max-seconds", "the limit on time (--max-seconds)"},
    [HSP_STOP_CANCELLED] = {"cancelled", "interrupted, the best so far was kept"},
    [HSP_STOP_NO_PROGRESS] = {"no-progress", "no more progress"},
    [HSP_STOP_CYCLING] = {"cycling", "the iterates repeat"},
    [HSP_STOP_DIVERGED] = {"diverged", "diverged"},
    [HSP_STOP_INFINITY] = {"infinity", "the optimum is at infinity: the weights would grow without end"},
    [HSP_STOP_NOT_SEPARABLE] = {"not-separable", "there is no plane between the classes"},
    [HSP_STOP_TOUCHING] = {"touching", "there is no plane strictly between the classes"},
    [HSP_STOP_UNDECIDED] = {"undecided", "whether there is a plane between the classes was not found out"},
    [HSP_STOP_NOT_TRIED] = {"not-tried", "not tried: another class has no street"},
};

const char *hsp_stop_name(hsp_stop stop) {
    return reasons[stop].name;
}

const char *hsp_stop_sentence(const char *name) {
    for (size_t i = 1; i < sizeof reasons / sizeof *reasons; i++)
        if (strcmp(reasons[i].name, name) == 0) return reasons[i].sentence;
    return name;
}
