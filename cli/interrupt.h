/* The first SIGINT (Ctrl-C), SIGTERM or SIGHUP asks the library to stop and keep the best model so far; a second one ends
 * the program immediately. SIGBUS for a mapped file that another program made shorter is an error of reading: one line,
 * exit code 3. */
#ifndef HSP_CLI_INTERRUPT_H
#define HSP_CLI_INTERRUPT_H

#include <stdbool.h>

void hsp_cli_interrupt_watch(void);
/* Whether a signal has asked the program to stop. */
bool hsp_cli_interrupted(void);
/* The exit code of an interrupted command: 143 after SIGTERM, 129 after SIGHUP, else 130. */
int hsp_cli_interrupt_code(void);

#endif
