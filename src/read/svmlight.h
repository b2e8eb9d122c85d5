/* What the files of the svmlight reader share. */
#ifndef HSP_READ_SVMLIGHT_H
#define HSP_READ_SVMLIGHT_H

#include "base/text.h"
#include "data/schema.h"
#include "halfspace.h"
#include "read/reader.h"

#define HSP_SVMLIGHT_ID_LIMIT INT32_MAX

/* How the base, the id of the first feature, is determined. */
typedef enum hsp_svmlight_base {
    HSP_BASE_GIVEN,    /* by option or model: a smaller id is an error */
    HSP_BASE_FOUND,    /* 0 when an id 0 occurs anywhere, else 1 */
    HSP_BASE_BEGINNING /* for a model without a base: found at the start of the file, then fixed */
} hsp_svmlight_base;

struct hsp_reader {
    hsp_chunks chunks;
    /* set when the reader is opened; parsing uses only these */
    const char *file;
    hsp_svmlight_base rule;
    bool by_model;    /* the base was given by the model, not by an option */
    bool by_position; /* the model's columns have names instead of ids */
    bool weighted;    /* weights are read; otherwise their entries are skipped, as in training */
    int64_t lowest;   /* the smallest id that is accepted */
    int64_t weight;   /* the id that holds the weight of the row; -1: none */
    int64_t known_d;  /* features of the model; 0: no model */
    /* updated in the order of the file */
    hsp_schema schema;
    hsp_text assumed;
    bool labelled; /* as the first row */
    int64_t first; /* line of the first row, 0: none yet */
    int64_t rows, min_id, max_id, duplicates, queries;
};

/* Where a piece is being parsed. */
typedef struct hsp_svmlight_at {
    const hsp_reader *r;
    const char *begin; /* of the current line ... */
    int64_t line;      /* ... and its number */
    hsp_error **err;   /* NULL: no message; the piece is parsed again for it */
} hsp_svmlight_at;

static inline bool hsp_svmlight_is_blank(char c) {
    return c == ' ' || c == '\t';
}
/* A line end also follows each piece, so loops that stop at line ends stay inside. */
static inline bool hsp_svmlight_is_line_end(char c) {
    return c == '\n' || c == '\r';
}

/* As hsp_reader_kind's parse. */
void hsp_svmlight_parse(const hsp_reader *r, hsp_parcel *p, int64_t line, hsp_error **err);

/* ---- faults of a row: the status, and a message unless err is NULL ---- */

int hsp_svmlight_fail_nul(const hsp_svmlight_at *at, const char *p);
/* The text at p is not a pair id:value. */
int hsp_svmlight_fail_pair(const hsp_svmlight_at *at, const char *p);
int hsp_svmlight_fail_base(const hsp_svmlight_at *at, const char *p);
/* No number follows "qid:". */
int hsp_svmlight_fail_query(const hsp_svmlight_at *at, const char *p);
/* The sum of a feature's values is infinite. */
int hsp_svmlight_fail_sum(const hsp_svmlight_at *at, uint32_t id);
/* A row with a label among rows without, or the other way round. */
int hsp_svmlight_fail_label(const hsp_reader *r, int64_t line, int64_t column, bool labelled, hsp_error **err);
/* Weights: given twice (p: the second); below 0 (the value is p to end); missing. */
int hsp_svmlight_fail_second_weight(const hsp_svmlight_at *at, const char *p);
int hsp_svmlight_fail_weight(const hsp_svmlight_at *at, const char *p, const char *end);
int hsp_svmlight_fail_unweighted(const hsp_svmlight_at *at);

#endif
