/* Parsing is strict: what is not understood is an error that names the nearest thing that would be. */
#include "arguments.h"
#include "fail.h"
#include "option_words.h"
#include "unknown.h"

#include "halfspace_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- which options a command takes -------------------------------------------------------------------------------- */

/* Is `word`, after `prefix`, one of the blank-separated words of `list`? */
static bool listed(const char *list, const char *prefix, const char *word) {
    size_t n = strlen(word), before = strlen(prefix);
    for (const char *p = list; *p;) {
        size_t length = strcspn(p, " ");
        if (length == before + n && strncmp(p, prefix, before) == 0 && memcmp(p + before, word, n) == 0) return true;
        p += length;
        p += strspn(p, " ");
    }
    return false;
}

static bool takes(const hsp_cli_command *command, int64_t i) {
    const char *group = hsp_option_field(i, "group"), *name = hsp_option_field(i, "name");
    if (listed(command->takes, "!", name)) return false;
    return strcmp(group, "general") == 0 || listed(command->takes, "", group) || listed(command->takes, "--", name);
}

static hsp_cli_option from_own(const hsp_cli_own *own, int index, const char *group) {
    return (hsp_cli_option){.name = own->name,
                            .short_name = own->short_name,
                            .argument = own->argument,
                            .help = own->help,
                            .group = group,
                            .values = own->values,
                            .own = index};
}

hsp_cli_option hsp_cli_library_option(int64_t i) {
    const char *argument = hsp_option_field(i, "argument");
    return (hsp_cli_option){.name = hsp_option_field(i, "name"),
                            .short_name = hsp_option_field(i, "short"),
                            .argument = argument,
                            .initial = hsp_option_field(i, "default"),
                            .help = hsp_option_field(i, "help"),
                            .group = hsp_option_field(i, "group"),
                            .values = argument ? 1 : 0,
                            .own = -1,
                            .library = true};
}

static hsp_cli_option library_option_of(const hsp_cli_command *command, int64_t i) {
    hsp_cli_option option = hsp_cli_library_option(i);
    hsp_cli_option_reword(command, &option);
    return option;
}

bool hsp_cli_option_at(const hsp_cli_command *command, int64_t i, hsp_cli_option *out) {
    for (int k = 0; command->own[k].name; k++, i--)
        if (i == 0) return *out = from_own(&command->own[k], k, "own"), true;
    for (int64_t k = 0; k < hsp_option_count(); k++)
        if (takes(command, k) && i-- == 0) return *out = library_option_of(command, k), true;
    for (int k = 0; hsp_cli_general[k].name; k++, i--)
        if (i == 0) return *out = from_own(&hsp_cli_general[k], -1, "general"), true;
    return false;
}

bool hsp_cli_option_shows_default(const hsp_cli_option *option) {
    return option->initial && option->argument && !strstr(option->help, "(default: ");
}

static bool is_name(const char *known, const char *name, size_t n) {
    return known && strlen(known) == n && memcmp(known, name, n) == 0;
}

/* In the order of hsp_cli_option_at, which would take a pass over all options for each. */
bool hsp_cli_find_option(const hsp_cli_command *command, const char *name, size_t n, bool letter, hsp_cli_option *out) {
    for (int k = 0; command->own[k].name; k++)
        if (is_name(letter ? command->own[k].short_name : command->own[k].name, name, n))
            return *out = from_own(&command->own[k], k, "own"), true;
    for (int64_t k = 0; k < hsp_option_count(); k++)
        if (is_name(hsp_option_field(k, letter ? "short" : "name"), name, n) && takes(command, k))
            return *out = library_option_of(command, k), true;
    for (int k = 0; hsp_cli_general[k].name; k++)
        if (is_name(letter ? hsp_cli_general[k].short_name : hsp_cli_general[k].name, name, n))
            return *out = from_own(&hsp_cli_general[k], -1, "general"), true;
    return false;
}

/* ---- parsing ------------------------------------------------------------------------------------------------------ */

typedef struct argument_cursor {
    int argc;
    char **argv;
    int at;
} argument_cursor;

/* How the option was spelt, for messages. */
static const char *spelling(const hsp_cli_option *option, bool letter) {
    return letter ? option->short_name : option->name;
}

static int set_flag(hsp_cli_call *call, const hsp_cli_option *option, const char *text) {
    hsp_error *err = NULL;
    if (option->library) {
        if (hsp_options_set(call->options, option->name, text ? text : "yes", &err)) return hsp_cli_report_error(&err);
        return 0;
    }
    if (text) return hsp_cli_fail(HSP_EXIT_USAGE, "--%s takes no value: give the option alone", option->name);
    if (option->own >= 0)
        call->value[option->own][0] = "yes";
    else if (strcmp(option->name, "json") == 0)
        call->json = true;
    else if (strcmp(option->name, "quiet") == 0)
        call->quiet = true;
    else if (strcmp(option->name, "verbose") == 0)
        call->verbose = true;
    else
        call->help = true;
    return 0;
}

