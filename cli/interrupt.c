#include "interrupt.h"

#include "halfspace.h"

#include <signal.h>

static void on_signal(int number) {
    (void)number;
    hsp_cancel();
}

void hsp_cli_interrupt_watch(void) {
    /* No SA_RESTART: a read that waits for a slow pipe shall notice. */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    static const int numbers[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        struct sigaction old;
        /* nohup and shells' background jobs ignore SIGINT: leave it so. */
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL);
    }
    /* A reader that went away (| head) ends the program quietly, whatever the parent had set. */
    signal(SIGPIPE, SIG_DFL);
}
