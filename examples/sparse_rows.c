/* Rows of mostly zeros in three classes: train, carry the model as bytes to where it is used, classify there.
 *
 *     cc sparse_rows.c $(pkg-config --cflags --libs halfspace) -o sparse_rows
 */
#include <halfspace.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 6, WORDS = 7 };

/* Texts as counts of seven words. Row i has the entries row[i] .. row[i+1]-1 of column and value (CSR). */
static const char *const words[WORDS] = {"goal", "match", "team", "vote", "party", "oven", "salt"};
static const int64_t row[ROWS + 1] = {0, 3, 5, 7, 9, 11, 13};
static const int64_t column[] = {0, 1, 2, 0, 2, 3, 4, 4, 3, 5, 6, 6, 5};
static const double value[] = {2, 1, 1, 1, 3, 2, 1, 2, 1, 1, 2, 1, 1};
static const char *const labels[ROWS] = {"sport", "sport", "politics", "politics", "cooking", "cooking"};

static int train(void **bytes, size_t *size, hsp_error **error) {
    hsp_options *options = NULL;
    hsp_data *data = NULL;
    hsp_model *model = NULL;
    int status = hsp_options_new(&options, error);
    if (!status) status = hsp_options_set(options, "algorithm", "nearest-mean", error);
    if (!status) status = hsp_data_from_csr(row, column, value, ROWS, WORDS, labels, &data, error);
    if (!status) status = hsp_train(data, options, NULL, &model, NULL, error);
    if (!status) status = hsp_model_save_memory(model, bytes, size, error);
    hsp_model_free(model);
    hsp_data_free(data);
    hsp_options_free(options);
    return status;
}

/* The class of a text that uses two of the words, once each. */
static const char *class_of(const hsp_model *model, int first, int second) {
    double x[WORDS] = {0};
    x[first] = x[second] = 1;
    const char *name = hsp_model_class_name(model, hsp_model_classify(model, x, NULL));
    printf("%s, %s: %s\n", words[first], words[second], name);
    return name;
}

int main(void) {
    void *bytes = NULL;
    size_t size = 0;
    hsp_model *model = NULL, *broken = NULL;
    hsp_error *error = NULL;
    int right = 0;
    int status = train(&bytes, &size, &error);
    if (!status) printf("the model has %zu bytes\n", size);
    if (!status) status = hsp_model_load_memory(bytes, size, &model, &error);
    if (!status) {
        right += strcmp(class_of(model, 1, 2), "sport") == 0;
        right += strcmp(class_of(model, 3, 4), "politics") == 0;
        right += strcmp(class_of(model, 5, 6), "cooking") == 0;
        /* A model that lost its end says so, and nothing is made of it. */
        if (hsp_model_load_memory(bytes, size - 1, &broken, &error) != HSP_EINPUT || broken) right = 0;
    }
    if (error) fprintf(stderr, "sparse_rows: %s\n", hsp_error_message(error));
    hsp_error_free(error);
    hsp_model_free(broken);
    hsp_model_free(model);
    hsp_free(bytes);
    return status || right != 3;
}
