/* Histograms of two classes over the same bins, with the threshold between them: scores, and places on Fisher's line. */
#ifndef HSP_PLOT_PART_CLASS_BARS_H
#define HSP_PLOT_PART_CLASS_BARS_H

#include "halfspace.h"
#include "plot/draw/canvas.h"
#include "plot/draw/style.h"
#include "plot/part/key.h"
#include "plot/part/panel.h"
#include "plot/part/sentence.h"

typedef struct hsp_class_bars {
    const double *edge;  /* bins + 1 */
    const double *count; /* 2 x bins */
    int64_t bins;
    double threshold;
    int64_t positive;    /* the class right of the threshold */
    const char *name[2]; /* of the classes */
    const char *key[2];  /* of their bars */
    const char *x_name, *y_name;
    bool whole; /* rows are counted, not weighed */
    double air; /* left free over the highest bar, as a share of it */
} hsp_class_bars;

/* Arrays of the study, names of the model. HSP_EUSAGE when it is not of two classes. */
int hsp_class_bars_take(const hsp_chart_input *in, hsp_class_bars *b, hsp_error **err);
/* Draws all of it into the frame; *p is the panel. 0 or HSP_EMEMORY. */
int hsp_class_bars_draw(const hsp_class_bars *b, hsp_canvas *c, hsp_area f, hsp_panel *p);
/* The bars of one class, without those that are empty at either end. 0 or HSP_EMEMORY. */
int hsp_class_bars_one(const hsp_panel *p, hsp_canvas *c, const double *edge, const double *count, int64_t bins,
                       hsp_colour colour, double alpha);
/* What lies beyond the edges, as a clause "; 3 rows beyond the edges are in the outermost bars", or "". out: HSP_SHORT. */
void hsp_class_bars_beyond(const hsp_study *s, char *out);

#endif
