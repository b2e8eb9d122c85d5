/* Explains a hard margin step by step, for --verbose. */
#ifndef HSP_FIT_MARGIN_STORY_H
#define HSP_FIT_MARGIN_STORY_H

#include "fit/fit.h"

/* Logs the primal, the KKT conditions and the dual with the numbers of this fit, for two classes and few rows and columns.
 * Call it when weights, intercept and multipliers are set. */
void hsp_margin_story(const hsp_fit *f);

#endif
