/* The classes of rows that are copied, counted without keeping the rows. */
#ifndef HSP_WRITE_LABEL_TALLY_H
#define HSP_WRITE_LABEL_TALLY_H

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "data/data.h"
#include "data/labels.h"
#include "halfspace.h"
#include "read/raw_file.h"

typedef struct hsp_label_tally {
    const char *need;   /* what needs a label in every row, as "--stratify"; NULL: nothing does */
    bool known;         /* the classes are known: so far every row has a label, and there are not too many classes */
    hsp_labels *labels; /* owned */
    hsp_text spare;     /* owned: a label without its "" */
    int64_t met;        /* spellings so far */
    int64_t *count;     /* owned: rows of each spelling; after hsp_label_tally_finish of each of the `classes` */
    int64_t count_capacity;
    int32_t *rank;       /* owned: provisional class -> class; set by hsp_label_tally_finish */
    hsp_classes classes; /* owned: likewise */
} hsp_label_tally;       /* {0} can be freed */

/* Options: map-label, stratify (all rows need labels), task (regression: there are no classes). */
int hsp_label_tally_begin(hsp_label_tally *t, const hsp_options *o, hsp_error **err);
/* Counts a row. HSP_EINPUT when it has no label and something needs it. */
int hsp_label_tally_add(hsp_label_tally *t, const hsp_raw_file *f, const hsp_raw_row *row, hsp_error **err);
/* After the last row: sorts the classes. */
int hsp_label_tally_finish(hsp_label_tally *t, hsp_error **err);
/* The class of a row that was counted, or a negative status. */
int64_t hsp_label_tally_class(hsp_label_tally *t, const hsp_raw_row *row, hsp_error **err);
/* The label that --map-label puts in the row's place; NULL: none, or memory ran out (*failed). */
const char *hsp_label_tally_replacement(hsp_label_tally *t, const hsp_raw_row *row, bool *failed);
/* The member "classes": these rows of each class; null if the classes are not known. */
void hsp_label_tally_report(const hsp_label_tally *t, const int64_t *count, hsp_json *j);
void hsp_label_tally_free(hsp_label_tally *t);

#endif
