/* A report: results as a tree of named values. hsp_json without a text builds it (halfspace_internal.h), and the getters of
 * halfspace.h read it. It is converted to JSON only once, where it leaves the library. */
#ifndef HSP_BASE_REPORT_H
#define HSP_BASE_REPORT_H

#include "halfspace.h"
#include "base/json_value.h"
#include "halfspace_internal.h"

/* The numbers of an array node. */
typedef struct hsp_report_values {
    int64_t rows, columns; /* columns 0: a vector */
    double v[];
} hsp_report_values;

/* The nodes of a tree are contiguous in memory, a container before its contents. Adding `size` to a node gives its next
 * sibling, so a pointer to any node is a report too. */
struct hsp_report {
    char *name; /* owned; NULL: a list element or the root */
    union {
        double number;             /* numbers; flags: 0 or 1 */
        char *text;                /* owned */
        hsp_report_values *values; /* owned */
        int64_t count;             /* lists and objects: number of children */
    };
    int64_t size; /* nodes, including this one; while a container is open: the index of its parent */
    uint8_t kind; /* hsp_report_kinds */
    bool whole;   /* a number written with all its digits */
    bool quiet;   /* omitted from the JSON */
};

/* Single values, on the stack: they own nothing. A number that is not finite is null. */
hsp_report hsp_report_of_number(double value);
hsp_report hsp_report_of_text(const char *text); /* NULL: null; borrowed */
hsp_report hsp_report_of_flag(bool value);
/* Whether two reports are equal: numbers to the last bit, members in any order; an absent member equals null. */
bool hsp_report_equal(const hsp_report *a, const hsp_report *b);

/* Renames every member called `name`, anywhere in the tree. 0 or HSP_EMEMORY. */
int hsp_report_rename(hsp_report *r, const char *name, const char *to);

/* Adds a value that was read from JSON to j (NULL: null); integers become ordinary numbers. */
void hsp_report_add_parsed(hsp_json *j, const char *key, const hsp_json_value *value);

#endif
