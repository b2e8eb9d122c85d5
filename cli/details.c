#include "details.h"
#include "json_output.h"
#include "text_table.h"

#include <string.h>

enum { LISTED = 8 }; /* items shown of a list */

typedef enum show_when { ALWAYS, UNLESS_ZERO, IN_JSON_ONLY } show_when;

/* Titles of members. A member that is not listed is always shown, with blanks for its underscores. */
static const struct title {
    const char *key, *words;
    show_when when;
} titles[] = {{"J", "criterion J", ALWAYS},
              {"rule", "threshold rule", ALWAYS},
              {"within", "within-class scatter", ALWAYS},
              {"explained", "explained share", ALWAYS},
              {"hidden", "hidden units", ALWAYS},
              {"restarts", "restarts", UNLESS_ZERO},
              {"start", NULL, IN_JSON_ONLY},
              {"starts", NULL, IN_JSON_ONLY},
              {"shrinkage", "shrinkage", UNLESS_ZERO},
              {"ridge", "ridge", UNLESS_ZERO},
              {"condition", "condition number", ALWAYS},
              {"dependent_columns", "dependent", ALWAYS},
              {"constant_columns", "constant", ALWAYS},
              {"loo_error", "leave-one-out error", ALWAYS},
              {"loo_rmse", "leave-one-out RMSE", ALWAYS},
              {"loo_undefined", "without leave-one-out", UNLESS_ZERO},
              {"loo_press", NULL, IN_JSON_ONLY},
              {"loo_mse", NULL, IN_JSON_ONLY},
              {"lambda_grid", NULL, IN_JSON_ONLY},
              {"method", NULL, IN_JSON_ONLY}}; /* the line `solver` shows it */

static const struct title *title_of(const char *key) {
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (strcmp(titles[i].key, key) == 0) return &titles[i];
    return NULL;
}

/* Objects of a report that are printed elsewhere. */
static bool is_other(const char *key) {
    static const char *const others[] = {"seconds", "memory",      "plan",          "perceptron", "holdout", "separable",
                                         "svm",     "calibration", "decision_rule", "comparison", NULL};
    for (int i = 0; others[i]; i++)
        if (strcmp(others[i], key) == 0) return true;
    return false;
}

/* Matrices and objects do not fit on a line; null needs none. */
static bool fits_line(const hsp_report *value) {
    int kind = hsp_report_kind(value, NULL);
    if (kind == HSP_REPORT_NULL || kind == HSP_REPORT_OBJECT) return false;
    if (kind == HSP_REPORT_ARRAY) {
        hsp_array a = {.size = sizeof a};
        return hsp_report_array(value, NULL, &a, NULL) == 0 && a.ndim == 1;
    }
    return kind != HSP_REPORT_LIST || hsp_report_text_at(value, NULL, 0);
}

static void add_line(hsp_cli_table *t, const char *key, const hsp_report *value) {
    const struct title *known = title_of(key);
    char words[64];
    size_t n = strlen(key);
    if (!fits_line(value)) return;
    if (known && known->when == IN_JSON_ONLY) return;
    if (known && known->when == UNLESS_ZERO && hsp_cli_is(value, NULL, HSP_REPORT_NUMBER) &&
        !(hsp_report_number(value, NULL) > 0))
        return;
    if (n >= sizeof words) n = sizeof words - 1;
    for (size_t i = 0; i < n; i++) words[i] = key[i] == '_' ? ' ' : key[i];
    words[n] = '\0';
    hsp_cli_cell(t, known ? known->words : words);
    hsp_cli_cell_value(t, value, LISTED);
}

void hsp_cli_detail_lines(hsp_cli_table *t, const hsp_report *report) {
    HSP_REPORT_EACH(object, report) {
        if (!hsp_cli_is(object, NULL, HSP_REPORT_OBJECT) || is_other(hsp_report_name(object))) continue;
        HSP_REPORT_EACH(member, object) add_line(t, hsp_report_name(member), member);
    }
}
