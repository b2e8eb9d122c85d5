#include "interrupt.h"

#include "halfspace.h"

#include <signal.h>

static void on_signal(int number) {
    (void)number;
    hsp_cancel();
}

void hsp_cli_interrupt_watch(void) {
    /* No SA_RESTART: a signal must interrupt a read from a slow pipe. */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    static const int numbers[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        struct sigaction old;
        /* nohup and background jobs of shells ignore SIGINT: keep it ignored. */
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL);
    }
    /* When the reader of a pipe exits (| head), the program ends silently, whatever the parent set. */
    signal(SIGPIPE, SIG_DFL);
}
