/* halfspace list: what there is to choose from, as the library's tables have it. */
#include "fail.h"
#include "report.h"

#include <string.h>

static const char *const sections[] = {"algorithms", "losses", "penalties", "solvers", "generators", "options", NULL};

/* Adds a table to the object. 0 or an exit code after saying what is wrong. */
static int load_section(json_t *object, const char *what) {
    hsp_error *err = NULL;
    char *text = NULL;
    if (hsp_list(what, &text, &err)) return hsp_cli_report_error(&err);
    json_t *rows = hsp_cli_json_take(text);
    if (!rows) return HSP_EXIT_SYSTEM;
    json_object_set_new(object, what, rows);
    return 0;
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

/* Longer values do not fit beside each other: they get lines of their own under the name. */
enum { BESIDE = 34 };

static bool fits_beside(const json_t *rows, const char *key) {
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *value = json_object_get(json_array_get(rows, i), key);
        if (json_string_length(value) > BESIDE || json_is_array(value)) return false;
    }
    return true;
}

/* One row a thing. Two columns speak for themselves, more have a title. */
static int print_beside(const json_t *rows, const char *const *keys, int n) {
    hsp_cli_table t;
    hsp_cli_table_begin(&t, n);
    for (int k = 0; k < n && n > 2; k++) hsp_cli_cell(&t, keys[k]);
    for (size_t i = 0; i < json_array_size(rows); i++)
        for (int k = 0; k < n; k++) hsp_cli_cell_value(&t, json_object_get(json_array_get(rows, i), keys[k]), SIZE_MAX);
    return hsp_cli_table_print(&t, stdout, 2, "l");
}

/* Name and help in a line, and the other fields in lines under it. */
static int print_under(const json_t *rows, const char *const *keys, int n) {
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        hsp_cli_cell_value(&t, json_object_get(row, "name"), SIZE_MAX);
        hsp_cli_cell_value(&t, json_object_get(row, "help"), SIZE_MAX);
        for (int k = 1; k < n - 1; k++) {
            const json_t *value = json_object_get(row, keys[k]);
            if (!value || json_is_null(value)) continue;
            hsp_cli_cellf(&t, "    %s", keys[k]);
            hsp_cli_cell_value(&t, value, SIZE_MAX);
        }
    }
    return hsp_cli_table_print(&t, stdout, 2, "l");
}

/* Of an option a line is enough here; `halfspace help COMMAND` and --json have the rest. */
static const char *const option_keys[] = {"name", "group", "default", "help"};

static int print_table(const char *what, const json_t *rows) {
    const char *keys[16];
    if (strcmp(what, "options") == 0) return print_beside(rows, option_keys, 4);
    int n = columns_of(rows, keys, 16);
    bool beside = true;
    for (int k = 0; k < n - 1; k++) beside = beside && fits_beside(rows, keys[k]);
    return beside ? print_beside(rows, keys, n) : print_under(rows, keys, n);
}

static int print_all(json_t *object) {
    const char *before = "";
    for (void *it = json_object_iter(object); it; it = json_object_iter_next(object, it)) {
        printf("%s%s\n", before, json_object_iter_key(it));
        int code = print_table(json_object_iter_key(it), json_object_iter_value(it));
        if (code) return code;
        before = "\n";
    }
    return HSP_EXIT_OK;
}

static int list_command(hsp_cli_call *call) {
    const char *one[2] = {call->operands ? call->operand[0] : NULL, NULL};
    if (one[0]) {
        bool known = false;
        for (int i = 0; sections[i]; i++) known = known || strcmp(sections[i], one[0]) == 0;
        if (!known)
            return hsp_cli_fail(HSP_EXIT_USAGE,
                                "there is no list of '%s': choose from algorithms, losses, penalties, solvers, "
                                "generators, options",
                                one[0]);
    }
    const char *const *wanted = one[0] ? one : sections;
    json_t *object = json_object();
    int code = HSP_EXIT_OK;
    for (; *wanted && !code; wanted++) code = load_section(object, *wanted);
    if (!code && call->json) {
        hsp_cli_json_print(object);
    } else if (!code) {
        code = print_all(object);
    }
    json_decref(object);
    return code;
}

const hsp_cli_command hsp_cli_list = {
    .name = "list",
    .help = "what there is to choose from",
    .operands = "[WHAT]",
    .synopsis = "[algorithms|losses|penalties|solvers|generators|options]",
    .takes = "",
    .example = {"halfspace list algorithms", "halfspace list --json"},
    .run = list_command,
};
