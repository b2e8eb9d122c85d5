#include "output.h"
#include "fail.h"
#include "halfspace_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool hsp_cli_is_stdout(const char *path) {
    return path && strcmp(path, "-") == 0;
}

bool hsp_cli_is_file(const char *path) {
    struct stat s;
    return !hsp_cli_is_stdout(path) && stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

/* Whether two files that need not exist have the same name in the same directory. */
static bool same_entry(const char *a, const char *b) {
    const char *end_a = strrchr(a, '/'), *end_b = strrchr(b, '/');
    struct stat first, second;
    if (strcmp(end_a ? end_a + 1 : a, end_b ? end_b + 1 : b) != 0) return false;
    char *folder_a = end_a ? strndup(a, (size_t)(end_a - a) + 1) : strdup("."),
         *folder_b = end_b ? strndup(b, (size_t)(end_b - b) + 1) : strdup(".");
    bool same = folder_a && folder_b && !stat(folder_a, &first) && !stat(folder_b, &second) &&
                first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    free(folder_a);
    free(folder_b);
    return same;
}

bool hsp_cli_same_file(const char *a, const char *b) {
    struct stat first, second;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) return false;
    if (strcmp(a, b) == 0) return true;
    if (stat(a, &first) || stat(b, &second)) return same_entry(a, b);
    return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

const char *hsp_cli_input_name(const char *path) {
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

const char *hsp_cli_output_name(const char *path) {
    return hsp_cli_is_stdout(path) ? "<stdout>" : path;
}

static int first_loss; /* errno of the first failed write to stdout; 0: none */

void hsp_cli_output_lost(int reason) {
    if (!first_loss) first_loss = reason;
}

int hsp_cli_flush(void) {
    errno = 0;
    if (fflush(stdout) || ferror(stdout)) hsp_cli_output_lost(errno ? errno : EIO);
    return first_loss;
}

int hsp_cli_cannot_write(const char *path, int reason) {
    const char *advice = reason == EISDIR                        ? "name a file, not a folder"
                         : reason == ENOENT || reason == ENOTDIR ? "check the name and the folder"
                         : reason == EACCES || reason == EPERM   ? "check the permissions"
                         : reason == ENOSPC || reason == EDQUOT  ? "free some space or choose another disk"
                         : reason == EBADF                       ? "open it, or redirect it to a file or /dev/null"
                                                                 : "choose another place";
    bool slip = reason == ENOENT || reason == EISDIR || reason == ENOTDIR;
    return hsp_cli_fail(slip ? HSP_EXIT_USAGE : HSP_EXIT_SYSTEM, "%s: cannot write: %s: %s", hsp_cli_output_name(path),
                        strerror(reason), advice);
}

/* The new file is renamed into its directory, so the directory must be writable. */
static int check_directory(const char *path) {
    const char *slash = strrchr(path, '/');
    char *directory = slash == path ? strdup("/") : slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    if (!directory) return hsp_cli_fail_memory();
    struct stat s;
    int reason = 0;
    if (stat(directory, &s))
        reason = errno;
    else if (!S_ISDIR(s.st_mode))
        reason = ENOTDIR;
    else if (access(directory, W_OK | X_OK))
        reason = errno;
    free(directory);
    return reason ? hsp_cli_cannot_write(path, reason) : 0;
}

int hsp_cli_output_check(const char *path, const char *input) {
    if (!path || hsp_cli_is_stdout(path)) return 0;
    if (!*path) return hsp_cli_fail(HSP_EXIT_USAGE, "the name of the output file is empty: give a name, or - for stdout");
    if (input && hsp_cli_same_file(path, input))
        return hsp_cli_fail(HSP_EXIT_USAGE, "%s: the output would overwrite the input: give another name", path);
    struct stat s;
    if (stat(path, &s) == 0) {
        if (S_ISDIR(s.st_mode)) return hsp_cli_cannot_write(path, EISDIR);
        if (access(path, W_OK)) return hsp_cli_cannot_write(path, errno);
        if (!S_ISREG(s.st_mode)) return 0;
    }
    return check_directory(path);
}

static int refuse_overwriting(const char *path, const char *what) {
    return hsp_cli_fail(HSP_EXIT_USAGE, "%s: the output would overwrite the %s: give another name", path, what);
}

/* No output may replace an input: an operand, the file of --labels, or the cache of the data. */
static int check_inputs(const hsp_cli_call *call, const char *path) {
    const char *labels = hsp_options_get(call->options, "labels"), *cache = hsp_options_get(call->options, "cache");
    if (labels && hsp_cli_same_file(path, labels)) return refuse_overwriting(path, "labels");
    for (int i = 0; i < call->operands; i++) {
        const char *input = call->operand[i];
        if (input == path) continue; /* an output that is an operand */
        if (hsp_cli_same_file(path, input)) return refuse_overwriting(path, "input");
        size_t n = strlen(input);
        bool like_cache = strlen(path) > 4 && strcmp(path + strlen(path) - 4, ".hsd") == 0;
        if (!cache || strcmp(cache, "yes") != 0 || !like_cache) continue;
        char *name = malloc(n + 5);
        if (!name) return hsp_cli_fail_memory();
        snprintf(name, n + 5, "%s.hsd", input);
        bool same = hsp_cli_same_file(path, name);
        free(name);
        if (same) return refuse_overwriting(path, "cache");
    }
    return 0;
}

int hsp_cli_output_claim(hsp_cli_call *call, const char *option, const char *path) {
    if (!path) return 0;
    if (!hsp_cli_is_stdout(path)) return check_inputs(call, path);
    if (call->json)
        return hsp_cli_fail(HSP_EXIT_USAGE, "stdout cannot take both the JSON and the data: give a file for the data%s%s",
                            option ? " with " : "", option ? option : "");
    call->human = stderr;
    return 0;
}

/* The file whose rows the command copies; NULL: it copies none. */
static const char *source_of(const hsp_cli_call *call, const char *path) {
    const char *source = NULL;
    for (int i = 0; call->command->copies_rows && i < call->operands; i++)
        if (call->operand[i] != path) source = call->operand[i];
    return source;
}

int hsp_cli_output_begin(hsp_cli_call *call, const char *path) {
    if (!path || hsp_cli_is_stdout(path) || call->outputs == HSP_CLI_OUTPUTS_MAX) return 0;
    char *own = strdup(path);
    if (!own || hsp_file_hold(path, source_of(call, path), NULL)) {
        free(own);
        hsp_cli_output_lost(ENOMEM); /* for a caller that goes on */
        return hsp_cli_fail_memory();
    }
    call->output[call->outputs++] = own;
    return 0;
}

int hsp_cli_outputs_write(hsp_cli_call *call) {
    hsp_error *err = NULL;
    if (call->written || call->outputs == 0) return 0;
    if (hsp_maps_check(&err) || hsp_files_release(&err)) return hsp_cli_report_error(&err);
    call->written = true;
    hsp_cli_files_written();
    return 0;
}

int hsp_cli_outputs_end(hsp_cli_call *call, int code) {
    hsp_error *err = NULL;
    bool whole = code == HSP_EXIT_OK || code == HSP_EXIT_NO;
    if (whole && hsp_maps_check(&err)) {
        code = hsp_cli_report_error(&err);
        whole = false;
    }
    if (!whole)
        hsp_files_drop();
    else if (hsp_cli_outputs_write(call))
        code = HSP_EXIT_SYSTEM;
    int reason = hsp_cli_flush();
    if (reason && code != HSP_EXIT_USAGE && code != HSP_EXIT_SYSTEM) { /* which have printed their one line of error */
        if (reason == ENOMEM)
            code = hsp_cli_fail_memory();
        else if (call->written)
            code = hsp_cli_fail(HSP_EXIT_SYSTEM, "<stdout>: cannot write: %s: %s%s written all the same", strerror(reason),
                                call->output[call->outputs - 1], call->outputs > 1 ? " and the other files were" : " was");
        else
            code = hsp_cli_cannot_write("-", reason);
    }
    for (; call->outputs > 0; call->outputs--) free(call->output[call->outputs - 1]);
    return code;
}
