/* A report about data as one HTML page. page_gather.c makes the calls of the core, in order; then each section writes what they
 * found. A new section is a file of its own and a line in page_table.c. The page computes no figures: all come from reports. */
#ifndef HSP_PLOT_PAGE_PAGE_H
#define HSP_PLOT_PAGE_PAGE_H

#include "halfspace.h"
#include "plot/page/html.h"
#include "plot/page/inline_svg.h"

typedef struct hsp_page {
    const hsp_data *data; /* borrowed */
    const hsp_options *o; /* borrowed, or `own` */
    struct {
        const hsp_hooks *given; /* borrowed, or NULL */
        hsp_hooks hooks;        /* of every call: pass everything on to `given`, and notice a request to stop */
        bool stopped;
    } watch;
    const char *path; /* borrowed: of the page */
    /* found by page_gather.c; NULL: does not exist here */
    hsp_options *own;      /* defaults, if the caller gave no options */
    hsp_options *training; /* those of training, for every fit of the page */
    hsp_options *plain;    /* defaults with the threads, for evaluating and for charts */
    double deadline;       /* on the monotonic clock; infinite: none */
    bool dated;            /* SOURCE_DATE_EPOCH is set: nothing that varies between runs is written */
    bool regression;
    const char *apart;      /* what decides the parts: "groups" or "times" of the rows; NULL: chance */
    hsp_report *source;     /* hsp_data_report */
    hsp_report *inspection; /* hsp_inspect of all rows */
    struct {
        hsp_data *fit, *held; /* the training part and the rows held out of it */
        hsp_data *encoded;    /* the latter as the model encodes them; NULL: they are so already */
    } part;
    hsp_report *comparison;     /* on the training part */
    hsp_model *model;           /* fitted to the training part */
    hsp_report *model_report;   /* hsp_model_report of it */
    const hsp_report *trained;  /* its report of training, borrowed */
    hsp_report *metrics;        /* hsp_evaluate on the held-out rows */
    hsp_report *regularisation; /* along lambda, on the training part */
    hsp_model *final;           /* fitted to all rows, for the option `model` */
    hsp_report *final_report;
    /* the page */
    hsp_html body;
    hsp_page_colours colours;
    int64_t figures;
} hsp_page;

typedef struct hsp_page_section {
    const char *id, *title;             /* of its heading and the link to it */
    bool unlisted;                      /* not among the links at the top */
    bool (*applies)(const hsp_page *p); /* NULL: always */
    int (*write)(hsp_page *p, hsp_error **err);
} hsp_page_section;

extern const hsp_page_section hsp_page_summary, hsp_page_data, hsp_page_findings, hsp_page_comparison, hsp_page_model,
    hsp_page_quality, hsp_page_weights, hsp_page_regularisation, hsp_page_next;
/* In the order of the page, ended by NULL. */
extern const hsp_page_section *const hsp_page_table[];
extern const char hsp_page_style[]; /* page_style.css */

/* Makes the calls. 0 or their status. */
int hsp_page_gather(hsp_page *p, hsp_error **err);
void hsp_page_clear(hsp_page *p);

/* ---- what sections share ---- */

/* The rows to evaluate on, as the model encodes them. */
const hsp_data *hsp_page_held(const hsp_page *p);
/* The name of the data for the title, without its folder. */
const char *hsp_page_name(const hsp_page *p);
/* The name of the data as it is typed in a command; "DATA" for rows that are in no file. */
const char *hsp_page_file(const hsp_page *p);
/* Separability in one sentence, escaped; false: there is no verdict. */
bool hsp_page_separable(hsp_html *h, const hsp_report *separable);
/* Begins and ends a table in a box of its own, which scrolls if it is too wide. The caption is text. */
void hsp_page_table_begin(hsp_html *h, const char *caption, const char *id);
void hsp_page_table_end(hsp_html *h);
/* Begins a block with a command, in which it is written unescaped into `line`, and ends it. */
void hsp_page_command(hsp_html *h, hsp_html *line);

#endif
