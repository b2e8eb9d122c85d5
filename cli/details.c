#include "details.h"

#include <string.h>

enum { LISTED = 8 }; /* items of a list */

typedef enum show_when { ALWAYS, UNLESS_ZERO, IN_JSON_ONLY } show_when;

/* How members are called for people. One that is not here has blanks for its underscores and is always shown. */
static const struct title {
    const char *key, *words;
    show_when when;
} titles[] = {{"J", "criterion J", ALWAYS},
              {"rule", "threshold rule", ALWAYS},
              {"within", "scatter within", ALWAYS},
              {"explained", "share explained", ALWAYS},
              {"shrinkage", "shrinkage", UNLESS_ZERO},
              {"ridge", "ridge", UNLESS_ZERO},
              {"condition", "condition number", ALWAYS},
              {"dependent_columns", "dependent", ALWAYS},
              {"constant_columns", "constant", ALWAYS},
              {"loo_error", "leave-one-out error", ALWAYS},
              {"loo_rmse", "leave-one-out RMSE", ALWAYS},
              {"loo_undefined", "not leave-one-out", UNLESS_ZERO},
              {"loo_press", NULL, IN_JSON_ONLY},
              {"loo_mse", NULL, IN_JSON_ONLY},
              {"lambda_grid", NULL, IN_JSON_ONLY},
              {"method", NULL, IN_JSON_ONLY}}; /* the line `solver` has it */

static const struct title *title_of(const char *key) {
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (strcmp(titles[i].key, key) == 0) return &titles[i];
    return NULL;
}

/* Members of a report that are objects and are printed elsewhere. */
static bool is_other(const char *key) {
    static const char *const others[] = {"seconds", "memory", "perceptron", "holdout", "separable", "svm", NULL};
    for (int i = 0; others[i]; i++)
        if (strcmp(others[i], key) == 0) return true;
    return false;
}

/* Matrices and objects do not fit on a line, nothing is not worth one. */
static bool fits_line(const json_t *value) {
    if (json_is_null(value) || json_is_object(value)) return false;
    if (!json_is_array(value)) return true;
    const json_t *first = json_array_get(value, 0);
    return first && !json_is_array(first) && !json_is_object(first);
}

static void add_line(hsp_cli_table *t, const char *key, const json_t *value) {
    const struct title *known = title_of(key);
    char words[64];
    size_t n = strlen(key);
    if (!fits_line(value)) return;
    if (known && known->when == IN_JSON_ONLY) return;
    if (known && known->when == UNLESS_ZERO && json_is_number(value) && !(json_number_value(value) > 0)) return;
    if (n >= sizeof words) n = sizeof words - 1;
    for (size_t i = 0; i < n; i++) words[i] = key[i] == '_' ? ' ' : key[i];
    words[n] = '\0';
    hsp_cli_cell(t, known ? known->words : words);
    hsp_cli_cell_value(t, value, LISTED);
}

void hsp_cli_detail_lines(hsp_cli_table *t, const json_t *report) {
    json_t *whole = (json_t *)(uintptr_t)report;
    for (void *it = json_object_iter(whole); it; it = json_object_iter_next(whole, it)) {
        json_t *object = json_object_iter_value(it);
        if (!json_is_object(object) || is_other(json_object_iter_key(it))) continue;
        for (void *member = json_object_iter(object); member; member = json_object_iter_next(object, member))
            add_line(t, json_object_iter_key(member), json_object_iter_value(member));
    }
}