/* The first of some numbers that the option takes; NULL: it takes no numbers. Leaves the option set. */
static const char *example_number(hsp_cli_call *call, const hsp_cli_option *option) {
    static const char *const numbers[] = {"10", "0.1", "1", "2"};
    if (!option->library) return strcmp(option->argument, "X") == 0 ? "0.3" : NULL; /* shares of rows, and figures */
    bool whole = strcmp(option->argument, "N") == 0;
    for (size_t i = whole ? 0 : 1; i < sizeof numbers / sizeof *numbers; i++)
        if (hsp_options_set(call->options, option->name, numbers[i], NULL) == 0) return numbers[i];
    return NULL;
}

/* "--tol needs a value: give a number above 0, at most 1, for example --tol 0.1". next: the option that stands in its place,
 * or NULL. */
static int fail_no_value(hsp_cli_call *call, const hsp_cli_option *option, bool letter, const char *next) {
    const char *dashes = letter ? "-" : "--", *name = spelling(option, letter);
    hsp_error *err = NULL;
    char wanted[512], found[512] = "";
    /* What the library would answer to an empty value has the choices and the range. */
    int status = option->library ? hsp_options_set(call->options, option->name, "", &err) : 0;
    const char *remedy = status ? strstr(hsp_error_message(err), "'': ") : NULL;
    if (remedy) {
        const char *number = strstr(remedy, "number") ? example_number(call, option) : NULL;
        snprintf(wanted, sizeof wanted, "%s%s%s%s%s%s", remedy + strlen("'': "), number ? ", for example " : "",
                 number ? dashes : "", number ? name : "", number ? " " : "", number ? number : "");
    } else {
        const char *number = option->library ? NULL : example_number(call, option);
        snprintf(wanted, sizeof wanted, "%s %s%s %s", number ? "give a number, for example" : "write", dashes, name,
                 number ? number : option->argument);
    }
    if (next) snprintf(found, sizeof found, ", but the next argument is %s", next);
    hsp_error_free(err);
    return hsp_cli_fail(HSP_EXIT_USAGE, "%s%s needs %s%s: %s", dashes, name, option->values == 1 ? "a value" : "two values",
                        found, wanted);
}

/* The number after '=' of an argument like [N=3], which makes the value optional; NULL: it is not of that form. */
static const char *optional_number(const char *argument) {
    const char *equals = argument && *argument == '[' ? strchr(argument, '=') : NULL;
    size_t digits = equals ? strspn(equals + 1, "0123456789") : 0;
    return digits > 0 && strcmp(equals + 1 + digits, "]") == 0 ? equals + 1 : NULL;
}

/* An option with an optional value may stand alone: then that number is its value, unless a whole number follows. */
static const char *implied_value(const hsp_cli_option *option, const argument_cursor *c) {
    static char value[16]; /* the program is parsed once, by one thread */
    const char *number = optional_number(option->argument), *next = c->at < c->argc ? c->argv[c->at] : "";
    if (!number || (*next && strspn(next, "0123456789") == strlen(next))) return NULL;
    snprintf(value, sizeof value, "%.*s", (int)strcspn(number, "]"), number);
    return value;
}

/* What separates the values of an option that is a list: given again, it grows. 0: it is none. */
static char separator_of(const hsp_cli_option *option) {
    size_t n = option->argument ? strlen(option->argument) : 0;
    if (n <= 4 || strcmp(option->argument + n - 3, "...") != 0) return 0;
    char c = option->argument[n - 4];
    return c == ',' || c == ';' ? c : 0;
}

/* Sets an option of the library. */
static int set_library_option(hsp_cli_call *call, const hsp_cli_option *option, const char *text) {
    hsp_error *err = NULL;
    char between = separator_of(option);
    bool again = between && hsp_options_given(call->options, option->name) == 1;
    const char *before = again ? hsp_options_get(call->options, option->name) : NULL;
    size_t room = before ? strlen(before) + strlen(text) + 2 : 0;
    char *joined = before ? hsp_alloc_zero((int64_t)room, 1) : NULL;
    if (before && !joined) return hsp_cli_fail_memory();
    if (joined) snprintf(joined, room, "%s%c%s", before, between, text);
    hsp_options_set(call->options, option->name, joined ? joined : text, &err);
    hsp_free(joined);
    return err ? hsp_cli_report_error(&err) : 0;
}

