/* Requests and replies as bytes: a header, then fields of numbers, whole numbers or bytes, each with a tag. They come from
 * other processes, so a reader checks everything before anything is used or allocated. Little-endian, multiples of 8 bytes:
 *
 *     8 bytes   magic and version of the format
 *     8         bytes of the whole
 *     8         XXH3-64 of all that follows
 *     8         kind of the message
 *     fields    tag, type and count (8 bytes each), then the values, padded with zeros to 8 bytes
 */
#ifndef HSP_PART_WIRE_H
#define HSP_PART_WIRE_H

#include "halfspace.h"

#include <stdbool.h>
#include <stdint.h>

#define HSP_WIRE_REQUEST "hspask1\n"
#define HSP_WIRE_REPLY "hspsum1\n"

typedef enum hsp_wire_type { HSP_WIRE_NUMBERS = 1, HSP_WIRE_WHOLE = 2, HSP_WIRE_BYTES = 3 } hsp_wire_type;

/* A message that is being written. A failure is kept until the end. */
typedef struct hsp_wire {
    char *bytes; /* owned */
    int64_t size, capacity;
    bool failed;
} hsp_wire;

void hsp_wire_begin(hsp_wire *w, const char *magic, int64_t kind);
void hsp_wire_put(hsp_wire *w, int64_t tag, hsp_wire_type type, const void *values, int64_t count);
/* Room for numbers that the caller fills in, valid until the next call; NULL: memory ran out. */
double *hsp_wire_room(hsp_wire *w, int64_t tag, int64_t count);
/* Sets size and checksum and hands the bytes over; the writer is empty afterwards, also after a failure. */
int hsp_wire_take(hsp_wire *w, void **bytes, size_t *size, hsp_error **err);
void hsp_wire_drop(hsp_wire *w);

enum { HSP_WIRE_FIELDS = 32 };

typedef struct hsp_wire_field {
    int64_t tag, count;
    hsp_wire_type type;
    const void *values; /* in the message */
} hsp_wire_field;

/* A message that was read. Its bytes are borrowed, or copied where they were not aligned. */
typedef struct hsp_message {
    int64_t kind;
    uint64_t checksum; /* of the message: what tells two requests apart */
    int64_t fields;
    hsp_wire_field field[HSP_WIRE_FIELDS];
    void *copy; /* owned, or NULL */
} hsp_message;

/* HSP_EINPUT: the bytes are no such message, or damaged. Clear it after a success. */
int hsp_message_read(const void *bytes, size_t size, const char *magic, hsp_message *out, hsp_error **err);
void hsp_message_clear(hsp_message *m);
/* The values of a field and their count; NULL and 0: it is absent or of another type. */
const double *hsp_message_numbers(const hsp_message *m, int64_t tag, int64_t *count);
const int64_t *hsp_message_whole(const hsp_message *m, int64_t tag, int64_t *count);
const char *hsp_message_bytes(const hsp_message *m, int64_t tag, int64_t *count);
/* The values if there are exactly `count` of them, else NULL. */
const double *hsp_message_exactly(const hsp_message *m, int64_t tag, int64_t count);
/* A text without zeros in it, as a new string; *out is NULL if the field is absent. 0, HSP_EINPUT or HSP_EMEMORY. */
int hsp_message_text(const hsp_message *m, int64_t tag, char **out, hsp_error **err);
/* Texts, each followed by a zero: the names, of which there are `count`; borrowed. HSP_EINPUT: they are not so many. */
int hsp_message_names(const hsp_message *m, int64_t tag, int64_t count, const char **names, hsp_error **err);

#endif
