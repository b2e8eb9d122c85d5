/* Sums of numbers as pairs (high, low) of about 32 digits, so that objectives and bounds over any number of blocks are as
 * exact as their terms. */
#ifndef HSP_PART_PAIR_SUM_H
#define HSP_PART_PAIR_SUM_H

/* a += v (Knuth's two-sum, then Dekker's renormalisation). */
static inline void hsp_pair_add(double *a, double v) {
    double s = a[0] + v, t = s - a[0], low = (a[0] - (s - t)) + (v - t) + a[1];
    a[0] = s + low;
    a[1] = low - (a[0] - s);
}
static inline void hsp_pair_join(double *a, const double *b) {
    double low = b[1];
    hsp_pair_add(a, b[0]);
    hsp_pair_add(a, low);
}
static inline double hsp_pair_value(const double *a) {
    return a[0] + a[1];
}

#endif
