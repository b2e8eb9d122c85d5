/* The bytes of requests and replies. */
#include "part/wire.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/level.h"

#include <string.h>

enum { MAGIC = 8, SIZE_AT = 8, SUM_AT = 16, KIND_AT = 24, FIRST = 32, FIELD = 24 };

static int64_t padded(int64_t bytes) {
    return (bytes + 7) / 8 * 8;
}

static int64_t bytes_of(hsp_wire_type type, int64_t count) {
    return type == HSP_WIRE_BYTES ? count : count * 8;
}

static uint64_t checksum_of(const char *bytes, int64_t size) {
    const hsp_level *level = hsp_level_now();
    hsp_hash_stream s;
    level->hash.open(&s);
    level->hash.add(&s, bytes, (size_t)size);
    return level->hash.close(&s);
}

/* ---- writing ---- */

static char *grow(hsp_wire *w, int64_t more) {
    if (w->failed) return NULL;
    if (hsp_reserve((void **)&w->bytes, &w->capacity, w->size + more, 1)) {
        w->failed = true;
        return NULL;
    }
    char *at = w->bytes + w->size;
    w->size += more;
    return at;
}

void hsp_wire_begin(hsp_wire *w, const char *magic, int64_t kind) {
    *w = (hsp_wire){0};
    char *at = grow(w, FIRST);
    if (!at) return;
    memset(at, 0, FIRST);
    memcpy(at, magic, MAGIC);
    memcpy(at + KIND_AT, &kind, sizeof kind);
}

static void *add_field(hsp_wire *w, int64_t tag, hsp_wire_type type, int64_t count) {
    int64_t head[3] = {tag, (int64_t)type, count}, bytes = bytes_of(type, count), space = padded(bytes);
    char *at = grow(w, FIELD + space);
    if (!at) return NULL;
    memcpy(at, head, sizeof head);
    if (space > bytes) memset(at + FIELD + bytes, 0, (size_t)(space - bytes));
    return at + FIELD;
}

void hsp_wire_put(hsp_wire *w, int64_t tag, hsp_wire_type type, const void *values, int64_t count) {
    void *at = add_field(w, tag, type, count);
    if (at && count > 0) memcpy(at, values, (size_t)bytes_of(type, count));
}

double *hsp_wire_room(hsp_wire *w, int64_t tag, int64_t count) {
    return add_field(w, tag, HSP_WIRE_NUMBERS, count);
}

int hsp_wire_take(hsp_wire *w, void **bytes, size_t *size, hsp_error **err) {
    *bytes = NULL;
    *size = 0;
    if (w->failed) {
        hsp_wire_drop(w);
        return hsp_fail_memory(err);
    }
    uint64_t sum = checksum_of(w->bytes + KIND_AT, w->size - KIND_AT);
    memcpy(w->bytes + SIZE_AT, &w->size, sizeof w->size);
    memcpy(w->bytes + SUM_AT, &sum, sizeof sum);
    *bytes = w->bytes;
    *size = (size_t)w->size;
    *w = (hsp_wire){0};
    return HSP_OK;
}

void hsp_wire_drop(hsp_wire *w) {
    hsp_free(w->bytes);
    *w = (hsp_wire){0};
}

/* ---- reading ---- */

static int refuse(hsp_error **err, const char *why) {
    return hsp_fail(err, HSP_EINPUT, "a request or reply of parts %s: use one version of Halfspace on all machines", why);
}

static int read_fields(const char *bytes, int64_t size, hsp_message *m, hsp_error **err) {
    for (int64_t at = FIRST; at < size;) {
        if (m->fields == HSP_WIRE_FIELDS) return refuse(err, "has too many fields");
        if (size - at < FIELD) return refuse(err, "ends too early");
        int64_t head[3], rest = size - at - FIELD;
        memcpy(head, bytes + at, sizeof head);
        if (head[1] < HSP_WIRE_NUMBERS || head[1] > HSP_WIRE_BYTES) return refuse(err, "has a field of an unknown type");
        hsp_wire_type type = (hsp_wire_type)head[1];
        if (head[2] < 0 || head[2] > rest / bytes_of(type, 1) || padded(bytes_of(type, head[2])) > rest)
            return refuse(err, "ends too early");
        for (int64_t k = 0; k < m->fields; k++)
            if (m->field[k].tag == head[0]) return refuse(err, "has the same field twice");
        m->field[m->fields++] = (hsp_wire_field){head[0], head[2], type, bytes + at + FIELD};
        at += FIELD + padded(bytes_of(type, head[2]));
    }
    return HSP_OK;
}

