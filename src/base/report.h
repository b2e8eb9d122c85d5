/* A report: results as a tree of named values, made by hsp_json without a text (halfspace_internal.h) and read with the
 * getters of halfspace.h. JSON is written from it once, where it leaves the library. */
#ifndef HSP_BASE_REPORT_H
#define HSP_BASE_REPORT_H

#include "halfspace.h"
#include "halfspace_internal.h"

#include <jansson.h>

/* The numbers of an array, which a node owns. */
typedef struct hsp_report_values {
    int64_t rows, columns; /* columns 0: a vector */
    double v[];
} hsp_report_values;

/* The nodes of a tree lie one after the other in one block, a container before what is in it: `size` leads from a node to
 * the next one beside it, and a pointer to any node is a report of its own. */
struct hsp_report {
    char *name; /* owned; NULL: an element, or the whole */
    union {
        double number;             /* numbers; flags: 0 or 1 */
        char *text;                /* owned */
        hsp_report_values *values; /* owned */
        int64_t count;             /* lists and objects: how many there are in it */
    };
    int64_t size; /* nodes, this one and all below it; while a container is being filled: the place of the one around it */
    uint8_t kind; /* hsp_report_kinds */
    bool whole;   /* of a number: written with all its digits */
    bool quiet;   /* left out of the JSON */
};

/* Values that stand alone, on the stack: nothing in them is owned. A number that is not finite is null. */
hsp_report hsp_report_of_number(double value);
hsp_report hsp_report_of_text(const char *text); /* NULL: null; borrowed */
hsp_report hsp_report_of_flag(bool value);
/* Whether they are the same: numbers to the last bit, members in any order; what is absent is null. */
bool hsp_report_equal(const hsp_report *a, const hsp_report *b);

/* Gives every member of this name another, anywhere in the tree. 0 or HSP_EMEMORY. */
int hsp_report_rename(hsp_report *r, const char *name, const char *to);

/* Adds what Jansson has read to j; whole numbers are numbers like others. */
void hsp_report_add_parsed(hsp_json *j, const char *key, const json_t *value);

#endif
