/* Training over parts: the driver, which asks an engine and holds everything that belongs to the fit. */
#ifndef HSP_DRIVE_DRIVE_H
#define HSP_DRIVE_DRIVE_H

#include "data/data.h"
#include "design/design.h"
#include "fit/fit.h"
#include "halfspace.h"
#include "model/model.h"
#include "part/reply.h"
#include "part/request.h"
#include "prepare/prepare.h"

/* What the parts agreed on. */
typedef struct hsp_agreement {
    hsp_classes labels;   /* of the rows, sorted; owned, as all here */
    int64_t *class_of;    /* of each label; NULL: its number */
    double *mass, *rows;  /* of each class (one of all rows for a regression): sum of the row weights without those of the
                             classes, and rows of positive weight */
    int64_t groups;       /* how many these are */
    int64_t count, nonzeros, blocks;
    uint64_t hash;
    bool weighted;
} hsp_agreement;

typedef struct hsp_drive {
    const hsp_engine *engine;
    hsp_agreement agreed;
    hsp_prepare prepare;
    hsp_request_rows rows; /* what every request states about them */
    /* The fit as the modules of training in memory know it. Its data have sizes and columns, but no rows. */
    hsp_fit fit;
    hsp_data data;
    hsp_design design;
    double none; /* stands for arrays of rows that exist, but not here */
    /* The last reply. */
    hsp_reply reply;
    const double *sums; /* of all rows, borrowed from it */
    int64_t rounds;
} hsp_drive;

/* Asks all parts; q->rows are set here. Then d->reply and d->sums are the answer. */
int hsp_drive_ask(hsp_drive *d, hsp_request *q, hsp_error **err);
/* Agrees on columns and labels, and counts rows and classes: sets agreed, prepare, rows, data and design. */
int hsp_drive_agree(hsp_drive *d, const hsp_options *o, hsp_error **err);
/* The same for the columns and labels of a model, which must be those of the rows. */
int hsp_drive_agree_with(hsp_drive *d, const hsp_model *m, hsp_error **err);
void hsp_drive_clear(hsp_drive *d);

#endif
