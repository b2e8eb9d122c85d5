/* The state of a text column, and its form in a model. */
#ifndef HSP_TABLE_TEXT_STATE_H
#define HSP_TABLE_TEXT_STATE_H

#include "base/json.h"
#include "base/json_read.h"
#include "table/vocabulary.h"

typedef struct hsp_text_state {
    hsp_text_value value;
    hsp_vocabulary v;
} hsp_text_state;

/* Features of the column: n-grams, or all buckets. */
static inline int64_t hsp_text_features(const hsp_vocabulary *v) {
    return v->bits ? INT64_C(1) << v->bits : v->count;
}

/* The members of the column's object. */
void hsp_text_state_save(const hsp_text_state *s, hsp_json *j);
/* Reads them back, with at most `room` features. Clear the vocabulary also after a failure. */
int hsp_text_state_load(const hsp_json_loader *l, int64_t room, hsp_text_state *out);

#endif
