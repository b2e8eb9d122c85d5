/* A chart: a name, a sentence, what it is drawn from, and a function that draws it. A new one is a file of its own and a
 * line in chart_table.c. A chart draws results and computes none: the figure runs its study, a function of the core, first. */
#ifndef HSP_PLOT_PART_CHART_H
#define HSP_PLOT_PART_CHART_H

#include "halfspace.h"
#include "plot/draw/canvas.h"

/* What a chart is drawn from; everything is borrowed for the call. */
typedef struct hsp_chart_input {
    int64_t models;
    const hsp_model *const *model;
    const char *const *name;           /* of each model, or of each trace */
    const hsp_data *data;              /* NULL: not given */
    const hsp_data *const *model_data; /* of each model: the rows as they were read for it, or NULL: `data` */
    const char *data_name;             /* "": not given */
    int64_t studies;                   /* one for each model, or for each trace, or one */
    const hsp_report *const *study;
    const hsp_options *o;
    const hsp_hooks *hooks; /* may be NULL */
} hsp_chart_input;

typedef struct hsp_chart {
    const char *name;
    const char *help;
    const char *takes; /* "MODEL... DATA", "MODEL DATA", "MODEL", "DATA", "TRACE..." or "" */
    const char *study; /* run before draw: for each model, or once when it takes none; NULL: none */
    /* Options besides those of reading and of all pictures: names of groups, and single options as --name; or NULL. */
    const char *uses;
    bool first_only;    /* the study is run for the first model only */
    const char *curved; /* the study of all models if one is not linear in the columns; NULL: none */
    /* 0 or a status; HSP_EMEMORY needs no message: hsp_figure_draw adds it. */
    int (*draw)(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err);
} hsp_chart;

/* The rows of model i, in its own columns. */
const hsp_data *hsp_chart_data(const hsp_chart_input *in, int64_t i);
/* HSP_EUSAGE: two models of two classes have different positive classes, but a picture of both can name one only. */
int hsp_chart_check_positive(const hsp_chart_input *in, hsp_error **err);
/* The title to draw: the option's, else the chart's own. */
const char *hsp_chart_title(const hsp_chart_input *in, const char *own);

/* An array that a chart needs of its study: where to put the numbers, borrowed from the study, and (or NULL) how many rows it
 * has. */
typedef struct hsp_chart_array {
    const char *name;
    const double **to;
    int64_t *rows;
} hsp_chart_array;
/* Finds n arrays. HSP_EUSAGE: the study lacks one. */
int hsp_chart_arrays(const hsp_report *s, const hsp_chart_array *wanted, size_t n, hsp_error **err);
/* The same for a list in braces: HSP_CHART_ARRAYS(s, err, {"u", &u, NULL}, {"v", &v, &n}). */
#define HSP_CHART_ARRAYS(s, err, ...)                     \
    hsp_chart_arrays(s, (hsp_chart_array[]){__VA_ARGS__}, \
                     sizeof((hsp_chart_array[]){__VA_ARGS__}) / sizeof(hsp_chart_array), err)

#endif
