#include "help.h"
#include "arguments.h"
#include "fail.h"
#include "json_output.h"

#include <string.h>

enum { HELP_COLUMN = 28, HELP_WIDTH = 80 };

const hsp_cli_group hsp_cli_groups[] = {
    {"own", "Options"},
    {"generate", "Generating"},
    {"split", "Splitting"},
    {"train", "Training"},
    {"run", "Optimisation"},
    {"predict", "Predicting"},
    {"evaluate", "Importance"},
    {"read", "Reading"},
    {"table", "Encoding of columns"},
    {"write", "Writing"},
    {"picture", "Picture"},
    {"chart", "Chart"},
    {"study", "Repeated training"},
    {"path", "Values of lambda"},
    {"folds", "Folds"},
    {"cv", "Choice"},
    {"compare", "Comparison"},
    {"film", "Animation"},
    {"page", "Page"},
    {"general", "General"},
    {NULL, NULL},
};

const hsp_cli_exit hsp_cli_exits[] = {
    {0, "done"},
    {1, "negative result: train or cv --refit missed --tol; train or explain found no hard margin; evaluate is below "
        "--min-accuracy or "
        "--min-r2; verify "
        "found a false claim, or a dual bound that it cannot check (the output files are still written, except without a "
        "hard margin)"},
    {2, "wrong usage, wrong file name or invalid input (nothing is written)"},
    {3, "system error: read error, full disk or out of memory (no output file is written, unless the error was on stdout)"},
    {130, "interrupted by SIGINT (Ctrl-C): train writes the best model so far, to MODEL.partial if MODEL exists and the "
          "fit is not close to its optimum; other commands write no file"},
    {129, "the terminal was closed (SIGHUP): as for 130"},
    {143, "terminated by SIGTERM: as for 130"},
    {0, NULL},
};

/* Prints text starting at column `column`, wrapped at blanks, with further lines indented by `indent`. */
static void put_wrapped(const char *text, int column, int indent) {
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (column > indent && column + 1 + n > HELP_WIDTH - 1) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", n, text);
        column += n;
        text += n;
        text += strspn(text, " ");
    }
    putchar('\n');
}

/* "-o, --output FILE" */
static int put_names(const hsp_cli_option *option) {
    int n = option->short_name && strcmp(option->short_name, option->name) == 0 ? printf("  -%s", option->short_name)
            : option->short_name ? printf("  -%s, --%s", option->short_name, option->name)
                                 : printf("      --%s", option->name);
    if (option->argument) n += printf(" %s", option->argument);
    return n;
}

static void put_option(const hsp_cli_option *option) {
    int column = put_names(option);
    if (column > HELP_COLUMN - 2) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", HELP_COLUMN - column, "");
    char text[768];
    bool say = hsp_cli_option_shows_default(option);
    snprintf(text, sizeof text, "%s%s%s%s", option->help, say ? " (default: " : "", say ? option->initial : "",
             say ? ")" : "");
    put_wrapped(text, HELP_COLUMN, HELP_COLUMN);
}

static void put_group(const hsp_cli_command *command, const hsp_cli_group *group) {
    hsp_cli_option option;
    bool titled = false;
    for (int64_t i = 0; hsp_cli_option_at(command, i, &option); i++) {
        if (strcmp(option.group, group->group) != 0) continue;
        if (!titled) printf("\n%s:\n", group->title);
        titled = true;
        put_option(&option);
    }
}

static void put_kinds(const hsp_cli_command *command) {
    hsp_cli_kind kind;
    for (int64_t i = 0; command->kind_at && command->kind_at(i, &kind); i++) {
        if (i == 0) printf("\nKinds, and the files after them:\n");
        int column = printf("  %s%s%s", kind.name, *kind.operands ? " " : "", kind.operands);
        if (column > HELP_COLUMN - 2) {
            putchar('\n');
            column = 0;
        }
        printf("%*s", HELP_COLUMN - column, "");
        put_wrapped(kind.help, HELP_COLUMN, HELP_COLUMN);
    }
}

