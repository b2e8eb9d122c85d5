/* halfspace list: what there is to choose from, as the library's tables have it. */
#include "fail.h"
#include "report.h"

#include <string.h>

static const char *const sections[] = {"algorithms", "losses",  "penalties", "solvers",
                                       "generators", "readers", "options",   NULL};

static json_t *load(const char *what) {
    hsp_error *err = NULL;
    char *text = NULL;
    if (hsp_list(what, &text, &err)) return hsp_cli_report_error(&err), NULL;
    return hsp_cli_json_take(text);
}

/* A list of strings or numbers as "a, b". */
static void value_cell(hsp_cli_table *t, const json_t *value) {
    char line[512] = "";
    size_t used = 0;
    switch (value ? json_typeof(value) : JSON_NULL) {
    case JSON_STRING:
        hsp_cli_cell(t, json_string_value(value));
        break;
    case JSON_TRUE:
        hsp_cli_cell(t, "yes");
        break;
    case JSON_FALSE:
        hsp_cli_cell(t, "no");
        break;
    case JSON_REAL:
    case JSON_INTEGER:
        hsp_cli_cell_number(t, json_number_value(value));
        break;
    case JSON_ARRAY:
        for (size_t i = 0; i < json_array_size(value) && used + 64 < sizeof line; i++) {
            const char *item = json_string_value(json_array_get(value, i));
            int n = snprintf(line + used, sizeof line - used, "%s%s", used ? ", " : "", item ? item : "?");
            if (n > 0) used += (size_t)n < sizeof line - used ? (size_t)n : sizeof line - used - 1;
        }
        hsp_cli_cell(t, line);
        break;
    default:
        hsp_cli_cell(t, "");
        break;
    }
}

/* The keys of all rows, `name` first and `help` last, the others between in order of appearance. */
static int columns_of(const json_t *rows, const char **keys, int max) {
    int n = 1;
    keys[0] = "name";
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        for (void *it = json_object_iter(row); it && n < max - 1; it = json_object_iter_next(row, it)) {
            const char *key = json_object_iter_key(it);
            bool known = strcmp(key, "help") == 0;
            for (int k = 0; k < n && !known; k++) known = strcmp(keys[k], key) == 0;
            if (!known) keys[n++] = key;
        }
    }
    keys[n++] = "help";
    return n;
}

static int print_table(const json_t *rows) {
    const char *keys[16];
    int n = columns_of(rows, keys, 16);
    hsp_cli_table t;
    hsp_cli_table_begin(&t, n);
    for (int k = 0; k < n && n > 2; k++) hsp_cli_cell(&t, keys[k]); /* two columns speak for themselves */
    for (size_t i = 0; i < json_array_size(rows); i++)
        for (int k = 0; k < n; k++) value_cell(&t, json_object_get(json_array_get(rows, i), keys[k]));
    return hsp_cli_table_print(&t, stdout, 2, "l");
}

static int list_json(const char *const *wanted) {
    json_t *object = json_object();
    int code = HSP_EXIT_OK;
    for (; *wanted && !code; wanted++) {
        json_t *rows = load(*wanted);
        if (rows)
            json_object_set_new(object, *wanted, rows);
        else
            code = HSP_EXIT_SYSTEM;
    }
    if (!code) {
        hsp_cli_json_print(stdout, object);
        putchar('\n');
    }
    json_decref(object);
    return code;
}

static int list_human(const char *const *wanted) {
    int code = HSP_EXIT_OK;
    for (int i = 0; wanted[i] && !code; i++) {
        json_t *rows = load(wanted[i]);
        if (!rows) return HSP_EXIT_SYSTEM;
        printf("%s%s\n", i ? "\n" : "", wanted[i]);
        code = print_table(rows);
        json_decref(rows);
    }
    return code;
}

static int run(hsp_cli_call *call) {
    const char *one[2] = {call->operands ? call->operand[0] : NULL, NULL};
    if (one[0]) {
        bool known = false;
        for (int i = 0; sections[i]; i++) known = known || strcmp(sections[i], one[0]) == 0;
        if (!known)
            return hsp_cli_fail(HSP_EXIT_USAGE,
                                "there is no list of '%s': choose from algorithms, losses, penalties, solvers, "
                                "generators, readers, options",
                                one[0]);
    }
    const char *const *wanted = one[0] ? one : sections;
    return call->json ? list_json(wanted) : list_human(wanted);
}

const hsp_cli_command hsp_cli_list = {
    .name = "list",
    .help = "what there is to choose from",
    .operands = "[WHAT]",
    .synopsis = "[algorithms|losses|penalties|solvers|generators|readers|options]",
    .takes = "",
    .example = {"halfspace list algorithms", "halfspace list --json"},
    .run = run,
};
