/* halfspace list: the choices that the tables of the library offer. */
#include "command.h"
#include "fail.h"
#include "help.h"
#include "json_output.h"
#include "text_table.h"

#include <string.h>

static const char *const sections[] = {"algorithms", "losses", "penalties", "solvers", "generators", "options", NULL};

/* The keys of all rows: `name` first, `help` last, the others in order of appearance. */
static int columns_of(const hsp_report *rows, const char **keys, int max) {
    int n = 1;
    keys[0] = "name";
    HSP_REPORT_EACH(row, rows)
    HSP_REPORT_EACH(member, row) {
        const char *key = hsp_report_name(member);
        bool known = strcmp(key, "help") == 0 || n >= max - 1;
        for (int k = 0; k < n && !known; k++) known = strcmp(keys[k], key) == 0;
        if (!known) keys[n++] = key;
    }
    keys[n++] = "help";
    return n;
}

/* Longer values do not fit in a table: they get their own lines under the name. */
enum { BESIDE = 34 };

static bool fits_beside(const hsp_report *rows, const char *key) {
    HSP_REPORT_EACH(row, rows) {
        const char *text = hsp_report_text(row, key);
        if ((text && strlen(text) > BESIDE) || hsp_cli_is_list(row, key)) return false;
    }
    return true;
}

/* Prints one row per item. A table of two columns needs no header. */
static int print_beside(const hsp_report *rows, const char *const *keys, int n) {
    hsp_cli_table t;
    hsp_cli_table_begin(&t, n);
    for (int k = 0; k < n && n > 2; k++) hsp_cli_cell(&t, keys[k]);
    HSP_REPORT_EACH(row, rows)
    for (int k = 0; k < n; k++) hsp_cli_cell_value(&t, hsp_report_member(row, keys[k]), INT64_MAX);
    return hsp_cli_table_print(&t, stdout, 2, "l");
}

/* Prints name and help on a line, and the other fields on lines below. */
static int print_under(const hsp_report *rows, const char *const *keys, int n) {
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    HSP_REPORT_EACH(row, rows) {
        hsp_cli_cell_value(&t, hsp_report_member(row, "name"), INT64_MAX);
        hsp_cli_cell_value(&t, hsp_report_member(row, "help"), INT64_MAX);
        for (int k = 1; k < n - 1; k++) {
            const hsp_report *value = hsp_report_member(row, keys[k]);
            if (!value || hsp_cli_is(value, NULL, HSP_REPORT_NULL)) continue;
            hsp_cli_cellf(&t, "    %s", keys[k]);
            hsp_cli_cell_value(&t, value, INT64_MAX);
        }
    }
    return hsp_cli_table_print(&t, stdout, 2, "l");
}

/* ---- options ---- */

static void add_own(hsp_json *j, const hsp_cli_own *own, const char *group) {
    hsp_json_object(j, NULL);
    hsp_json_string(j, "name", own->name);
    hsp_json_string(j, "short", own->short_name);
    hsp_json_string(j, "group", group);
    hsp_json_string(j, "type", own->values ? "text" : "flag");
    hsp_json_null(j, "default");
    hsp_json_null(j, "choices");
    hsp_json_string(j, "argument", own->argument);
    hsp_json_string(j, "help", own->help);
    hsp_json_object_end(j);
}

/* The commands have --project in place of the library's group `plane`, --keep in place of its group
 * `columns`, and --to-format in place of its group `explain`. */
static bool is_typed(const hsp_report *row) {
    const char *group = hsp_report_text(row, "group");
    return strcmp(group, "plane") != 0 && strcmp(group, "columns") != 0 && strcmp(group, "explain") != 0;
}

/* The options that can be typed: those of the library, those of the commands (the group is the command) and the general
 * ones of the program. */
static int list_options(const hsp_report *library, hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_array(&j, NULL);
    HSP_REPORT_EACH(row, library)
    if (is_typed(row)) hsp_json_report(&j, NULL, row);
    for (int i = 0; hsp_cli_commands[i]; i++)
        for (const hsp_cli_own *own = hsp_cli_commands[i]->own; own->name; own++)
            add_own(&j, own, hsp_cli_commands[i]->name);
    for (const hsp_cli_own *own = hsp_cli_general; own->name; own++) add_own(&j, own, "general");
    hsp_json_array_end(&j);
    return hsp_json_take(&j, out, err);
}

/* hsp_list, with the options of the program. */
static int list_table(const char *what, hsp_report **out, hsp_error **err) {
    int status = hsp_list(what, out, err);
    if (status || strcmp(what, "options") != 0) return status;
    hsp_report *library = *out;
    status = list_options(library, out, err);
    hsp_report_free(library);
    return status;
}

static bool is_of_library(const char *name, const char *group) {
    for (int64_t i = 0; i < hsp_option_count(); i++)
        if (strcmp(hsp_option_field(i, "name"), name) == 0) return strcmp(hsp_option_field(i, "group"), group) == 0;
    return strcmp(group, "general") == 0;
}