int hsp_message_read(const void *bytes, size_t size, const char *magic, hsp_message *out, hsp_error **err) {
    *out = (hsp_message){0};
    const char *from = bytes;
    int64_t stated, n = (int64_t)size;
    if (!bytes || size < FIRST || size % 8 != 0 || size > INT64_MAX / 2) return refuse(err, "is too short");
    if (memcmp(from, magic, MAGIC) != 0) return refuse(err, "is of another kind or version");
    memcpy(&stated, from + SIZE_AT, sizeof stated);
    memcpy(&out->checksum, from + SUM_AT, sizeof out->checksum);
    memcpy(&out->kind, from + KIND_AT, sizeof out->kind);
    if (stated != n) return refuse(err, "is not complete");
    if (checksum_of(from + KIND_AT, n - KIND_AT) != out->checksum) return refuse(err, "is damaged: its checksum differs");
    if ((uintptr_t)bytes % 8 != 0) { /* numbers are read in place */
        out->copy = hsp_alloc(n, 1);
        if (!out->copy) return hsp_fail_memory(err);
        memcpy(out->copy, bytes, size);
        from = out->copy;
    }
    int status = read_fields(from, n, out, err);
    if (status) hsp_message_clear(out);
    return status;
}

void hsp_message_clear(hsp_message *m) {
    hsp_free(m->copy);
    *m = (hsp_message){0};
}

static const void *find(const hsp_message *m, int64_t tag, hsp_wire_type type, int64_t *count) {
    *count = 0;
    for (int64_t k = 0; k < m->fields; k++) {
        if (m->field[k].tag != tag || m->field[k].type != type) continue;
        *count = m->field[k].count;
        return m->field[k].values;
    }
    return NULL;
}

const double *hsp_message_numbers(const hsp_message *m, int64_t tag, int64_t *count) {
    return find(m, tag, HSP_WIRE_NUMBERS, count);
}

const int64_t *hsp_message_whole(const hsp_message *m, int64_t tag, int64_t *count) {
    return find(m, tag, HSP_WIRE_WHOLE, count);
}

const char *hsp_message_bytes(const hsp_message *m, int64_t tag, int64_t *count) {
    return find(m, tag, HSP_WIRE_BYTES, count);
}

const double *hsp_message_exactly(const hsp_message *m, int64_t tag, int64_t count) {
    int64_t have;
    const double *v = hsp_message_numbers(m, tag, &have);
    return have == count ? v : NULL;
}

int hsp_message_text(const hsp_message *m, int64_t tag, char **out, hsp_error **err) {
    int64_t n;
    const char *s = hsp_message_bytes(m, tag, &n);
    *out = NULL;
    if (!s) return HSP_OK;
    if (memchr(s, 0, (size_t)n)) return refuse(err, "has a text with a zero in it");
    *out = hsp_strndup(s, (size_t)n);
    return *out ? HSP_OK : hsp_fail_memory(err);
}

int hsp_message_names(const hsp_message *m, int64_t tag, int64_t count, const char **names, hsp_error **err) {
    int64_t n, found = 0;
    const char *s = hsp_message_bytes(m, tag, &n), *end = s ? s + n : NULL;
    while (s && s < end && found < count) {
        const char *zero = memchr(s, 0, (size_t)(end - s));
        if (!zero) break;
        names[found++] = s;
        s = zero + 1;
    }
    return found == count && s == end ? HSP_OK : refuse(err, "has another number of names than it says");
}
