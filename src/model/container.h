/* The container file: a magic line, a JSON header that a person can read with `head`, little-endian arrays on 64-byte
 * boundaries, and an XXH3-64 of everything before it. Models use it now; data caches will. */
#ifndef HSP_MODEL_CONTAINER_H
#define HSP_MODEL_CONTAINER_H

#include "base/text.h"

typedef struct hsp_container_array {
    const char *name;
    int32_t dtype;          /* HSP_FLOAT64, ... */
    int64_t shape[2];       /* 1 for a missing second dimension */
    const void *data;
} hsp_container_array;

/* header is a JSON object; the array directory is added to it. kind: "model". */
int hsp_container_pack(const char *kind, int version, const char *header, const hsp_container_array *arrays, int64_t count,
                       void **bytes, int64_t *size, hsp_error **err);

typedef struct hsp_container {
    int version;
    char *header;           /* JSON text, owned */
    hsp_container_array *arrays; /* names owned; data points into the caller's bytes, aligned or not: copy it out */
    int64_t count;
} hsp_container;

/* Checks magic, version, checksum and every bound before anything is believed. `name` is for errors. */
int hsp_container_unpack(const char *kind, const void *bytes, int64_t size, const char *name, hsp_container *out,
                         hsp_error **err);
/* NULL when absent or of another type. */
const hsp_container_array *hsp_container_find(const hsp_container *c, const char *name, int32_t dtype);
void hsp_container_clear(hsp_container *c);

#endif
