#include "interrupt.h"

#include "command.h"
#include "halfspace.h"

#include <signal.h>

static volatile sig_atomic_t first; /* the first signal; 0: none */

static void on_signal(int number) {
    if (!first) first = number;
    hsp_cancel();
}

void hsp_cli_interrupt_watch(void) {
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
    return first == SIGTERM || first == SIGHUP ? HSP_EXIT_TERMINATED : HSP_EXIT_INTERRUPTED;
}
