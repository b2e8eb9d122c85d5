/* Histograms of two classes over the same bins, with the threshold: of scores, and of projections on Fisher's line. */
#ifndef HSP_PLOT_PART_CLASS_BARS_H
#define HSP_PLOT_PART_CLASS_BARS_H

#include "halfspace.h"
#include "plot/draw/canvas.h"
#include "plot/draw/style.h"
#include "plot/part/key.h"
#include "plot/part/panel.h"
#include "plot/part/sentence.h"

/* Everything is borrowed. */
typedef struct hsp_class_bars {
    const double *edge;  /* bins + 1 */
    const double *count; /* 2 x bins */
    int64_t bins;
    double threshold;
    int64_t positive;    /* the class right of the threshold */
    const char *name[2]; /* of the classes */
    const char *key[2];  /* of their bars */
    const char *x_name, *y_name;
    bool whole;      /* rows are counted, not weighted */
    double headroom; /* left free above the highest bar, as a share of it */
} hsp_class_bars;

/* Arrays of the study, names of the model. HSP_EUSAGE: the study is not of two classes. */
int hsp_class_bars_take(const hsp_chart_input *in, hsp_class_bars *b, hsp_error **err);
/* Draws the histograms, axes, key and threshold into f; *p becomes the panel. 0 or HSP_EMEMORY. */
int hsp_class_bars_draw(const hsp_class_bars *b, hsp_canvas *c, hsp_area f, hsp_panel *p);
/* The bars of one class, without empty ones at either end. 0 or HSP_EMEMORY. */
int hsp_class_bars_one(const hsp_panel *p, hsp_canvas *c, const double *edge, const double *count, int64_t bins,
                       hsp_colour colour, double alpha);
/* A clause on the rows beyond the outer edges, which are counted in the outermost bars; "": there are none. out: HSP_SHORT. */
void hsp_class_bars_beyond(const hsp_report *s, char *out);

#endif
