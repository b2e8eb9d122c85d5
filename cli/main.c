/* halfspace: the program. Finds the command, lets it run, and makes sure that what it printed has arrived. */
#include "arguments.h"
#include "fail.h"
#include "halfspace_internal.h"
#include "help.h"
#include "interrupt.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

/* A stream that the caller closed would lend its number to the next file opened, and words for people would end up in a
 * model: nothing goes there instead. */
static void guard_streams(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) < 0) _exit(HSP_EXIT_SYSTEM);
}

/* ---- Jansson's memory ---- */

static hsp_cli_call *running; /* borrowed; NULL: no command is at work */

/* Without memory what Jansson builds would lack a member, and what it parses be taken for bad syntax: the program ends at
 * once, as it does whenever memory is short. */
static void *allocate_json(size_t size) {
    void *block = hsp_alloc_zero((int64_t)size, 1);
    if (block) return block;
    if (running) hsp_cli_outputs_end(running, true);
    _exit(hsp_cli_fail_memory());
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) return hsp_cli_fail(HSP_EXIT_USAGE, "no command: see `halfspace --help`");
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) name = "version";
    const hsp_cli_command *command = hsp_cli_find_command(name);
    if (!command && name[0] == '-')
        return hsp_cli_fail(HSP_EXIT_USAGE,
                            "unknown option %s before the command: write options after the command; see `halfspace --help`",
                            name);
    if (!command) return hsp_cli_unknown_command(name);
    hsp_cli_call call;
    int code = hsp_cli_parse(command, argc - 2, argv + 2, &call);
    running = &call;
    if (!code && call.help)
        code = call.json ? hsp_cli_help_json(command) : hsp_cli_help_command(command);
    else if (!code)
        code = command->run(&call);
    /* With exit code 3 nothing stays; main says that stdout could not be written. */
    hsp_cli_outputs_end(&call, code == HSP_EXIT_USAGE || code == HSP_EXIT_SYSTEM || hsp_cli_flush());
    running = NULL;
    hsp_cli_call_free(&call);
    return code;
}

int main(int argc, char **argv) {
    guard_streams();
    hsp_cli_interrupt_watch();
    json_set_alloc_funcs(allocate_json, hsp_free);
    int code = dispatch(argc, argv);
    /* The command has said one line already when it failed; that line stays the only one. */
    bool said = code == HSP_EXIT_USAGE || code == HSP_EXIT_SYSTEM;
    int reason = hsp_cli_flush();
    if (!reason || said) return code;
    return reason == ENOMEM ? hsp_cli_fail_memory() : hsp_cli_cannot_write("-", reason);
}
