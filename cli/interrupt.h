/* The first Ctrl-C asks the library to stop and keep the best model so far; a second one ends the program immediately. */
#ifndef HSP_CLI_INTERRUPT_H
#define HSP_CLI_INTERRUPT_H

void hsp_cli_interrupt_watch(void);

#endif
