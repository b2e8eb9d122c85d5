#include "base/json.h"
#include "base/json_read.h"
#include "base/text.h"
#include "data/table_frame.h"
#include "table/kind.h"

static int learn(const hsp_frame *f, int64_t j, const hsp_profile *p, const hsp_table_rules *r, int threads,
                 hsp_table_column *c, hsp_error **err) {
    (void)f, (void)j, (void)p, (void)r, (void)threads, (void)err;
    c->features = 0;
    return HSP_OK;
}

static int64_t most(const hsp_table_column *c, int64_t length) {
    (void)c, (void)length;
    return 0;
}

static int encode(const hsp_table_column *c, hsp_cell cell, hsp_encode_room *room, hsp_emit *out, hsp_strange *strange) {
    (void)c, (void)cell, (void)room, (void)out, (void)strange;
    return HSP_OK;
}

static void encode_missing(const hsp_table_column *c, hsp_emit *out) {
    (void)c, (void)out;
}

static void feature(const hsp_table_column *c, int64_t k, hsp_text *t) {
    (void)c, (void)k, (void)t;
}

static void save(const hsp_table_column *c, hsp_json *j) {
    (void)c, (void)j;
}

static int load(const hsp_json_loader *l, int64_t room, hsp_table_column *c) {
    (void)l, (void)room;
    c->features = 0;
    return HSP_OK;
}

static void release(hsp_table_column *c) {
    (void)c;
}

const hsp_kind hsp_kind_ignored = {.name = "ignored",
                                   .help = "left out: all values are missing, or all differ",
                                   .learn = learn,
                                   .most = most,
                                   .encode = encode,
                                   .encode_missing = encode_missing,
                                   .feature = feature,
                                   .save = save,
                                   .load = load,
                                   .free = release};
