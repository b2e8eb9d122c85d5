/* The transforms that need no training rows, and the table of all. */
#include "kernel/level.h"
#include "table/transform.h"

#include <math.h>

/* The kernel's logarithm has the same bits on every machine; it takes x >= 0, and below
 *     log(1 + x) = -log(1 - x / (1 + x)). */
static double apply_log1p(const hsp_transform *t, double x) {
    (void)t;
    if (!(x > -1)) return NAN;
    double v = x < 0 ? -x / (1 + x) : x;
    hsp_level_now()->log1ps(1, &v, &v);
    return x < 0 ? -v : v;
}

static double apply_sqrt(const hsp_transform *t, double x) {
    (void)t;
    return x >= 0 ? sqrt(x) : (double)NAN;
}

static bool valid_bounds(const double *argument) {
    return argument[0] < argument[1];
}

static double apply_clip(const hsp_transform *t, double x) {
    const double *bound = t->rule.argument;
    return x < bound[0] ? bound[0] : x > bound[1] ? bound[1] : x;
}

const hsp_transform_kind hsp_transform_log1p = {
    .name = "log1p", .form = "log1p", .domain = "numbers above -1", .apply = apply_log1p};
const hsp_transform_kind hsp_transform_sqrt = {
    .name = "sqrt", .form = "sqrt", .domain = "numbers of 0 or more", .apply = apply_sqrt};
const hsp_transform_kind hsp_transform_clip = {
    .name = "clip", .form = "clip:LO:HI (LO below HI)", .arguments = 2, .valid = valid_bounds, .apply = apply_clip};

const hsp_transform_kind *const hsp_transform_table[] = {&hsp_transform_log1p, &hsp_transform_sqrt, &hsp_transform_rank,
                                                         &hsp_transform_bins,  &hsp_transform_clip, NULL};
