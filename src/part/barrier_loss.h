/* The hinge with a logarithmic barrier for its slack, minimised over the slack s:
 *
 *     phi(m) = min over s > max(0, 1 - m) of  s - t log s - t log(s - 1 + m),    t > 0 the parameter
 *
 * Smooth and convex; its slope is minus a multiplier strictly inside [0, 1], so that every point gives a bound for the hinge
 * itself. Along decreasing t its minima go to that of the hinge: an interior point method whose state is w alone. Not in the
 * table of losses: nobody asks for it by name. */
#ifndef HSP_PART_BARRIER_LOSS_H
#define HSP_PART_BARRIER_LOSS_H

#include "loss/loss.h"

extern const hsp_loss hsp_loss_barrier;

#endif
