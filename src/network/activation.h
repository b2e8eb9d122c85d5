/* The activations of hidden units: one entry of the table each. */
#ifndef HSP_NETWORK_ACTIVATION_H
#define HSP_NETWORK_ACTIVATION_H

#include <stdint.h>

typedef struct hsp_activation {
    const char *name;
    /* h = f(z) of `count` numbers, in place. */
    void (*apply)(int64_t count, double *z);
    /* delta *= f'(z), given h = f(z). */
    void (*slope)(int64_t count, const double *h, double *delta);
    double spread; /* initial weights are uniform on +-sqrt(spread / fan): the variance of signals is kept (HSP_FAN_*) */
    enum { HSP_FAN_IN_AND_OUT, HSP_FAN_IN } fan;
} hsp_activation;

extern const hsp_activation *const hsp_activation_table[]; /* NULL-terminated */
const hsp_activation *hsp_activation_find(const char *name);

#endif
