/* A progress bar on a terminal: epochs, loss, error and an upper bound of the time left. Never in a file or a pipe. */
#ifndef HSP_CLI_PROGRESS_H
#define HSP_CLI_PROGRESS_H

#include "command.h"
#include "json_output.h"

typedef struct hsp_cli_bar {
    bool on, drawn, colour;
    double began, drew;                         /* by hsp_cli_now() */
    double max_updates, max_steps, max_seconds; /* infinite when there is no limit */
} hsp_cli_bar;

/* on: only when stderr is a terminal that is not dumb, without --quiet. */
void hsp_cli_bar_begin(hsp_cli_bar *bar, const hsp_cli_call *call);
/* Draws the bar, at most ten times a second. */
void hsp_cli_bar_show(hsp_cli_bar *bar, const hsp_progress *p);
/* Erases the line; the next show draws it again. */
void hsp_cli_bar_erase(hsp_cli_bar *bar);

/* A lower bound of the share of the work done, from the limits; 0 .. 1. */
double hsp_cli_bar_share(const hsp_cli_bar *bar, const hsp_progress *p, double elapsed);

#endif
