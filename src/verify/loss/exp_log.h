/* exp and log of double-doubles, by tables and short series. The relative error is below 2^-52, and below 2^-58 except for
 * the smallest results: enough for the sums of losses. Unlike those of the C library, the results have the same bits on
 * every machine. */
#ifndef HSP_VERIFY_LOSS_EXP_LOG_H
#define HSP_VERIFY_LOSS_EXP_LOG_H

#include "verify/loss/double_double.h"

#include <stdint.h>
#include <string.h>

/* Bound on the relative error of the functions below. */
#define HSP_SERIES_UNIT 0x1p-51

/* 2^(j/32) */
static const hsp_dd hsp_dd_powers[32] = {
    {0x1.0000000000000p+0, 0x0.0p+0},
    {0x1.059b0d3158574p+0, 0x1.d73e2a475b465p-55},
    {0x1.0b5586cf9890fp+0, 0x1.8a62e4adc610bp-54},
    {0x1.11301d0125b51p+0, -0x1.6c51039449b3ap-54},
    {0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55},
    {0x1.1d4873168b9aap+0, 0x1.e016e00a2643cp-54},
    {0x1.2387a6e756238p+0, 0x1.9b07eb6c70573p-54},
    {0x1.29e9df51fdee1p+0, 0x1.612e8afad1255p-55},
    {0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55},
    {0x1.371a7373aa9cbp+0, -0x1.63aeabf42eae2p-54},
    {0x1.3dea64c123422p+0, 0x1.ada0911f09ebcp-55},
    {0x1.44e086061892dp+0, 0x1.89b7a04ef80d0p-59},
    {0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56},
    {0x1.5342b569d4f82p+0, -0x1.07abe1db13cadp-55},
    {0x1.5ab07dd485429p+0, 0x1.6324c054647adp-54},
    {0x1.6247eb03a5585p+0, -0x1.383c17e40b497p-54},
    {0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
    {0x1.71f75e8ec5f74p+0, -0x1.16e4786887a99p-55},
    {0x1.7a11473eb0187p+0, -0x1.41577ee04992fp-55},
    {0x1.82589994cce13p+0, -0x1.d4c1dd41532d8p-54},
    {0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54},
    {0x1.93737b0cdc5e5p+0, -0x1.75fc781b57ebcp-57},
    {0x1.9c49182a3f090p+0, 0x1.c7c46b071f2bep-56},
    {0x1.a5503b23e255dp+0, -0x1.d2f6edb8d41e1p-54},
    {0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54},
    {0x1.b7f76f2fb5e47p+0, -0x1.5584f7e54ac3bp-56},
    {0x1.c199bdd85529cp+0, 0x1.11065895048ddp-55},
    {0x1.cb720dcef9069p+0, 0x1.503cbd1e949dbp-56},
    {0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55},
    {0x1.dfc97337b9b5fp+0, -0x1.1a5cd4f184b5cp-54},
    {0x1.ea4afa2a490dap+0, -0x1.e9c23179c2893p-54},
    {0x1.f50765b6e4540p+0, 0x1.9d3e12dd8a18bp-54},
};

/* log(1 + j/32), j from -9 to 17 */
static const hsp_dd hsp_dd_logs[27] = {
    {-0x1.522ae0738a3d8p-2, 0x1.8f7e9b38a6979p-57},  {-0x1.269621134db92p-2, -0x1.e0efadd9db02bp-56},
    {-0x1.f991c6cb3b379p-3, -0x1.f665066f980a2p-57}, {-0x1.a93ed3c8ad9e3p-3, -0x1.bcafa9de97203p-57},
    {-0x1.5bf406b543db2p-3, 0x1.1f5b44c0df7e7p-61},  {-0x1.1178e8227e47cp-3, 0x1.0e63a5f01c691p-58},
    {-0x1.9335e5d594989p-4, 0x1.478a85704ccb7p-58},  {-0x1.08598b59e3a07p-4, 0x1.dd7009902bf32p-58},
    {-0x1.0415d89e74444p-5, -0x1.c05cf1d753622p-59}, {0x0.0p+0, 0x0.0p+0},
    {0x1.f829b0e783300p-6, 0x1.33e3f04f1ef23p-60},   {0x1.f0a30c01162a6p-5, 0x1.85f325c5bbacdp-59},
    {0x1.6f0d28ae56b4cp-4, -0x1.906d99184b992p-58},  {0x1.e27076e2af2e6p-4, -0x1.61578001e0162p-60},
    {0x1.29552f81ff523p-3, 0x1.301771c407dbfp-57},   {0x1.5ff3070a793d4p-3, -0x1.bc60efafc6f6ep-58},
    {0x1.9525a9cf456b4p-3, 0x1.d904c1d4e2e26p-57},   {0x1.c8ff7c79a9a22p-3, -0x1.4f689f8434012p-57},
    {0x1.fb9186d5e3e2bp-3, -0x1.caaae64f21acbp-57},  {0x1.1675cababa60ep-2, 0x1.ce63eab883717p-61},
    {0x1.2e8e2bae11d31p-2, -0x1.8f4cdb95ebdf9p-56},  {0x1.4618bc21c5ec2p-2, 0x1.f42decdeccf1dp-56},
    {0x1.5d1bdbf5809cap-2, 0x1.4236383dc7fe1p-56},   {0x1.739d7f6bbd007p-2, -0x1.8c76ceb014b04p-56},
    {0x1.89a3386c1425bp-2, -0x1.29639dfbbf0fbp-56},  {0x1.9f323ecbf984cp-2, -0x1.a92e513217f5cp-59},
    {0x1.b44f77bcc8f63p-2, -0x1.cd04495459c78p-56},
};

/* 2^e for e from -1022 to 1023. */
static inline double hsp_power_of_two(int64_t e) {
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double p;
    memcpy(&p, &bits, sizeof p);
    return p;
}

/* The e of 2^e <= x < 2^(e+1); x is at least 2^-1022. */
static inline int64_t hsp_exponent_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int64_t)(bits >> 52 & 2047) - 1023;
}

