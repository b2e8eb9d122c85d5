/* The sheet of a film: what stays the same in every frame is drawn once, what moves is laid over it. */
#ifndef HSP_PLOT_FILM_FRAME_SHEET_H
#define HSP_PLOT_FILM_FRAME_SHEET_H

#include "halfspace.h"
#include "plot/draw/canvas.h"
#include "plot/draw/style.h"
#include "plot/part/panel.h"

/* What a frame shows: the weights after so many updates, as the score over the plane of the picture. */
typedef struct hsp_film_moment {
    int64_t updates;
    int64_t epoch;    /* in which that was; of the model: of the whole run */
    int64_t row;      /* that caused the update; -1: none, or all of them */
    double g[3];      /* score = g[0] + g[1] u + g[2] v */
    int64_t mistakes; /* rows misclassified; -1: not known */
    double objective; /* NaN: not known; else that of the epoch below */
    int64_t objective_epoch;
    bool model; /* the end of the run: the model that is kept */
} hsp_film_moment;

/* What all frames have in common; everything is borrowed. */
typedef struct hsp_film_cast {
    const char *title, *note; /* note: a line under the title, or "" */
    int64_t n;
    const double *u, *v;  /* n: where the rows are */
    double spread[2];     /* how far, at most, they are moved apart on each axis */
    const int32_t *truth; /* n: 0 or 1; -1: not known, not drawn */
    int dimensions;       /* 1: u alone */
    const char *axis[2];
    const char *class_name[2];
    int positive;         /* the class of scores above 0 */
    bool rows;            /* updates have rows that caused them */
    bool exact;           /* the plane is all there is: rows are right or wrong by the side on which they are seen */
    const uint8_t *wrong; /* else: moments x n, 1 for rows that are misclassified; NULL: not known */
    const hsp_film_moment *moment;
    int64_t moments;
    int64_t updates; /* of the whole run */
} hsp_film_cast;

enum { HSP_FILM_GROUNDS = 3 };
enum { HSP_FILM_FEW = 2000 }; /* rows that are drawn one by one where that helps */

typedef struct hsp_film_sheet {
    const hsp_film_cast *cast;
    const hsp_style *style;
    double scale;
    hsp_canvas *canvas; /* of the frame */
    hsp_panel panel;
    hsp_area chart; /* of the small curve; no width: there is none */
    bool by_mistakes;
    double most; /* top of the small curve */
    int w, h;    /* pixels */
    /* the sheet as it would be if all of it were of no class, of the negative class, of the positive one */
    hsp_colour *ground[HSP_FILM_GROUNDS];
    hsp_colour *mixed; /* what lies under the boundary of a frame */
} hsp_film_sheet;

/* HSP_OK or HSP_EMEMORY; close it in either case. */
int hsp_film_sheet_open(hsp_film_sheet *s, const hsp_film_cast *cast, const hsp_style *style, double scale,
                        hsp_error **err);
void hsp_film_sheet_close(hsp_film_sheet *s);
/* Draws frame i; its pixels stay until the next call. NULL without memory. */
const hsp_colour *hsp_film_sheet_draw(hsp_film_sheet *s, int64_t i);

#endif
