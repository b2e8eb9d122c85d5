/* The container file: a magic line, a readable JSON header, little-endian arrays on 64-byte boundaries, and a checksum.
 *
 *   halfspace KIND VERSION header HHHHHHHHHHHH total TTTTTTTTTTTTTTT\n     H: bytes of the header, T: of the whole file
 *   { ... }                       JSON, one line for each of its members, padded with blanks and a line end to 64 bytes
 *   arrays                        each at the next 64-byte boundary, zeros between, in the order of the directory
 *   8 bytes                       XXH3-64, little-endian
 *
 * The last member of the header is the directory: "arrays": [{"name", "dtype", "shape": [rows, columns], "offset"}], with
 * offsets from the end of the header. The layout is canonical: a reader rejects any other.
 *
 * In a packed file the checksum covers everything before it. A sealed file can be opened without reading its arrays: its
 * last array, "digests", holds the XXH3-64 of every 4 MiB of the arrays before it (padding included, the last piece
 * shorter), and the checksum covers magic line, header and digests. */
#ifndef HSP_BASE_CONTAINER_H
#define HSP_BASE_CONTAINER_H

#include "base/file.h"
#include "base/map.h"
#include "base/text.h"
#include "halfspace.h"

struct hsp_json_value;

/* Types of arrays in addition to those of hsp_dtype. */
enum { HSP_CONTAINER_UINT8 = 101, HSP_CONTAINER_UINT16 = 102 };

typedef struct hsp_container_array {
    const char *name;
    int32_t dtype;    /* HSP_FLOAT64, ... */
    int64_t shape[2]; /* the second is 1 for a vector */
    const void *data;
} hsp_container_array;

/* What a reader expects, and the words of its messages. */
typedef struct hsp_container_kind {
    const char *name;   /* KIND in the magic line */
    int version;        /* the newest that this code reads */
    const char *noun;   /* "is not a halfspace NOUN ... */
    const char *writer; /* ... : WRITER writes them" */
} hsp_container_kind;

/* header: a JSON object, to which the directory is added. The caller frees *bytes. */
int hsp_container_pack(const char *kind, int version, const char *header, const hsp_container_array *arrays, int64_t count,
                       void **bytes, int64_t *size, hsp_error **err);

/* Writes a sealed file; the arrays are not copied. pitch: of each array the bytes in memory from one row to the next, 0:
 * contiguous; NULL: all are contiguous. map: that the arrays are in, whose pages are not needed once they are written; NULL:
 * none. */
int hsp_container_write(const char *kind, int version, const char *header, const hsp_container_array *arrays,
                        const int64_t *pitch, int64_t count, const hsp_map *map, hsp_out *out, hsp_error **err);

typedef struct hsp_container {
    int version;
    char *header;                /* JSON text, owned */
    struct hsp_json_value *json; /* the same, parsed; owned */
    hsp_container_array *arrays; /* owned; names borrowed from json, data from the caller's bytes (aligned to 64 bytes if
                                    those are) */
    int64_t count;
    /* sealed files only */
    const char *body; /* borrowed: the bytes that the digests cover */
    int64_t body_size;
    const void *digests; /* borrowed: one for each piece */
} hsp_container;

/* Checks magic line, version, checksum and every bound. `name` is for errors. */
int hsp_container_unpack(const hsp_container_kind *kind, const void *bytes, int64_t size, const char *name,
                         hsp_container *out, hsp_error **err);
/* The same for a sealed file: reads only the header and the digests, which are not listed in `arrays`. */
int hsp_container_open(const hsp_container_kind *kind, const void *bytes, int64_t size, const char *name,
                       hsp_container *out, hsp_error **err);
/* Checks the arrays of a sealed file against their digests. */
int hsp_container_check(const hsp_container *c, const char *name, int threads, hsp_error **err);
/* The same of the pieces of HSP_CONTAINER_PIECE bytes of the body from number `from` to `to`. */
enum { HSP_CONTAINER_PIECE = 1 << 22 };
int hsp_container_check_pieces(const hsp_container *c, int64_t from, int64_t to, const char *name, int threads,
                               hsp_error **err);
/* NULL when absent or of another type. */
const hsp_container_array *hsp_container_find(const hsp_container *c, const char *name, int32_t dtype);
void hsp_container_clear(hsp_container *c);

#endif
