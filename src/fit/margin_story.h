/* A margin told step by step, for --verbose. */
#ifndef HSP_FIT_MARGIN_STORY_H
#define HSP_FIT_MARGIN_STORY_H

#include "fit/fit.h"

/* The primal, the conditions of the Lagrangian and the dual with the numbers of this fit, through the log hook: two
 * classes, few rows and columns. To be called when weights, intercept and multipliers are there. */
void hsp_margin_story(const hsp_fit *f);

#endif
