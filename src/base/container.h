/* The container file: a magic line, a JSON header that a person can read with `head`, little-endian arrays on 64-byte
 * boundaries, and a checksum.
 *
 *   halfspace KIND VERSION header HHHHHHHHHHHH total TTTTTTTTTTTTTTT\n     H: bytes of the header, T: of the whole file
 *   { ... }                       JSON, one line for each of its members, padded with blanks and a line end to 64 bytes
 *   arrays                        each at the next 64-byte boundary, zeros between, in the order of the directory
 *   8 bytes                       XXH3-64, little-endian
 *
 * The last member of the header is the directory: "arrays": [{"name", "dtype", "shape": [rows, columns], "offset"}], with
 * offsets from the end of the header. There is one way only to lay a file out; a reader accepts no other.
 *
 * Of a packed file the checksum is of everything before it. A file may be sealed instead, so that it can be opened without
 * being read: its last array, "digests", holds the XXH3-64 of every 4 MiB of the arrays before it (zeros between them
 * included, the last piece shorter), and the checksum is of magic line, header and digests. */
#ifndef HSP_BASE_CONTAINER_H
#define HSP_BASE_CONTAINER_H

#include "base/file.h"
#include "base/text.h"
#include "halfspace.h"

struct json_t; /* Jansson's */

/* Types of arrays beyond those of hsp_dtype. */
enum { HSP_CONTAINER_UINT8 = 101, HSP_CONTAINER_UINT16 = 102 };

typedef struct hsp_container_array {
    const char *name;
    int32_t dtype;    /* HSP_FLOAT64, ... */
    int64_t shape[2]; /* 1 for a missing second dimension */
    const void *data;
} hsp_container_array;

/* What a reader expects; the words are those of its messages. */
typedef struct hsp_container_kind {
    const char *name;   /* KIND in the magic line */
    int version;        /* the newest that can be read */
    const char *noun;   /* "is not a halfspace NOUN ... */
    const char *writer; /* ... : WRITER writes them" */
} hsp_container_kind;

/* header is a JSON object; the array directory is added to it. */
int hsp_container_pack(const char *kind, int version, const char *header, const hsp_container_array *arrays, int64_t count,
                       void **bytes, int64_t *size, hsp_error **err);

/* The sealed form, passed on piece by piece: nothing is copied. pitch: for each array the bytes in memory from one of its
 * rows to the next, 0 when they follow one another; or NULL, when all do. */
int hsp_container_write(const char *kind, int version, const char *header, const hsp_container_array *arrays,
                        const int64_t *pitch, int64_t count, hsp_out *out, hsp_error **err);

typedef struct hsp_container {
    int version;
    char *header;                /* JSON text, owned */
    struct json_t *json;         /* the same, parsed; owned */
    hsp_container_array *arrays; /* names borrowed from json; data points into the caller's bytes, aligned as those are: on
                                    64 bytes at best */
    int64_t count;
    /* sealed files only */
    const char *body; /* what the digests are of ... */
    int64_t body_size;
    const void *digests; /* ... and these, one for each piece */
} hsp_container;

/* Checks magic, version, checksum and every bound before anything is believed. `name` is for errors. */
int hsp_container_unpack(const hsp_container_kind *kind, const void *bytes, int64_t size, const char *name,
                         hsp_container *out, hsp_error **err);
/* The same of a sealed file: looks at the header and the digests alone. The array "digests" is left out of `arrays`. */
int hsp_container_open(const hsp_container_kind *kind, const void *bytes, int64_t size, const char *name,
                       hsp_container *out, hsp_error **err);
/* Holds the arrays of a sealed file against their digests. */
int hsp_container_check(const hsp_container *c, const char *name, int threads, hsp_error **err);
/* NULL when absent or of another type. */
const hsp_container_array *hsp_container_find(const hsp_container *c, const char *name, int32_t dtype);
/* The text of a member of the header exactly as it was written, its length in *n; NULL when absent. Borrowed. */
const char *hsp_container_raw(const hsp_container *c, const char *key, int64_t *n);
void hsp_container_clear(hsp_container *c);

#endif
