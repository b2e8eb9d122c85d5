#include "read/read_table.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "data/features.h"
#include "data/schema.h"
#include "data/unseen_levels.h"
#include "option/options.h"
#include "table/blank_words.h"
#include "table/encoding.h"
#include "table/kind.h"
#include "table/rules.h"
#include "table/unseen.h"

#include <string.h>

/* Drops the rows that have a missing value, if the rules say so. */
static int drop_rows(hsp_frame *f, const hsp_table_rules *r, int64_t *dropped, hsp_error **err) {
    int64_t before = f->dropped; /* those without a label */
    *dropped = before;
    if (r->missing != HSP_MISSING_DROP) return HSP_OK;
    bool *counts = hsp_alloc(f->schema.d > 0 ? f->schema.d : 1, sizeof *counts);
    if (!counts) return hsp_fail_memory(err);
    for (int64_t j = 0; j < f->schema.d; j++) counts[j] = !r->kind[j] || !r->kind[j]->left_out;
    int status = hsp_frame_drop_missing(f, counts, dropped, err);
    *dropped += before;
    hsp_free(counts);
    return status;
}

static int learn_encoding(hsp_frame *f, const hsp_options *o, const char *file, int threads, int64_t *dropped,
                          hsp_encoding **out, hsp_error **err) {
    hsp_table_rules rules = {0};
    int status = hsp_table_rules_make(o, &f->schema, file, &rules, err);
    if (!status) status = hsp_blank_words_drop(f, &rules, err);
    if (!status) status = drop_rows(f, &rules, dropped, err);
    if (!status && f->n == 0 && *dropped > 0)
        status = hsp_fail_file(
            err, file, "every row has a missing value, so no row is left: use --missing mean, or --ignore a column");
    rules.lenient = true; /* data->refusal stops training only; other uses of the data go on */
    if (!status) status = hsp_encoding_learn(f, &rules, threads, out, err);
    hsp_table_rules_clear(&rules);
    return status;
}

/* All columns are numeric: the data is not a table. */
static int make_plain(const hsp_frame *f, hsp_data *data, hsp_error **err) {
    hsp_schema schema = {0};
    int status = hsp_schema_copy(&f->schema, &schema, err);
    if (status) return status;
    schema.table = false;
    hsp_schema_clear(&data->schema);
    data->schema = schema;
    return HSP_OK;
}

/* Adds the reader's line. It counts columns, which are called features when all are numeric. */
static void add_assumed(const hsp_encoding *e, const char *assumed, hsp_text *t) {
    const char *word = hsp_encoding_plain(e) ? strstr(assumed, " column") : NULL;
    while (word && (word == assumed || word[-1] < '0' || word[-1] > '9')) word = strstr(word + 1, " column");
    hsp_text_add_n(t, assumed, word ? word - assumed : (int64_t)strlen(assumed));
    if (!word) return;
    hsp_text_add(t, " feature");
    hsp_text_add(t, word + strlen(" column"));
}

static int describe_assumed(const hsp_encoding *e, const char *assumed, const hsp_data *data, char **out, hsp_error **err) {
    hsp_text t = {0};
    add_assumed(e, assumed ? assumed : "", &t);
    if (data->dropped_rows > 0)
        hsp_text_format(&t, ", %lld row%s with missing values dropped", (long long)data->dropped_rows,
                        data->dropped_rows == 1 ? "" : "s");
    if (data->unseen.filled > 0 && !e->unasked)
        hsp_text_format(&t, ", %lld missing value%s filled", (long long)data->unseen.filled,
                        data->unseen.filled == 1 ? "" : "s");
    if (!hsp_encoding_plain(e)) {
        hsp_text_add(&t, ": ");
        hsp_encoding_describe(e, &t);
    }
    return hsp_text_take(&t, out, err);
}

static int keep_encoding(hsp_encoding *e, hsp_frame **frame, bool learnt, hsp_data *data, hsp_error **err) {
    if (learnt && e->note && !(data->notes = hsp_strdup(e->note))) return hsp_fail_memory(err);
    if (learnt && e->refusal && !(data->refusal = hsp_strdup(e->refusal))) return hsp_fail_memory(err);
    data->incomplete = learnt && e->incomplete;
    /* spellings of missing values apply to new rows too, even if the training rows have none */
    if (hsp_encoding_plain(e) && learnt && !(*frame)->schema.missing && !(*frame)->schema.sign)
        return make_plain(*frame, data, err);
    data->features = hsp_features_hold(&e->features);
    data->learnt_here = learnt;
    data->frame = *frame;
    *frame = NULL;
    return HSP_OK;
}

/* Encodes the frame, and moves to the data what training had not seen. */
static int encode_table(const hsp_encoding *e, const hsp_frame *frame, const hsp_builder_rules *rules, hsp_unseen *unseen,
                        int threads, hsp_data **out, hsp_error **err) {
    int status = hsp_encode_frame(e, frame, rules, threads, out, unseen, err);
    if (!status)
        hsp_unseen_move(unseen, &(*out)->unseen);
    else
        hsp_unseen_clear(unseen);
    return status;
}

int hsp_read_table(hsp_frame **frame, const hsp_options *o, const hsp_read_for *model, const hsp_builder_rules *rules,
                   const char *assumed, hsp_data **out, hsp_error **err) {
    int threads = hsp_pool_threads(hsp_options_int(o, "threads", 0));
    hsp_encoding *e = model ? model->encoding : NULL;
    hsp_unseen unseen = {0};
    hsp_data *data = NULL;
    int64_t dropped = 0;
    bool learnt = !model, *by_value = NULL;
    *out = NULL;
    int status = learnt ? learn_encoding(*frame, o, rules->file, threads, &dropped, &e, err)
                        : drop_rows(*frame, &e->rules, &dropped, err);
    hsp_builder_rules own = *rules;
    own.in_column = true;
    own.bare = !status && e->refusal;
    if (!status && !learnt) status = hsp_unseen_by_value(o, e, rules->file, &by_value, err);
    unseen.by_value = by_value;
    if (!status) status = encode_table(e, *frame, &own, &unseen, threads, &data, err);
    if (!status) {
        data->dropped_rows = dropped;
        status = describe_assumed(e, assumed, data, &data->assumed, err);
    }
    if (!status && !learnt) status = hsp_unseen_check(&data->unseen, &e->raw, o, rules->file, err);
    if (!status) status = keep_encoding(e, frame, learnt, data, err);
    if (learnt) hsp_encoding_release(e);
    hsp_free(by_value);
    if (status)
        hsp_data_free(data);
    else
        *out = data;
    return status;
}
