/* A progress bar on a terminal: epochs, loss, error and the time that is left at most. Never in a file or a pipe. */
#ifndef HSP_CLI_PROGRESS_H
#define HSP_CLI_PROGRESS_H

#include "command.h"
#include "json_output.h"

typedef struct hsp_cli_bar {
    bool on, drawn, colour;
    double began, drew;                         /* hsp_cli_now() */
    double max_updates, max_steps, max_seconds; /* infinite when there is no such limit */
} hsp_cli_bar;

/* on only when stderr is a terminal and neither --quiet nor a dumb terminal forbids it. */
void hsp_cli_bar_begin(hsp_cli_bar *bar, const hsp_cli_call *call);
/* Draws, at most ten times a second. */
void hsp_cli_bar_show(hsp_cli_bar *bar, const hsp_progress *p);
/* Wipes the line; it comes back with the next show. */
void hsp_cli_bar_erase(hsp_cli_bar *bar);

/* Share of the work that is done at least, by the limits; 0 .. 1. */
double hsp_cli_bar_share(const hsp_cli_bar *bar, const hsp_progress *p, double elapsed);

#endif
