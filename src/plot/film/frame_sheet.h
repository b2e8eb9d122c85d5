/* The sheet of a film: what is the same in all frames is drawn once, the rest is drawn over it in each frame. */
#ifndef HSP_PLOT_FILM_FRAME_SHEET_H
#define HSP_PLOT_FILM_FRAME_SHEET_H

#include "halfspace.h"
#include "plot/draw/canvas.h"
#include "plot/draw/style.h"
#include "plot/part/panel.h"

/* What a frame shows: the score over the plane of the picture after some number of updates. */
typedef struct hsp_film_frame {
    int64_t updates;
    int64_t epoch;    /* of the update; for the model the epochs of the whole run */
    int64_t row;      /* the row that caused the update; -1: none, or all of them */
    int64_t batch, batch_count; /* the rows of its batch in the scene's list: the first, and how many; 0: none */
    double g[3];      /* score = g[0] + g[1] u + g[2] v */
    double before[3]; /* that before the update */
    bool changed;     /* there was an update */
    double margin;    /* y g of the row before the update; NaN: not known */
    double step;      /* the learning rate, or the change of a multiplier; NaN: not known */
    int64_t mistakes; /* rows misclassified; -1: not known */
    double loss;      /* the mean over the rows after the update; NaN: not shown */
    double objective; /* that after the epoch below; NaN: not known */
    int64_t objective_epoch;
    bool model; /* the last frame: the model itself */
} hsp_film_frame;

/* A score that is not linear over the picture: that of a network, or of features such as squares and products of the columns.
 * Its boundary is a curve. Everything is borrowed. */
typedef struct hsp_film_curve {
    const hsp_model *model;   /* its shape, or its features */
    const hsp_data *data;     /* the table of those features; NULL: a network */
    int64_t columns;          /* 1 or 2 */
    const double *parameters; /* of frame i from i x stride: those of the network, or weights and intercept */
    int64_t stride;
    const double *lift; /* 3 x columns: the row at (u, v) is lift[0] + lift[1] u + lift[2] v */
} hsp_film_curve;

enum { HSP_FILM_COLUMNS = 121, HSP_FILM_ROWS = 81 }; /* the grid of points on which its score is computed */

/* What all frames share; everything is borrowed. */
typedef struct hsp_film_scene {
    const char *title, *note; /* note: a line under the title, or "" */
    int64_t n;
    const double *u, *v;  /* n: coordinates of the rows */
    double spread[2];     /* how far, at most, rows are moved along each axis */
    const int32_t *truth; /* n: 0 or 1; -1: not known, not drawn */
    int dimensions;       /* 1: u alone */
    const char *axis[2];
    const char *class_name[2];
    int positive;         /* the class of scores above 0 */
    const char *rate;     /* the symbol of a step */
    const char *change;   /* what an update adds to w, in symbols */
    bool rows;            /* updates are caused by single rows, or by batches of them */
    const int64_t *batch; /* the rows of the batches, frame by frame; NULL: none */
    bool exact;           /* the plane shows all features: the side of the boundary decides whether a row is right */
    const uint8_t *wrong; /* else: frames x n, 1 for rows that are misclassified; NULL: not known */
    const hsp_film_frame *frame;
    int64_t frames;
    int64_t updates; /* of the whole run */
    const hsp_film_curve *curve; /* NULL: the boundary is straight */
} hsp_film_scene;

enum { HSP_FILM_GROUNDS = 3 };
enum { HSP_FILM_RINGS = 1000 }; /* a batch up to this size is ringed */
enum { HSP_FILM_FEW = 2000 }; /* up to this many rows are drawn again, one by one, where that helps */

typedef struct hsp_film_sheet {
    const hsp_film_scene *scene; /* borrowed */
    const hsp_style *style;      /* borrowed */
    double scale;
    hsp_canvas *canvas; /* owned: the current frame */
    hsp_panel panel;
    bool alike;       /* both axes have one unit: w is perpendicular to the boundary */
    hsp_area vectors; /* of w before and after the update; width 0: none */
    hsp_area chart;   /* of the small curve; width 0: none */
    bool by_mistakes; /* it shows mistakes, else the objective */
    double most;      /* its greatest value */
    int w, h;         /* pixels */
    /* owned: the backgrounds of the whole sheet, as if all of it were of no class, of the negative one, of the positive one */
    hsp_colour *ground[HSP_FILM_GROUNDS];
    double *grid;      /* owned: the scores over the picture, if the boundary is a curve; else NULL */
    double *features;  /* owned: the features at the points of the grid, if the score is a sum over them; else NULL */
    hsp_colour *mixed; /* owned: the background of the current frame */
} hsp_film_sheet;

/* The scene and the style are borrowed until it is closed. 0 or HSP_EMEMORY; close it in either case. */
int hsp_film_sheet_open(hsp_film_sheet *s, const hsp_film_scene *scene, const hsp_style *style, double scale,
                        hsp_error **err);
void hsp_film_sheet_close(hsp_film_sheet *s);
/* ---- weight_vectors.c ---- */

/* The height of the vectors and their key. */
enum { HSP_VECTORS_LEAST = 150, HSP_VECTORS_MOST = 230 };
/* The vectors of a frame and their lengths. */
void hsp_film_vectors_draw(const hsp_film_sheet *s, const hsp_film_frame *m);
/* An arrow on the sheet, with a casing of paper. */
void hsp_film_arrow(hsp_canvas *c, hsp_place2 from, hsp_place2 tip, hsp_colour colour, double width);

/* ---- frame_words.c ---- */

/* The lines under the title of a frame: what was done, and the weights. Each holds HSP_SENTENCE. */
void hsp_film_words(const hsp_film_scene *c, const hsp_film_frame *m, char *first, char *second);

/* ---- curved_frame.c ---- */

/* The backgrounds and the curved boundary of frame i. 0 or an error. */
int hsp_film_curve_draw(hsp_film_sheet *s, int64_t i);

/* ---- frame_sheet.c ---- */

/* Where row i is drawn. */
hsp_place2 hsp_film_place(const hsp_film_sheet *s, int64_t i);
/* The indices of the backgrounds. */
enum { HSP_FILM_NEUTRAL, HSP_FILM_NEGATIVE, HSP_FILM_POSITIVE };

/* Whether all weights are 0, so that the score has no sign. */
bool hsp_film_blank(const hsp_film_frame *m);
/* Draws frame i. Returns its w x h pixels, borrowed until the next call; NULL: no memory. */
const hsp_colour *hsp_film_sheet_draw(hsp_film_sheet *s, int64_t i);

#endif