/* The heading under which help shows the option. Groups of the library may have the name of a command, which is the group of
 * that command's own options. */
static void put_heading(hsp_cli_table *t, const char *name, const char *group) {
    const hsp_cli_group *g = hsp_cli_groups;
    while (g->group && strcmp(g->group, group) != 0) g++;
    if (g->group && is_of_library(name, group))
        hsp_cli_cell(t, g->title);
    else
        hsp_cli_cellf(t, "Options of %s", group);
}

/* The list shows options briefly and as they are typed; `halfspace help COMMAND` and --json have the rest. */
static int print_options(const hsp_report *rows) {
    static const char *const keys[] = {"heading", "default", "help"};
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 4);
    hsp_cli_cell(&t, "name");
    for (int k = 0; k < 3; k++) hsp_cli_cell(&t, keys[k]);
    HSP_REPORT_EACH(row, rows) {
        const char *name = hsp_report_text(row, "name"), *letter = hsp_report_text(row, "short");
        if (letter && strcmp(letter, name) == 0)
            hsp_cli_cellf(&t, "-%s", letter);
        else
            hsp_cli_cellf(&t, "%s%s%s--%s", letter ? "-" : "", letter ? letter : "", letter ? ", " : "", name);
        put_heading(&t, name, hsp_report_text(row, "group"));
        for (int k = 1; k < 3; k++) hsp_cli_cell_value(&t, hsp_report_member(row, keys[k]), INT64_MAX);
    }
    return hsp_cli_table_print(&t, stdout, 2, "l");
}

/* ---- tables ---- */

static int print_table(const char *what, const hsp_report *rows) {
    const char *keys[16];
    if (strcmp(what, "options") == 0) return print_options(rows);
    int n = columns_of(rows, keys, 16);
    bool beside = true;
    for (int k = 0; k < n - 1; k++) beside = beside && fits_beside(rows, keys[k]);
    return beside ? print_beside(rows, keys, n) : print_under(rows, keys, n);
}

/* The line under the name of a list that explains its symbols; NULL: none. */
static const char *legend_of(const char *what) {
    static const char *const legends[][2] = {
        {"algorithms",
         "defaults: fixed default values; auto: defaults chosen from the data or the problem; an option overrides both"},
        {"losses",
         "g = w.x + b is the score, y = -1 or +1 the class (in regression the target), m = y g the margin; with K "
         "classes g_k is the score of class k; optimised: may be minimised; dual: has a dual bound, so a certificate"},
        {"generators",
         "the columns features and noise are the defaults of --features and --noise; only blobs, correlated, decimals, "
         "linear and sparse take --features"},
        {"penalties", "w are the weights; the objective P is the penalty plus C times the sum of losses"},
    };
    for (size_t i = 0; i < sizeof legends / sizeof *legends; i++)
        if (strcmp(legends[i][0], what) == 0) return legends[i][1];
    return NULL;
}

/* Prints the tables as text, or as members of the object. 0 or an exit code. */
static int print_sections(const char *const *wanted, hsp_json *j) {
    hsp_error *err = NULL;
    int code = HSP_EXIT_OK;
    for (const char *before = ""; *wanted && !code; wanted++, before = "\n") {
        hsp_report *rows = NULL;
        if (list_table(*wanted, &rows, &err)) return hsp_cli_report_error(&err);
        if (j) {
            hsp_json_report(j, *wanted, rows);
        } else {
            const char *legend = legend_of(*wanted);
            printf("%s%s\n", before, *wanted);
            if (legend) printf("  %s\n", legend);
            code = print_table(*wanted, rows);
        }
        hsp_report_free(rows);
    }
    return code;
}

static int list_command(hsp_cli_call *call) {
    const char *one[2] = {call->operands ? call->operand[0] : NULL, NULL};
    if (one[0]) {
        bool known = false;
        for (int i = 0; sections[i]; i++) known = known || strcmp(sections[i], one[0]) == 0;
        if (!known)
            return hsp_cli_fail(HSP_EXIT_USAGE,
                                "unknown list '%s': choose algorithms, losses, penalties, solvers, generators or options",
                                one[0]);
    }
    const char *const *wanted = one[0] ? one : sections;
    if (!call->json) return print_sections(wanted, NULL);
    hsp_cli_object o;
    hsp_cli_object_begin(&o);
    int code = print_sections(wanted, &o.j);
    if (!code)
        hsp_cli_object_print(&o);
    else
        hsp_text_free(&o.line);
    return code;
}

const hsp_cli_command hsp_cli_list = {
    .name = "list",
    .help = "list the algorithms, losses, penalties, solvers, generators or options",
    .operands = "[WHAT]",
    .synopsis = "[algorithms|losses|penalties|solvers|generators|options]",
    .detail = "Without a name, all of them.",
    .takes = "",
    .example = {"halfspace list algorithms", "halfspace list --json"},
    .run = list_command,
};
