/* Statistics of the columns of a table over all rows, from which kinds are chosen, and which `inspect` reports. */
#ifndef HSP_TABLE_PROFILE_H
#define HSP_TABLE_PROFILE_H

#include "base/hash.h"
#include "data/table_frame.h"
#include "halfspace.h"

enum { HSP_PROFILE_NUMBERS = 64 }; /* most distinct numbers that are counted */

/* Where a cell is, for messages. */
typedef struct hsp_profile_place {
    int64_t line;     /* 0: there is none */
    const char *file; /* and its place among the files, if the frame knows */
    int64_t file_number;
} hsp_profile_place;

typedef struct hsp_profile {
    int64_t cells, numbers, words, missing; /* cells = numbers + words + missing */
    /* Words without blanks round them (of models up to format 4 in canonical spelling, hsp_spell), in the order of
     * appearance, and how often each occurs; none of a text column. Owned. */
    hsp_intern *dictionary;
    int64_t *count;
    int64_t count_capacity;
    /* Distinct numbers, if they are few, in the order of appearance. */
    double number[HSP_PROFILE_NUMBERS];
    int64_t number_count[HSP_PROFILE_NUMBERS];
    int64_t distinct;             /* distinct numbers; HSP_PROFILE_NUMBERS + 1: more */
    double least, greatest, mean; /* NaN without numbers */
    bool whole;                   /* all numbers are whole */
    bool ascending;               /* each number is greater than the one before */
    int64_t spelt;                /* numbers that come with their spelling, which is not the shortest one ... */
    int64_t zeros, plus, digits;  /* ... and those of each form of codes (hsp_number_form) */
    int64_t dates;                /* words that are dates (date.h) */
    int64_t blanks;               /* words that stand for missing values where numbers are expected (hsp_blank_word) */
    int64_t longest;              /* bytes of the longest word */
    int64_t word_line; /* of the first word, for messages; 0: none */
    hsp_profile_place first_missing;
    int64_t word_bytes; /* that the dictionary takes */
} hsp_profile;

/* Profiles all columns: *out has f->schema.d entries. text[j]: column j is text, whose words are not collected; NULL: none
 * is. levels[j]: its numbers may be levels, so distinct ones are counted, which takes time; NULL: all are. */
typedef struct hsp_profile_request {
    const hsp_frame *f;
    const bool *text, *levels;
    bool canonical; /* words are counted in canonical spelling, as models up to format 4 need it */
    bool exact;     /* means are of exact sums, so that they do not depend on how rows are grouped */
} hsp_profile_request;
/* Of rows that are not in memory: HSP_EMEMORY if the dictionaries take more than the frame's budget. */
int hsp_profile_table(const hsp_profile_request *q, int threads, hsp_profile **out, hsp_error **err);
void hsp_profiles_free(hsp_profile *p, int64_t d); /* NULL is allowed */
/* Distinct words. */
int64_t hsp_profile_levels(const hsp_profile *p);

#endif