/* Sets an option; `text` is the value written with it ("--name=value"), or NULL: then it is the next argument. */
static int set_option(hsp_cli_call *call, const hsp_cli_option *option, const char *text, bool letter, argument_cursor *c) {
    if (option->values == 0) return set_flag(call, option, text);
    if (!text) text = implied_value(option, c);
    for (int k = 0; k < option->values; k++) {
        if (!text) {
            if (c->at >= c->argc) return fail_no_value(call, option, letter, NULL);
            text = c->argv[c->at++];
            if (strncmp(text, "--", 2) == 0 && text[2]) return fail_no_value(call, option, letter, text);
        }
        if (option->library) {
            int code = set_library_option(call, option, text);
            if (code) return code;
        } else {
            call->value[option->own][k] = text;
        }
        text = NULL;
    }
    return 0;
}

static int parse_long(hsp_cli_call *call, const char *arg, argument_cursor *c) {
    const char *name = arg + 2, *equals = strchr(name, '=');
    size_t n = equals ? (size_t)(equals - name) : strlen(name);
    hsp_cli_option option;
    if (!hsp_cli_find_option(call->command, name, n, false, &option))
        return hsp_cli_unknown_option(call->command, arg, NULL);
    return set_option(call, &option, equals ? equals + 1 : NULL, false, c);
}

/* "-C 1", "-C1", "-q", "-qv". */
static int parse_short(hsp_cli_call *call, const char *arg, argument_cursor *c) {
    for (const char *p = arg + 1; *p; p++) {
        hsp_cli_option option;
        if (!hsp_cli_find_option(call->command, p, 1, true, &option)) return hsp_cli_unknown_option(call->command, arg, p);
        if (option.values) return set_option(call, &option, p[1] ? p + 1 : NULL, true, c);
        int code = set_flag(call, &option, NULL);
        if (code) return code;
    }
    return 0;
}

/* The k-th word of `operands` ("MODEL DATA"), without brackets, into out. False when there is none. */
static bool operand_name(const char *operands, int k, char *out, size_t size, bool *optional) {
    for (const char *p = operands; *p; k--) {
        size_t n = strcspn(p, " ");
        *optional = *p == '[';
        if (k == 0) {
            size_t skip = *optional ? 1 : 0;
            snprintf(out, size, "%.*s", (int)(n - 2 * skip), p + skip);
            return true;
        }
        p += n;
        p += strspn(p, " ");
    }
    return false;
}

static int check_operands(const hsp_cli_call *call) {
    const hsp_cli_command *command = call->command;
    char name[32];
    bool optional;
    int known = 0;
    for (; operand_name(command->operands, known, name, sizeof name, &optional); known++)
        if (known >= call->operands && !optional)
            return hsp_cli_fail(HSP_EXIT_USAGE, "missing argument %s: usage: halfspace %s %s", name, command->name,
                                command->synopsis);
    for (int i = 0; i < call->operands; i++)
        if (!*call->operand[i]) {
            operand_name(command->operands, i < known ? i : known - 1, name, sizeof name, &optional);
            return hsp_cli_fail(HSP_EXIT_USAGE, "argument %s is empty: give a file name", name);
        }
    bool more = strstr(command->operands, "...") != NULL; /* the last may be several */
    if (call->operands > known && !more)
        return hsp_cli_fail(HSP_EXIT_USAGE, "unexpected argument '%s': usage: halfspace %s %s", call->operand[known],
                            command->name, command->synopsis);
    return 0;
}

int hsp_cli_parse(const hsp_cli_command *command, int argc, char **argv, hsp_cli_call *call) {
    *call = (hsp_cli_call){.command = command, .human = stdout};
    hsp_error *err = NULL;
    if (hsp_options_new(&call->options, &err)) return hsp_cli_report_error(&err);
    call->operand = calloc((size_t)argc + 1, sizeof *call->operand);
    if (!call->operand) return hsp_cli_fail_memory();
    argument_cursor c = {argc, argv, 0};
    bool only_files = false;
    while (c.at < argc) {
        char *arg = argv[c.at++];
        int code = 0;
        if (only_files || arg[0] != '-' || !arg[1])
            call->operand[call->operands++] = arg;
        else if (strcmp(arg, "--") == 0)
            only_files = true;
        else
            code = arg[1] == '-' ? parse_long(call, arg, &c) : parse_short(call, arg, &c);
        if (code) return code;
    }
    if (call->json) call->human = stderr;
    return call->help ? 0 : check_operands(call);
}

void hsp_cli_call_free(hsp_cli_call *call) {
    hsp_options_free(call->options);
    free(call->operand);
    *call = (hsp_cli_call){0};
}

static const char *own_value(const hsp_cli_call *call, const char *name, int k) {
    for (int i = 0; call->command->own[i].name; i++)
        if (strcmp(call->command->own[i].name, name) == 0) return call->value[i][k];
    return NULL;
}

const char *hsp_cli_value(const hsp_cli_call *call, const char *name) {
    return own_value(call, name, 0);
}

const char *hsp_cli_second_value(const hsp_cli_call *call, const char *name) {
    return own_value(call, name, 1);
}
