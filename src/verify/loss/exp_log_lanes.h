/* exp_log.h for vectors: both sides of every choice are computed, and one is taken. The same bits. */
#ifndef HSP_VERIFY_LOSS_EXP_LOG_LANES_H
#define HSP_VERIFY_LOSS_EXP_LOG_LANES_H

#include "verify/loss/claim_lanes.h"
#include "verify/loss/exp_log.h"

/* hsp_dd_exp for x <= 0. */
INLINE hsp_dd_lanes lanes_exp(hsp_dd_lanes x) {
    const lanes zero = all(0), nan = all((double)NAN);
    flags inside = x.hi > -690;
    lanes hi = choose(inside, x.hi, zero), lo = choose(inside, x.lo, zero);
    lanes k = rounded(hi * 0x1.71547652b82fep+5);
    lanes high = hi - k * 0x1.62e42fefa0000p-6, part = k * 0x1.cf79abc9e3b3ap-45;
    lanes r = high - part, low = ((high - r) - part) + lo;
    lanes tail = 1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720 + r * (1.0 / 5040 + r * (1.0 / 40320))));
    lanes p = r + (low + r * (low + r * (0.5 + r * (1.0 / 6 + r * tail))));
    flags whole = integers(k), j = whole & 31;
    lanes t_hi = gather(&hsp_dd_powers[0].hi, 2 * j), t_lo = gather(&hsp_dd_powers[0].lo, 2 * j);
    hsp_dd_lanes y = lanes_quick_sum(t_hi, t_lo + t_hi * p);
    lanes power = (lanes)(((whole - j) << 47) + (flags)all(1)); /* 2^((whole - j) / 32) */
    lanes outside = choose(x.hi <= -690, zero, nan);
    return (hsp_dd_lanes){choose(inside, y.hi * power, outside), choose(inside, y.lo * power, zero)};
}

/* 2^-e. */
INLINE lanes lanes_inverse_power(flags e) {
    return (lanes)((flags)all(1) - (e << 52));
}

/* hsp_dd_log. */
INLINE hsp_dd_lanes lanes_log(hsp_dd_lanes x) {
    const lanes zero = all(0), one = all(1), nan = all((double)NAN), infinity = all(INFINITY);
    const hsp_dd_lanes ln2 = {all(0x1.62e42fefa39efp-1), all(0x1.abc9e3b39803fp-56)};
    flags inside = x.hi > 0;
    lanes hi = choose(inside, x.hi, one), lo = choose(inside, x.lo, zero);
    flags e = ((flags)hi >> 52 & 2047) - 1023; /* positive: the sign of the shift does not matter */
    lanes m = hi * lanes_inverse_power(e);
    flags more = m > 1.5;
    e -= more;
    m = choose(more, m * 0.5, m);
    lanes s = rounded((m - 1) * 32), above = (m - 1 - s * 0x1p-5) + lo * lanes_inverse_power(e);
    flags j = integers(s) + 9;
    lanes t_hi = gather(&hsp_dd_logs[0].hi, 2 * j), t_lo = gather(&hsp_dd_logs[0].lo, 2 * j);
    lanes t = above / (2 + s * 0x1p-4 + above), q = t * t;
    lanes ratio = 2 * t + 2 * t * q * (1.0 / 3 + q * (0.2 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11)))));
    hsp_dd_lanes sum = lanes_two_sum(t_hi, t_lo + ratio);
    sum = lanes_choose(e == 0, sum, lanes_add(sum, lanes_scale(ln2, of_integers(e))));
    lanes outside = choose(x.hi == 0, -infinity, nan);
    return (hsp_dd_lanes){choose(inside, sum.hi, outside), choose(inside, sum.lo, zero)};
}

/* hsp_dd_log1p. */
INLINE hsp_dd_lanes lanes_log1p(hsp_dd_lanes z) {
    lanes t = z.hi / (2 + z.hi), q = t * t;
    lanes ratio = 2 * t + 2 * t * q * (1.0 / 3 + q * (0.2 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11)))));
    return lanes_choose(absolute(z.hi) < 1.0 / 64, (hsp_dd_lanes){ratio, all(0)}, lanes_log(lanes_add_double(z, all(1))));
}

#endif
