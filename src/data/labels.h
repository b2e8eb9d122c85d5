/* The labels of a data set while it is read: each spelling is parsed once, each row costs one look-up. And the targets of
 * regression. */
#ifndef HSP_DATA_LABELS_H
#define HSP_DATA_LABELS_H

#include "base/error.h"
#include "data/data.h"
#include "halfspace.h"

typedef struct hsp_labels hsp_labels;

/* known: labels must be among these (NULL: any), borrowed. map: "FROM=TO,..." or NULL; malformed: HSP_EUSAGE. A label may
 * contain '=' ("<=50K.=<=50K"): an entry applies to the text before each of its '='. */
int hsp_labels_new(const hsp_classes *known, const char *map, hsp_labels **out, hsp_error **err);
/* Sets the name of the column that the known classes come from, which messages mention; NULL: none. 0 or HSP_EMEMORY. */
int hsp_labels_name_target(hsp_labels *t, const char *target);
/* The provisional class of a label that `rows` more rows have, the first of them at `where` (for errors): the number of its
 * spelling. Of known classes: the class, or -1: it is not one of them. */
int hsp_labels_class(hsp_labels *t, const char *label, int64_t length, int64_t rows, hsp_place where, int32_t *class,
                     hsp_error **err);
/* What --map-label puts in place of a label, borrowed until the next call; NULL: nothing, or memory ran out (*failed). */
const char *hsp_labels_replacement(hsp_labels *t, const char *label, int64_t length, bool *failed);
/* Finds the classes of the spellings: labels that are equal as numbers are one class, unless some are codes (007), where
 * labels count as spelt. Sorts the classes, and replaces the provisional classes of all rows in y by the final ones. Of known
 * classes, *classes is empty and y stays; labels that are not among them: HSP_EINPUT. */
int hsp_labels_finish(hsp_labels *t, hsp_classes *classes, int32_t *y, hsp_error **err);
void hsp_labels_free(hsp_labels *t);

/* Parses a target: a finite number, or HSP_EINPUT. named: the target is a column, so the message suggests another one. */
int hsp_target_parse(const char *label, int64_t length, bool named, hsp_place where, double *out, hsp_error **err);

#endif
