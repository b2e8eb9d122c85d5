#include "solve/loop/stop.h"

#include "halfspace_internal.h"

#include <string.h>

static const struct {
    const char *name, *sentence;
} reasons[] = {
    [HSP_STOP_NONE] = {NULL, NULL},
    [HSP_STOP_GAP] = {"gap", "the relative gap reached the tolerance"},
    [HSP_STOP_GRADIENT] = {"gradient", "the gradient is zero"},
    [HSP_STOP_NO_MISTAKES] = {"no-mistakes", "an epoch without mistakes"},
    [HSP_STOP_ZERO_LOSS] = {"zero-loss", "the loss is zero"},
    [HSP_STOP_CLOSED_FORM] = {"closed-form", "solved in closed form"},
    [HSP_STOP_MAX_EPOCHS] = {"max-epochs", "limit on epochs (--max-epochs)"},
    [HSP_STOP_MAX_UPDATES] = {"max-updates", "limit on updates (--max-updates)"},
    [HSP_STOP_MAX_STEPS] = {"max-steps", "limit on examples visited (--max-steps)"},
    [HSP_STOP_MAX_SECONDS] = {"max-seconds", "time limit (--max-seconds)"},
    [HSP_STOP_CANCELLED] = {"cancelled", "interrupted, kept the best model so far"},
    [HSP_STOP_EARLY] = {"early-stop", "the objective has stopped falling"},
    [HSP_STOP_NO_PROGRESS] = {"no-progress", "stalled: no further progress"},
    [HSP_STOP_CYCLING] = {"cycling", "the iterates repeat"},
    [HSP_STOP_DIVERGED] = {"diverged", "diverged"},
    [HSP_STOP_INFINITY] = {"infinity", "no finite optimum: the weights diverge"},
    [HSP_STOP_NOT_SEPARABLE] = {"not-separable", "the classes are not linearly separable"},
    [HSP_STOP_TOUCHING] = {"touching", "the classes touch: no hyperplane separates them strictly"},
    [HSP_STOP_UNDECIDED] = {"undecided", "it is undecided whether the classes are linearly separable"},
    [HSP_STOP_NOT_TRIED] = {"not-tried", "not tried: another class is not separable from the rest"},
};

const char *hsp_stop_name(hsp_stop stop) {
    return reasons[stop].name;
}

const char *hsp_stop_sentence(const char *name) {
    for (size_t i = 1; i < sizeof reasons / sizeof *reasons; i++)
        if (strcmp(reasons[i].name, name) == 0) return reasons[i].sentence;
    return name;
}
