/* halfspace: the program. Finds and runs the command, and checks that its output was written. */
#include "arguments.h"
#include "fail.h"
#include "halfspace_internal.h"
#include "help.h"
#include "interrupt.h"
#include "output.h"
#include "team.h"
#include "unknown.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* If the caller closed a standard stream, the next file opened would get its descriptor, and messages would end up in a
 * model. Opens /dev/null in its place; for stdin and stdout the wrong way round, so that reading and writing still fail. */
static void guard_streams(void) {
    static const int mode[] = {O_WRONLY, O_RDONLY, O_RDWR};
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", mode[fd]) < 0) _exit(HSP_EXIT_SYSTEM);
}

/* The command that is meant by an argument; --help and --version stand for commands. */
static const char *command_name(const char *arg) {
    if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) return "help";
    if (strcmp(arg, "--version") == 0 || strcmp(arg, "-V") == 0) return "version";
    return arg[0] == '-' ? NULL : arg;
}

/* The number of arguments of an option of every command, with its value; 0: not such an option. */
static int general_option(const char *arg) {
    hsp_cli_option option;
    bool letter = arg[1] != '-';
    const char *name = arg + (letter ? 1 : 2), *equals = letter ? NULL : strchr(name, '=');
    size_t n = letter ? 1 : equals ? (size_t)(equals - name) : strlen(name);
    /* `version` takes the options of every command, and no others. */
    if (n == 0 || !*name || !hsp_cli_find_option(&hsp_cli_version, name, n, letter, &option)) return 0;
    return option.values > 0 && !equals && !(letter && name[1]) ? 2 : 1;
}

/* Moves the options before the command behind it: "--json train DATA" becomes "train --json DATA". 0 or an exit code. */
static int find_command(int argc, char **argv, const hsp_cli_command **out) {
    int at = 1;
    while (at < argc && !command_name(argv[at])) {
        int used = general_option(argv[at]);
        if (used == 0)
            return hsp_cli_fail(
                HSP_EXIT_USAGE,
                "%s before the command: only options of every command may precede it, such as --json; write it after the "
                "command",
                argv[at]);
        at += used;
    }
    if (at >= argc) return hsp_cli_fail(HSP_EXIT_USAGE, "no command: see `halfspace --help`");
    const char *name = command_name(argv[at]);
    *out = hsp_cli_find_command(name);
    if (!*out) return hsp_cli_unknown_command(name);
    for (; at > 1; at--) argv[at] = argv[at - 1];
    return 0;
}

int hsp_cli_dispatch(int argc, char **argv) {
    const hsp_cli_command *command = NULL;
    int code = find_command(argc, argv, &command);
    if (code) return code;
    hsp_cli_call call;
    code = hsp_cli_parse(command, argc - 2, argv + 2, &call);
    if (!code && call.help)
        code = call.json ? hsp_cli_help_json(command) : hsp_cli_help_command(command);
    else if (!code)
        code = command->run(&call);
    code = hsp_cli_outputs_end(&call, code);
    hsp_cli_call_free(&call);
    return code;
}

int main(int argc, char **argv) {
    guard_streams();
    hsp_cli_interrupt_watch();
    bool serves = false;
    const char *problem = hsp_simd_problem();
    int code = problem ? hsp_cli_fail(HSP_EXIT_USAGE, "%s", problem) : hsp_cli_team_begin(&serves);
    if (!code && !serves) code = hsp_cli_dispatch(argc, argv);
    if (!serves) hsp_cli_team_end();
    return code == HSP_EXIT_INTERRUPTED ? hsp_cli_interrupt_code() : code;
}
