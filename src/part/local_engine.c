/* The embedded engine: parts of this process. */
#include "base/error.h"
#include "base/memory.h"
#include "part/part.h"

#include <stdio.h>

typedef struct local_engine {
    hsp_engine engine; /* first */
    hsp_part **parts;  /* owned array of borrowed parts */
    int64_t count;
    void *reply; /* owned: the last */
} local_engine;

static int ask_parts(local_engine *l, const void *request, size_t request_size, size_t *size, hsp_error **err) {
    int status = HSP_OK;
    for (int64_t k = 0; !status && k < l->count; k++) {
        void *reply = NULL, *sum = NULL;
        size_t reply_size, sum_size;
        status = hsp_part_answer(l->parts[k], request, request_size, &reply, &reply_size, err);
        if (!status && l->reply) {
            status = hsp_reply_add(l->reply, *size, reply, reply_size, &sum, &sum_size, err);
            HSP_FREE(reply, l->reply);
            reply = sum;
            reply_size = status ? 0 : sum_size;
        }
        l->reply = reply;
        *size = status ? 0 : reply_size;
    }
    return status;
}

static int ask(void *user, const void *request, size_t request_size, const void **reply, size_t *reply_size, char *why) {
    local_engine *l = user;
    hsp_error *err = NULL;
    hsp_free(l->reply);
    l->reply = NULL;
    *reply_size = 0;
    int status = ask_parts(l, request, request_size, reply_size, &err);
    *reply = l->reply;
    if (status) snprintf(why, HSP_WHY_SIZE, "%s", hsp_error_message(err));
    hsp_error_free(err);
    return status;
}

int hsp_engine_local(hsp_part *const *parts, int64_t count, hsp_engine **out, hsp_error **err) {
    *out = NULL;
    if (count < 1) return hsp_fail(err, HSP_EUSAGE, "an engine needs a part: give at least one");
    local_engine *l = hsp_alloc_zero(1, sizeof *l);
    if (!l || HSP_COPY(l->parts, parts, count)) {
        hsp_free(l);
        return hsp_fail_memory(err);
    }
    l->count = count;
    l->engine = (hsp_engine){.size = sizeof(hsp_engine), .user = l, .ask = ask, .name = "memory", .parts = count};
    *out = &l->engine;
    return HSP_OK;
}

void hsp_engine_free(hsp_engine *engine) {
    if (!engine) return;
    local_engine *l = engine->user;
    HSP_FREE(l->parts, l->reply, l);
}
