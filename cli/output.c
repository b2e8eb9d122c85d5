#include "output.h"
#include "fail.h"

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

bool hsp_cli_same_file(const char *a, const char *b) {
    struct stat first, second;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) return false;
    if (strcmp(a, b) == 0) return true;
    if (stat(a, &first) || stat(b, &second)) return false;
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

int hsp_cli_output_claim(hsp_cli_call *call, const char *option, const char *path) {
    if (!hsp_cli_is_stdout(path)) return 0;
    if (call->json)
        return hsp_cli_fail(HSP_EXIT_USAGE, "stdout cannot take both the JSON and the data: give a file for the data%s%s",
                            option ? " with " : "", option ? option : "");
    call->human = stderr;
    return 0;
}

/* Files are replaced by a rename, never overwritten, so a hard link keeps the old one. Where links are not supported, an
 * existing file stays as the command leaves it. */
void hsp_cli_output_begin(hsp_cli_call *call, const char *path) {
    struct stat s;
    if (!path || hsp_cli_is_stdout(path) || call->outputs == HSP_CLI_OUTPUTS_MAX) return;
    hsp_cli_output *o = &call->output[call->outputs++];
    *o = (hsp_cli_output){.existed = lstat(path, &s) == 0};
    if (!o->existed) {
        if (snprintf(o->path, sizeof o->path, "%s", path) >= (int)sizeof o->path) o->existed = true;
    } else if (stat(path, &s) == 0 && S_ISREG(s.st_mode) && realpath(path, o->path)) {
        char kept[sizeof o->kept + 32];
        snprintf(kept, sizeof kept, "%s.%ld.kept", o->path, (long)getpid());
        if (strlen(kept) < sizeof o->kept && link(o->path, kept) == 0) memcpy(o->kept, kept, strlen(kept) + 1);
    }
}

void hsp_cli_outputs_end(hsp_cli_call *call, bool failed) {
    for (; call->outputs > 0; call->outputs--) {
        hsp_cli_output *o = &call->output[call->outputs - 1];
        if (failed && !o->existed) unlink(o->path);
        if (failed && o->kept[0]) (void)rename(o->kept, o->path);
        if (o->kept[0]) unlink(o->kept); /* also after rename(), which does nothing if both names are links to one file */
    }
}
