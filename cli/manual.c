/* The man page halfspace.1 in roff, from the same tables as --help. */
#include "arguments.h"
#include "help.h"

#include <string.h>

/* Prints text with roff requests and escapes quoted. */
static void put_roff(const char *s) {
    if (*s == '.' || *s == '\'') fputs("\\&", stdout);
    for (; *s; s++) {
        if (*s == '\\')
            fputs("\\e", stdout);
        else if (*s == '-')
            fputs("\\-", stdout);
        else if (*s == '`')
            fputs("\\(ga", stdout);
        else if (*s == '^')
            fputs("\\(ha", stdout);
        else if (*s == '~')
            fputs("\\(ti", stdout);
        else
            putchar(*s);
    }
}

static void put_option(const hsp_cli_option *o) {
    bool letter = o->short_name != NULL, name = !letter || strcmp(o->short_name, o->name) != 0;
    printf(".TP\n");
    if (letter) printf("\\fB\\-%s\\fR", o->short_name);
    if (letter && name) printf(", ");
    if (name) {
        printf("\\fB\\-\\-");
        put_roff(o->name);
        printf("\\fR");
    }
    if (o->argument) {
        printf(" \\fI");
        put_roff(o->argument);
        printf("\\fR");
    }
    putchar('\n');
    put_roff(o->help);
    if (hsp_cli_option_shows_default(o)) {
        printf(" (default: ");
        put_roff(o->initial);
        putchar(')');
    }
    putchar('\n');
}

/* The number of library options of a group that a command takes; all of them when `command` is NULL. */
static int count_options(const hsp_cli_command *command, const char *group) {
    int n = 0;
    hsp_cli_option o;
    for (int64_t i = 0; command && hsp_cli_option_at(command, i, &o); i++) n += o.library && strcmp(o.group, group) == 0;
    for (int64_t i = 0; !command && i < hsp_option_count(); i++) n += strcmp(hsp_option_field(i, "group"), group) == 0;
    return n;
}

/* Lists the library options that a command takes: whole groups by title, others by name. */
static void put_groups(const hsp_cli_command *command) {
    const char *before = "Options, see below: ";
    for (const hsp_cli_group *group = hsp_cli_groups; group->group; group++) {
        int n = count_options(command, group->group);
        if (n == 0) continue;
        if (n == count_options(NULL, group->group)) {
            printf("%s%s", before, group->title);
            before = ", ";
            continue;
        }
        hsp_cli_option o;
        for (int64_t i = 0; hsp_cli_option_at(command, i, &o); i++) {
            if (!o.library || strcmp(o.group, group->group) != 0) continue;
            printf("%s\\-\\-", before);
            put_roff(o.name);
            before = ", ";
        }
    }
    printf(".\n");
}

static void put_kinds(const hsp_cli_command *command) {
    hsp_cli_kind kind;
    for (int64_t i = 0; command->kind_at && command->kind_at(i, &kind); i++) {
        printf(".TP\n\\fB");
        put_roff(kind.name);
        printf("\\fR \\fI");
        put_roff(kind.operands);
        printf("\\fR\n");
        put_roff(kind.help);
        putchar('\n');
    }
}

static void put_command(const hsp_cli_command *command) {
    printf(".SS ");
    put_roff(command->name);
    printf("\n.B halfspace %s\n", command->name);
    put_roff(command->synopsis);
    printf("\n.PP\n");
    char first[2] = {command->help[0], '\0'};
    if (first[0] >= 'a' && first[0] <= 'z') first[0] = (char)(first[0] - 'a' + 'A');
    put_roff(first);
    put_roff(command->help + 1);
    printf(".\n");
    if (command->detail) {
        put_roff(command->detail);
        putchar('\n');
    }
    put_groups(command);
    put_kinds(command);
    hsp_cli_option o;
    for (int64_t i = 0; hsp_cli_option_at(command, i, &o) && o.own >= 0; i++) put_option(&o);
    if (command->example[0]) printf(".PP\nExamples:\n.PP\n.nf\n.RS\n");
    for (int i = 0; i < HSP_CLI_EXAMPLES_MAX && command->example[i]; i++) {
        put_roff(command->example[i]);
        putchar('\n');
    }
    if (command->example[0]) printf(".RE\n.fi\n");
}

/* Describes every library option once, under its group. */
static void put_library_group(const hsp_cli_group *group) {
    bool titled = false;
    for (int64_t k = 0; k < hsp_option_count(); k++) {
        if (strcmp(hsp_option_field(k, "group"), group->group) != 0) continue;
        hsp_cli_option o = hsp_cli_library_option(k);
        if (!titled) printf(".SS %s\n", group->title);
        titled = true;
        put_option(&o);
    }
    if (strcmp(group->group, "general") != 0) return;
    for (const hsp_cli_own *own = hsp_cli_general; own->name; own++)
        put_option(&(hsp_cli_option){.name = own->name, .short_name = own->short_name, .help = own->help});
}

int hsp_cli_help_man(void) {
    printf(".TH HALFSPACE 1 \"\" \"halfspace %s\" \"User Commands\"\n", hsp_version());
    printf(".SH NAME\nhalfspace \\- linear models for classification and regression, with certificates of optimality; and "
           "small networks\n");
    printf(".SH SYNOPSIS\n.B halfspace\n.I COMMAND\n[options]\n.I FILES\n.br\n.B halfspace help\n"
           "[\\fICOMMAND\\fR | \\fITOPIC\\fR]\n");
    printf(".SH DESCRIPTION\nTrains, applies, evaluates and plots linear models and small networks.\nThe file name \\- means "
           "stdin or stdout (not for pictures and films).\nInput is CSV, svmlight, JSON lines, .npy or .hsd, and may be "
           "compressed (.gz or .zst).\nNumbers are read and written independently of the locale.\n");
    printf(".SH COMMANDS\n");
    for (int i = 0; hsp_cli_commands[i]; i++) put_command(hsp_cli_commands[i]);
    printf(".SH OPTIONS\n");
    for (const hsp_cli_group *group = hsp_cli_groups; group->group; group++) put_library_group(group);
    printf(".SH EXIT STATUS\n");
    for (const hsp_cli_exit *e = hsp_cli_exits; e->text; e++) {
        printf(".TP\n%d\n", e->code);
        put_roff(e->text);
        putchar('\n');
    }
    printf(".SH ENVIRONMENT\n.TP\nNO_COLOR\nif set, the progress bar has no colour\n");
    printf(".TP\nHALFSPACE_SIMD\nthe instructions that are used: plain, avx2 or avx512 (default: the best that the "
           "processor has); the results are the same\n");
    printf(".SH FILES\n.TP\n*.hsm\na model: a JSON header that can be read with\n.BR head (1),\nthen the numbers and a "
           "checksum\n");
    return HSP_EXIT_OK;
}
