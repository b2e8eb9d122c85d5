/* A chart: a name, a sentence, and a function that draws it. A new one is a file of its own and a line in chart_table.c. */
#ifndef HSP_PLOT_CHART_H
#define HSP_PLOT_CHART_H

#include "plot/canvas.h"

typedef struct hsp_chart_input {
    const hsp_model *model; /* NULL when not given */
    const hsp_data *data;   /* NULL when not given */
} hsp_chart_input;

typedef struct hsp_chart {
    const char *name;
    const char *help;
    bool needs_model, needs_data; /* checked before draw is called */
    int (*draw)(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err);
} hsp_chart;

extern const hsp_chart hsp_chart_boundary;

/* All charts, ended by NULL. */
extern const hsp_chart *const hsp_chart_table[];

#endif