static void put_sentence(const char *text) {
    char first[2] = {text[0], '\0'};
    if (first[0] >= 'a' && first[0] <= 'z') first[0] = (char)(first[0] - 'a' + 'A');
    char line[1024];
    snprintf(line, sizeof line, "%s%s.", first, text + 1);
    put_wrapped(line, 0, 0);
}

int hsp_cli_help_command(const hsp_cli_command *command) {
    printf("Usage: halfspace %s%s%s\n\n", command->name, *command->synopsis ? " " : "", command->synopsis);
    put_sentence(command->help);
    if (command->detail) {
        putchar('\n');
        put_wrapped(command->detail, 0, 0);
    }
    put_kinds(command);
    for (const hsp_cli_group *group = hsp_cli_groups; group->group; group++) put_group(command, group);
    if (command->example[0]) printf("\nExamples:\n");
    for (int i = 0; i < HSP_CLI_EXAMPLES_MAX && command->example[i]; i++) printf("  %s\n", command->example[i]);
    return HSP_EXIT_OK;
}

int hsp_cli_help_overview(void) {
    printf("Usage: halfspace COMMAND [options] FILES\n\nLinear models with certificates of optimality, and small "
           "networks, for classification and regression.\n\nCommands:\n");
    for (int i = 0; hsp_cli_commands[i]; i++) printf("  %-10s  %s\n", hsp_cli_commands[i]->name, hsp_cli_commands[i]->help);
    printf("\nOptions of every command, before or after its name:\n");
    hsp_cli_option option;
    for (int64_t i = 0; hsp_cli_option_at(&hsp_cli_version, i, &option); i++)
        if (strcmp(option.group, "general") == 0) put_option(&option);
    printf("\nThe file name - means stdin or stdout (not for pictures and films). Input may be compressed (.gz or "
           ".zst).\n\nExit codes:\n");
    for (const hsp_cli_exit *e = hsp_cli_exits; e->text; e++) {
        printf("  %3d  ", e->code);
        put_wrapped(e->text, 7, 7);
    }
    printf("\nExamples:\n  halfspace generate squares --rows 200 -o squares.csv\n  halfspace train squares.csv -a "
           "perceptron --holdout 0.3 -o squares.hsm\n  halfspace help train\n");
    return HSP_EXIT_OK;
}

static void add_command(hsp_json *j, const hsp_cli_command *command) {
    char usage[256];
    snprintf(usage, sizeof usage, "halfspace %s %s", command->name, command->synopsis);
    hsp_json_object(j, NULL);
    hsp_json_string(j, "name", command->name);
    hsp_json_string(j, "help", command->help);
    hsp_json_string(j, "usage", usage);
    hsp_json_array(j, "options");
    hsp_cli_option o;
    for (int64_t i = 0; hsp_cli_option_at(command, i, &o); i++) {
        const char *const fields[][2] = {{"name", o.name},         {"short", o.short_name}, {"group", o.group},
                                         {"argument", o.argument}, {"default", o.initial},  {"help", o.help}};
        hsp_json_object(j, NULL);
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) hsp_json_string(j, fields[k][0], fields[k][1]);
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
    hsp_json_array(j, "examples");
    for (int i = 0; i < HSP_CLI_EXAMPLES_MAX && command->example[i]; i++) hsp_json_string(j, NULL, command->example[i]);
    hsp_json_array_end(j);
    hsp_json_object_end(j);
}

int hsp_cli_help_json(const hsp_cli_command *only) {
    hsp_cli_object o;
    hsp_cli_object_begin(&o);
    hsp_json_array(&o.j, "commands");
    for (int i = 0; hsp_cli_commands[i]; i++)
        if (!only || only == hsp_cli_commands[i]) add_command(&o.j, hsp_cli_commands[i]);
    hsp_json_array_end(&o.j);
    hsp_cli_object_print(&o);
    return HSP_EXIT_OK;
}
