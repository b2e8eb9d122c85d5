/* Studies compute the numbers behind a plot. Each study is one file and one line in study_table.c; it fills a container of
 * named arrays, numbers and texts, which is also its report. */
#ifndef HSP_STUDY_STUDY_H
#define HSP_STUDY_STUDY_H

#include "data/data.h"
#include "halfspace.h"
#include "model/model.h"

/* The results of a study. */
typedef struct hsp_study hsp_study;

typedef struct hsp_study_input {
    const hsp_model *model; /* NULL when not given */
    const hsp_data *data;   /* NULL when not given; encoded with the model when there is one */
    const hsp_data *table;  /* the same as they were given: with the frame of a table */
    const hsp_options *o;
    const hsp_hooks *hooks; /* may be NULL */
    int threads;
} hsp_study_input;

typedef struct hsp_study_entry {
    const char *name;
    const char *help;
    bool needs_model, needs_data; /* checked before run is called */
    bool reports;                 /* it calls the hook `progress` itself, for each of its fits */
    int (*run)(const hsp_study_input *in, hsp_study *s, hsp_error **err);
} hsp_study_entry;

extern const hsp_study_entry hsp_study_scores, hsp_study_projection, hsp_study_roc, hsp_study_pr, hsp_study_calibration,
    hsp_study_confusion, hsp_study_residuals, hsp_study_descent, hsp_study_plane, hsp_study_regions, hsp_study_lambda,
    hsp_study_bias_variance, hsp_study_learning_curve, hsp_study_path, hsp_study_losses;
extern const hsp_study_entry *const hsp_study_table[]; /* ends with NULL */

void hsp_study_free(hsp_study *s);
const char *hsp_study_kind(const hsp_study *s);
const char *hsp_study_text(const hsp_study *s, const char *list, int64_t i); /* NULL past the end */
/* The contents as a report: kind, lists, numbers and arrays. */
int hsp_study_report(const hsp_study *s, hsp_report **out, hsp_error **err);
int hsp_study_new(const char *kind, hsp_study **out, hsp_error **err);
/* Adds an array of zeros: a vector of `rows` when columns is 0, else a matrix, row by row. Returns NULL when memory runs
 * out (and fills err). The study owns the array; its address does not change. */
double *hsp_study_add(hsp_study *s, const char *name, int64_t rows, int64_t columns, hsp_error **err);
/* The same for a large array that reports leave out. */
double *hsp_study_add_quiet(hsp_study *s, const char *name, int64_t rows, int64_t columns, hsp_error **err);
/* Adds vectors of `rows` under these names and sets v[count]. HSP_EMEMORY when memory runs out. */
int hsp_study_add_vectors(hsp_study *s, int64_t rows, const char *const *names, int count, double **v, hsp_error **err);
/* An array that was added, and its rows; NULL: none has this name. */
const double *hsp_study_vector(const hsp_study *s, const char *name, int64_t *rows);
/* Truncates a vector to its first `rows`. */
void hsp_study_shorten(hsp_study *s, const char *name, int64_t rows);
int hsp_study_set(hsp_study *s, const char *name, double value, hsp_error **err);
/* Named numbers, in this order. */
typedef struct hsp_study_figure {
    const char *name;
    double value;
} hsp_study_figure;
int hsp_study_set_figures(hsp_study *s, const hsp_study_figure *figure, size_t count, hsp_error **err);
/* Appends a copy of text to the list. */
int hsp_study_add_text(hsp_study *s, const char *list, const char *text, hsp_error **err);

#endif
