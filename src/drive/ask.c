/* A round: one request, and the sum of the replies of all parts. */
#include "base/error.h"
#include "base/memory.h"
#include "drive/drive.h"
#include "part/reply.h"
#include "part/request.h"
#include "part/tree.h"
#include "part/wire.h"

/* What an engine says of its failure. */
static int explain(const hsp_engine *e, int status, const char *why, hsp_error **err) {
    if (status > 0 || status < HSP_EINTERNAL) status = HSP_EIO;
    if (status == HSP_EMEMORY && !*why) return hsp_fail_memory(err);
    return hsp_fail(err, status, "%s", *why ? why : e->name ? "the engine of the parts failed and gave no reason: see its log"
                                                            : "the engine failed");
}

static int take_reply(hsp_drive *d, const hsp_request *q, uint64_t asked, const void *bytes, size_t size, hsp_error **err) {
    int status = hsp_reply_read(bytes, size, &d->reply, err);
    if (status) return status;
    if (d->reply.ask != (int64_t)q->ask || d->reply.asked != asked)
        return hsp_fail(err, HSP_EINPUT, "the engine gave a reply to another request: ask the parts in turn");
    if (d->reply.fault.code) return hsp_reply_raise(&d->reply, err);
    const hsp_tree *t = &d->reply.tree;
    int64_t blocks = d->agreed.blocks > 0 ? d->agreed.blocks : t->count > 0 ? hsp_tree_end(&t->node[t->count - 1]) : 0;
    if (blocks == 0) return hsp_fail(err, HSP_EINPUT, "the parts have no rows: training needs data");
    d->agreed.blocks = blocks;
    return hsp_tree_root(&d->reply.tree, blocks, &d->sums, err);
}

int hsp_drive_ask(hsp_drive *d, hsp_request *q, hsp_error **err) {
    void *bytes = NULL;
    const void *reply = NULL;
    size_t size, reply_size = 0;
    char why[HSP_WHY_SIZE] = "";
    hsp_message m;
    q->rows = d->rows;
    hsp_reply_clear(&d->reply);
    d->sums = NULL;
    int status = hsp_request_write(q, &bytes, &size, err);
    if (status) return status;
    status = hsp_message_read(bytes, size, HSP_WIRE_REQUEST, &m, err);
    uint64_t asked = m.checksum;
    if (!status) {
        hsp_message_clear(&m);
        status = d->engine->ask(d->engine->user, bytes, size, &reply, &reply_size, why);
        why[HSP_WHY_SIZE - 1] = 0;
        if (status) status = explain(d->engine, status, why, err);
    }
    hsp_free(bytes);
    d->rounds++;
    return status ? status : take_reply(d, q, asked, reply, reply_size, err);
}