/* exp(x) for x <= 700; 0 for x below -690. With x = k ln 2 / 32 + r and |r| < 0.011,
 *     exp(x) = 2^(k/32) exp(r) */
static inline hsp_dd hsp_dd_exp(hsp_dd x) {
    if (!(x.hi > -690)) return hsp_dd_of(x.hi <= -690 ? 0 : NAN);
    double k = rint(x.hi * 0x1.71547652b82fep+5);
    double high = x.hi - k * 0x1.62e42fefa0000p-6, part = k * 0x1.cf79abc9e3b3ap-45; /* ln 2 / 32 in two parts */
    double r = high - part, low = ((high - r) - part) + x.lo;
    double tail = 1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720 + r * (1.0 / 5040 + r * (1.0 / 40320))));
    double p = r + (low + r * (low + r * (0.5 + r * (1.0 / 6 + r * tail))));
    int64_t whole = (int64_t)k, j = whole & 31;
    hsp_dd t = hsp_dd_powers[j];
    return hsp_dd_times_power(hsp_quick_sum(t.hi, t.lo + t.hi * p), hsp_power_of_two((whole - j) / 32));
}

/* log((1 + t) / (1 - t)), |t| < 0.011. */
static inline double hsp_log_ratio(double t) {
    double q = t * t;
    return 2 * t + 2 * t * q * (1.0 / 3 + q * (0.2 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11)))));
}

/* log(x) for x >= 1e-300; minus infinity for 0. With s a multiple of 1/32 and |u| < 0.022,
 *     x = 2^e (1 + s)(1 + u) */
static inline hsp_dd hsp_dd_log(hsp_dd x) {
    static const hsp_dd ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    if (!(x.hi > 0)) return hsp_dd_of(x.hi == 0 ? -INFINITY : NAN);
    int64_t e = hsp_exponent_of(x.hi);
    double m = x.hi * hsp_power_of_two(-e);
    if (m > 1.5) {
        e++;
        m *= 0.5;
    }
    double s = rint((m - 1) * 32), above = (m - 1 - s / 32) + x.lo * hsp_power_of_two(-e);
    hsp_dd t = hsp_dd_logs[(int)s + 9];
    hsp_dd sum = hsp_two_sum(t.hi, t.lo + hsp_log_ratio(above / (2 + s / 16 + above)));
    return e == 0 ? sum : hsp_dd_add(sum, hsp_dd_scale(ln2, (double)e));
}

/* log(1 + z) for z >= -1, accurate for the smallest z too. */
static inline hsp_dd hsp_dd_log1p(hsp_dd z) {
    if (fabs(z.hi) < 1.0 / 64) return hsp_dd_of(hsp_log_ratio(z.hi / (2 + z.hi)));
    return hsp_dd_log(hsp_dd_add_double(z, 1));
}

#endif
