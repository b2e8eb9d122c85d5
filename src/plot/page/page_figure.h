/* Charts of the page. */
#ifndef HSP_PLOT_PAGE_PAGE_FIGURE_H
#define HSP_PLOT_PAGE_PAGE_FIGURE_H

#include "halfspace.h"
#include "plot/page/page.h"
#include "plot/part/chart.h"

typedef struct hsp_page_figure {
    const hsp_chart *chart;
    const hsp_report *study; /* or NULL, for a chart without one */
    double width, height;    /* CSS pixels */
    const char *title;
    /* Writes the caption: what the chart shows, with its figures. It is the text alternative too. */
    void (*caption)(const hsp_page *p, const hsp_report *study, hsp_html *h);
    bool key; /* the curves are named below it */
} hsp_page_figure;

/* Appends <figure> with the drawing, its caption and the key. The model and the rows are those of the page. */
int hsp_page_figure_write(hsp_page *p, const hsp_page_figure *f, hsp_error **err);

#endif
