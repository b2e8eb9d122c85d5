/* Train on an array, look at the weights, and classify points: no file is read or written.
 *
 *     cc in_memory.c $(pkg-config --cflags --libs halfspace) -o in_memory
 */
#include <halfspace.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 8, COLUMNS = 2 };

/* Two crowds, one on either side of the line height = 2 width. */
static const double points[ROWS][COLUMNS] = {{1, 4}, {2, 7}, {1, 3.5}, {3, 8}, {3, 4}, {4, 5}, {2, 1}, {5, 6}};
static const char *const labels[ROWS] = {"tall", "tall", "tall", "tall", "wide", "wide", "wide", "wide"};
static const char *const names[COLUMNS] = {"width", "height"};

/* The boundary, as the model has it: one row of weights for two classes. */
static int show_boundary(const hsp_model *model, hsp_error **error) {
    hsp_array w = {.size = sizeof w}, b = {.size = sizeof b};
    char number[32];
    int status = hsp_model_array(model, "weights", &w, error);
    if (!status) status = hsp_model_array(model, "intercepts", &b, error);
    if (status) return status;
    printf("%s when", hsp_model_class_name(model, hsp_model_positive(model)));
    for (int64_t j = 0; j < w.shape[1]; j++) {
        hsp_format_number(((const double *)w.data)[j], number);
        printf("%s %s * %s", j > 0 ? " +" : "", number, hsp_model_feature_name(model, j));
    }
    hsp_format_number(*(const double *)b.data, number);
    printf(" + %s > 0\n", number);
    return 0;
}

/* How many of the rows that it was trained on the model gets wrong. */
static int count_mistakes(const hsp_model *model) {
    int wrong = 0;
    for (int i = 0; i < ROWS; i++) {
        double score;
        char number[32];
        int64_t k = hsp_model_classify(model, points[i], &score);
        hsp_format_number(score, number);
        printf("row %d: %s (score %s)\n", i + 1, hsp_model_class_name(model, k), number);
        wrong += strcmp(hsp_model_class_name(model, k), labels[i]) != 0;
    }
    return wrong;
}

int main(void) {
    hsp_options *options = NULL;
    hsp_data *data = NULL;
    hsp_model *model = NULL;
    hsp_error *error = NULL;
    int wrong = 0;
    int status = hsp_options_new(&options, &error);
    if (!status) status = hsp_options_set(options, "algorithm", "sgd", &error);
    if (!status) status = hsp_options_set(options, "loss", "logistic", &error);
    if (!status) status = hsp_options_set(options, "penalty", "l2", &error);
    if (!status) status = hsp_options_set_double(options, "C", 10, &error);
    if (!status) status = hsp_data_from_dense(&points[0][0], ROWS, COLUMNS, COLUMNS, labels, names, &data, &error);
    if (!status) status = hsp_train(data, options, NULL, &model, NULL, &error);
    if (!status) status = show_boundary(model, &error);
    if (!status) {
        wrong = count_mistakes(model);
        printf("%d of %d rows wrong\n", wrong, ROWS);
    } else {
        fprintf(stderr, "in_memory: %s\n", hsp_error_message(error));
    }
    hsp_model_free(model);
    hsp_data_free(data);
    hsp_options_free(options);
    hsp_error_free(error);
    return status || wrong > 0;
}
