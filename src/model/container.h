/* The container file: a magic line, a JSON header that a person can read with `head`, little-endian arrays on 64-byte
 * boundaries, and an XXH3-64 of everything before it. Models use it now; data caches will.
 *
 *   halfspace KIND VERSION header HHHHHHHHHHHH total TTTTTTTTTTTTTTT\n     H: bytes of the header, T: of the whole file
 *   { ... }                       JSON, one line for each of its members, padded with blanks and a line end to 64 bytes
 *   arrays                        each at the next 64-byte boundary, zeros between, in the order of the directory
 *   8 bytes                       XXH3-64 of all before, little-endian
 *
 * The last member of the header is the directory: "arrays": [{"name", "dtype", "shape": [rows, columns], "offset"}], with
 * offsets from the end of the header. There is one way only to lay a file out; a reader accepts no other. */
#ifndef HSP_MODEL_CONTAINER_H
#define HSP_MODEL_CONTAINER_H

#include "base/text.h"

struct json_t; /* Jansson's */

typedef struct hsp_container_array {
    const char *name;
    int32_t dtype;    /* HSP_FLOAT64, ... */
    int64_t shape[2]; /* 1 for a missing second dimension */
    const void *data;
} hsp_container_array;

/* header is a JSON object; the array directory is added to it. kind: "model". */
int hsp_container_pack(const char *kind, int version, const char *header, const hsp_container_array *arrays, int64_t count,
                       void **bytes, int64_t *size, hsp_error **err);

typedef struct hsp_container {
    int version;
    char *header;        /* JSON text, owned */
    struct json_t *json; /* the same, parsed; owned */
    hsp_container_array
        *arrays; /* names borrowed from json; data points into the caller's bytes, aligned or not: copy it */
    int64_t count;
} hsp_container;

/* Checks magic, version (at most `version`), checksum and every bound before anything is believed. `name` is for errors. */
int hsp_container_unpack(const char *kind, int version, const void *bytes, int64_t size, const char *name,
                         hsp_container *out, hsp_error **err);
/* NULL when absent or of another type. */
const hsp_container_array *hsp_container_find(const hsp_container *c, const char *name, int32_t dtype);
/* The text of a member of the header exactly as it was written, its length in *n; NULL when absent. Borrowed. */
const char *hsp_container_raw(const hsp_container *c, const char *key, int64_t *n);
void hsp_container_clear(hsp_container *c);

#endif
