/* Fits a calibration to scores from standard input and prints its pairs, for tests/peers/calibration:
 *
 *     calibration_maps METHOD OUTPUTS ROWS
 *
 * A line of input is "class weight score ...", with OUTPUTS scores; a line of output is "map a b" with all digits. */
#include "calibrate/calibration.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static double number(void) {
    char word[64];
    double v = 0;
    if (scanf("%63s", word) != 1) exit(2);
    char *end;
    v = strtod(word, &end); /* in the C locale */
    return *end ? exit(2), 0 : v;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const hsp_calibration_method *method = hsp_calibration_find(argv[1]);
    int64_t K = atoll(argv[2]), n = atoll(argv[3]);
    double *score = calloc((size_t)(n * K), sizeof *score), *weight = calloc((size_t)n, sizeof *weight);
    int32_t *class = calloc((size_t)n, sizeof *class);
    if (!method || !score || !weight || !class) return 2;
    for (int64_t i = 0; i < n; i++) {
        class[i] = (int32_t)number();
        weight[i] = number();
        for (int64_t k = 0; k < K; k++) score[i * K + k] = number();
    }
    const hsp_calibration_rows rows = {.n = n, .outputs = K, .score = score, .class = class, .weight = weight};
    hsp_calibration c;
    const char *odd;
    if (hsp_calibration_fit(method, &rows, &c, &odd, NULL)) return 1;
    for (int64_t k = 0; k < c.maps; k++)
        for (int64_t i = c.begin[k]; i < c.begin[k + 1]; i++)
            printf("%" PRId64 " %.17g %.17g\n", k, c.pairs[i][0], c.pairs[i][1]);
    hsp_calibration_clear(&c);
    free(score), free(weight), free(class);
    return 0;
}
