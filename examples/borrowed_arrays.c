/* Train over an array without copying it: measurements as 16-bit integers, one column after the other (Fortran order), as many
 * programs and instruments have them. The library says when it no longer needs the memory.
 *
 *     cc borrowed_arrays.c $(pkg-config --cflags --libs halfspace) -o borrowed_arrays
 */
#include <halfspace.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1000, COLUMNS = 3 };

/* Memory that is lent, and how often it came back. */
typedef struct lent {
    int16_t *values;
    int returned;
} lent;

static void take_back(void *user) {
    lent *l = user;
    l->returned++;
    free(l->values);
}

/* Column by column; the class says whether left is more than right. */
static int16_t *measure(int8_t *code) {
    int16_t *values = malloc(sizeof *values * ROWS * COLUMNS);
    for (int i = 0; values && i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) values[j * ROWS + i] = (int16_t)((i * (7 + 30 * j) + j) % 1009 - 500);
        code[i] = values[i] > values[ROWS + i];
    }
    return values;
}

/* How many rows the model gets wrong, of those that it was trained on. */
static int count_mistakes(const hsp_model *model, const hsp_data *data, const int8_t *code, hsp_error **error) {
    int32_t class[ROWS];
    int wrong = 0;
    int status = hsp_model_score(model, data, NULL, class, error);
    for (int i = 0; !status && i < ROWS; i++) wrong += class[i] != code[i];
    return status ? status : wrong;
}

int main(void) {
    static const char *const names[COLUMNS] = {"left", "right", "noise"}, *const classes[] = {"less", "more"};
    int8_t code[ROWS];
    lent memory = {.values = measure(code)};
    hsp_options *options = NULL;
    hsp_data *data = NULL;
    hsp_model *model = NULL;
    hsp_error *error = NULL;
    int wrong = 0;
    if (!memory.values) return 1;

    /* Strides are in bytes: the next row is one number away, the next column ROWS numbers. */
    const hsp_array x = {.size = sizeof x,
                         .data = memory.values,
                         .dtype = HSP_INT16,
                         .ndim = 2,
                         .shape = {ROWS, COLUMNS},
                         .strides = {sizeof(int16_t), ROWS * sizeof(int16_t)}};
    const hsp_array codes = {.size = sizeof codes,
                             .data = code,
                             .dtype = HSP_INT8,
                             .ndim = 1,
                             .shape = {ROWS, 1},
                             .strides = {sizeof *code, sizeof *code}};
    int status = hsp_data_view_dense(&x, names, take_back, &memory, &data, &error);
    if (!status) status = hsp_data_set_labels(data, &codes, classes, 2, &error);
    if (!status) status = hsp_options_new(&options, &error);
    if (!status) status = hsp_options_set(options, "algorithm", "logistic", &error);
    if (!status) status = hsp_options_set_double(options, "C", 100, &error);
    if (!status) status = hsp_train(data, options, NULL, &model, NULL, &error);
    if (!status) {
        wrong = count_mistakes(model, data, code, &error);
        printf("%d of %d rows wrong, memory returned %d times\n", wrong, ROWS, memory.returned);
        if (wrong < 0) status = wrong;
    }
    if (status) fprintf(stderr, "borrowed_arrays: %s\n", hsp_error_message(error));
    hsp_model_free(model);
    hsp_data_free(data); /* the array is free again */
    printf("after hsp_data_free: %d time\n", memory.returned);
    hsp_options_free(options);
    hsp_error_free(error);
    return status || wrong > ROWS / 50 || memory.returned != 1;
}
