/* A chart: a name, a sentence, what it is drawn from, and a function that draws it. A new one is a file of its own and a
 * line in chart_table.c. A chart draws results: what has to be computed is a study of the core, which the figure has run
 * before. */
#ifndef HSP_PLOT_PART_CHART_H
#define HSP_PLOT_PART_CHART_H

#include "halfspace.h"
#include "plot/draw/canvas.h"

typedef struct hsp_chart_input {
    int64_t models;
    const hsp_model *const *model;
    const char *const *name;           /* of each model, or of each trace: borrowed */
    const hsp_data *data;              /* NULL when not given */
    const hsp_data *const *model_data; /* of each model: the rows as they were read for it, or NULL: `data` */
    const char *data_name;             /* "" when not given */
    int64_t studies;                   /* one a model, or one a trace, or one */
    const hsp_study *const *study;
    const hsp_options *o;
    const hsp_hooks *hooks; /* may be NULL */
} hsp_chart_input;

typedef struct hsp_chart {
    const char *name;
    const char *help;
    const char *takes; /* "MODEL... DATA", "MODEL DATA", "MODEL", "DATA", "TRACE..." or "" */
    const char *study; /* run before draw: for each model, or once when it takes none; NULL: none */
    const char
        *uses;       /* options besides those of reading and of every picture: groups, and single ones as --name; or NULL */
    bool first_only; /* the study is run for the first model only */
    int (*draw)(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err);
} hsp_chart;

/* The rows of model i, in its own columns. */
const hsp_data *hsp_chart_data(const hsp_chart_input *in, int64_t i);
/* HSP_EUSAGE when two models of two classes do not look for the same one: a picture of both names one. */
int hsp_chart_check_positive(const hsp_chart_input *in, hsp_error **err);
/* The title to draw: the option's, else the chart's own. */
const char *hsp_chart_title(const hsp_chart_input *in, const char *own);

/* The numbers of an array of a study, which it must have, and its shape (columns 1 for a vector); rows and columns may be
 * NULL. NULL and an error when it is not there. */
const double *hsp_chart_array(const hsp_study *s, const char *name, int64_t *rows, int64_t *columns, hsp_error **err);

#endif
