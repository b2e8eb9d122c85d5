/* halfspace: the program. Finds and runs the command, and checks that its output was written. */
#include "arguments.h"
#include "fail.h"
#include "halfspace_internal.h"
#include "help.h"
#include "interrupt.h"
#include "output.h"
#include "unknown.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

/* If the caller closed a standard stream, the next file opened would get its descriptor, and messages would end up in a
 * model. Opens /dev/null in its place. */
static void guard_streams(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) < 0) _exit(HSP_EXIT_SYSTEM);
}

/* If memory runs out, Jansson would drop a member of what it builds, or report a syntax error in what it parses. The
 * program exits immediately instead, as it does whenever memory runs out. */
static void *allocate_json(size_t size) {
    void *block = hsp_alloc_zero((int64_t)size, 1);
    if (block) return block;
    hsp_files_drop();
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
    json_set_alloc_funcs(allocate_json, hsp_free);
    int code = dispatch(argc, argv);
    return code == HSP_EXIT_INTERRUPTED ? hsp_cli_interrupt_code() : code;
}
