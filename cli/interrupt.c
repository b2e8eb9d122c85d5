#include "interrupt.h"

#include "command.h"
#include "halfspace_internal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t first; /* the first signal; 0: none */

static void on_signal(int number) {
    if (!first) first = number;
    hsp_cancel();
}

static void put_text(const char *text) {
    for (size_t n = strlen(text); n > 0;) {
        ssize_t put = write(STDERR_FILENO, text, n);
        if (put < 0 && errno != EINTR) return;
        if (put > 0) text += put, n -= (size_t)put;
    }
}

/* Another program made a mapped file shorter. Whatever the thread was computing has no value now, and it cannot go on: the
 * program ends, as it does after any failed read. The temporary files of its outputs are removed by the next run. */
static void on_missing_page(int number, siginfo_t *info, void *context) {
    static volatile sig_atomic_t reported;
    const char *name = hsp_map_file_at(info->si_addr);
    (void)context;
    if (!name) {
        signal(number, SIG_DFL); /* happens again at once, and ends the process */
        return;
    }
    if (!reported) {
        reported = 1;
        put_text("halfspace: ");
        put_text(name);
        put_text(": another program made the file shorter while it was in use: leave it alone, and run again\n");
    }
    _exit(HSP_EXIT_SYSTEM);
}

void hsp_cli_interrupt_watch(void) {
    struct sigaction missing = {.sa_sigaction = on_missing_page, .sa_flags = SA_SIGINFO};
    sigemptyset(&missing.sa_mask);
    sigaction(SIGBUS, &missing, NULL);
    /* No SA_RESTART: a signal must interrupt a read from a slow pipe. */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction old;
        /* nohup ignores SIGHUP, and background jobs of shells ignore SIGINT: keep them ignored. */
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL);
    }
    /* When the reader of a pipe exits (| head), the program ends silently, whatever the parent set. */
    signal(SIGPIPE, SIG_DFL);
}

bool hsp_cli_interrupted(void) {
    return first != 0;
}

int hsp_cli_interrupt_code(void) {
    return first == SIGTERM ? HSP_EXIT_TERMINATED : first == SIGHUP ? HSP_EXIT_HANGUP : HSP_EXIT_INTERRUPTED;
}
