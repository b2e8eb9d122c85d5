/* The losses of the scores of a network: one entry of the table each. */
#ifndef HSP_SOLVE_NETWORK_NET_OUTPUT_H
#define HSP_SOLVE_NETWORK_NET_OUTPUT_H

#include <stdint.h>

/* Rows of scores, and their targets in y: -1 and +1 (logistic), classes 0 .. K-1 (softmax), numbers (squared). */
typedef struct hsp_scored {
    int64_t rows, outputs;
    const double *y;
    const double *c; /* their weights */
    double *scores;  /* rows x outputs; replaced by c dloss/dscore */
} hsp_scored;

typedef struct hsp_output_sums {
    double loss;  /* sum of c loss */
    double wrong; /* sum of c over the misclassified rows; 0 for numbers */
} hsp_output_sums;

typedef struct hsp_output {
    const char *loss; /* its name in the table of losses */
    void (*differentiate)(const hsp_scored *s, hsp_output_sums *sums); /* adds to the sums */
} hsp_output;

extern const hsp_output hsp_output_logistic, hsp_output_softmax, hsp_output_squared;

#endif
