/* The labels of a data set while it is read: every spelling is looked at once, every row costs one look-up. And the numbers
 * that stand in their place for regression. */
#ifndef HSP_DATA_LABELS_H
#define HSP_DATA_LABELS_H

#include "base/error.h"
#include "data/data.h"
#include "halfspace.h"

typedef struct hsp_labels hsp_labels;

/* known: labels must be among these (NULL: any), borrowed. map: "FROM=TO,..." or NULL; malformed: HSP_EUSAGE. A label may
 * hold '=' itself ("<=50K.=<=50K"): an entry is for those labels that stand before any of its '='. */
int hsp_labels_new(const hsp_classes *known, const char *map, hsp_labels **out, hsp_error **err);
/* The next row's label; `where` is for errors. */
int hsp_labels_add(hsp_labels *t, const char *label, int64_t length, hsp_place where, hsp_error **err);
/* Sorted classes (none when they were known: then y counts in those), and the class of each row, to be freed; the labels
 * are spent, but still to be freed. Fails when labels were not among the known classes. */
int hsp_labels_finish(hsp_labels *t, hsp_classes *classes, int32_t **y, hsp_error **err);
/* For those who keep the classes of the rows themselves: a label that stands in `rows` more rows, the first of them at
 * `where`; its class for now (-1: not a known one). */
int hsp_labels_class(hsp_labels *t, const char *label, int64_t length, int64_t rows, hsp_place where, int32_t *class,
                     hsp_error **err);
/* As finish, for the classes of all rows in y, which become the final ones. */
int hsp_labels_settle(hsp_labels *t, hsp_classes *classes, int32_t *y, hsp_error **err);
void hsp_labels_free(hsp_labels *t);

/* A label of regression: the finite number that it is, or HSP_EINPUT with what is wrong with it. named: the target is a
 * column, so it may be another one. */
int hsp_target_parse(const char *label, int64_t length, bool named, hsp_place where, double *out, hsp_error **err);

#endif
