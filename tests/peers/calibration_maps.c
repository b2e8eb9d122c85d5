/* Fits a calibration to scores from standard input and prints its pairs, for tests/peers/calibration:
 *
 *     calibration_maps METHOD OUTPUTS ROWS
 *
 * A line of input is "class weight score ...", with OUTPUTS scores; a line of output is "map a b" with all digits. */
#include "calibrate/calibration.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next number of standard input. */
static double number(void) {
    char word[64];
    size_t n = 0;
    int c = getchar();
    double v;
    while (c == ' ' || c == '\n') c = getchar();
    for (; c != EOF && c != ' ' && c != '\n' && n < sizeof word; c = getchar()) word[n++] = (char)c;
    if (hsp_parse_number(word, n, &v)) exit(2);
    return v;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const hsp_calibration_method *method = hsp_calibration_find(argv[1]);
    double numbers[2];
    for (int i = 0; i < 2; i++)
        if (hsp_parse_number(argv[2 + i], strlen(argv[2 + i]), &numbers[i])) return 2;
    int64_t K = (int64_t)numbers[0], n = (int64_t)numbers[1];
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
