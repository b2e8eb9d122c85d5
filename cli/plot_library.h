/* The plot library with Cairo. It is loaded only for plots: other commands start faster, and the program runs where it is
 * not installed. */
#ifndef HSP_CLI_PLOT_LIBRARY_H
#define HSP_CLI_PLOT_LIBRARY_H

#include "command.h"

#include "halfspace_plot.h"

typedef struct hsp_cli_plot_library {
    __typeof__(&hsp_figure_new) figure_new;
    __typeof__(&hsp_figure_add_model_data) figure_add_model_data;
    __typeof__(&hsp_figure_set_data) figure_set_data;
    __typeof__(&hsp_figure_add_trace) figure_add_trace;
    __typeof__(&hsp_figure_draw) figure_draw;
    __typeof__(&hsp_figure_report) figure_report;
    __typeof__(&hsp_figure_free) figure_free;
    __typeof__(&hsp_plot_list) list;
    __typeof__(&hsp_film) film;
    __typeof__(&hsp_plot_page) page;
} hsp_cli_plot_library;

/* The i-th chart with its options, for help; false after the last, or if the library is not installed. */
bool hsp_cli_plot_kind_at(int64_t i, hsp_cli_kind *out);
/* Loads the library and keeps it loaded. `out`: the requested file. 0, or an exit code after printing an error. */
int hsp_cli_plot_library_open(const char *out, hsp_cli_plot_library *library);
/* Whether the library can be loaded. */
bool hsp_cli_plot_library_exists(void);
/* Passes --project to the library as its option `plane`; the name `project` is taken by a flag of predict. 0, or an exit
 * code after printing an error. */
int hsp_cli_plot_plane(const hsp_cli_call *call);

#endif
