/* Tables by the Arrow C data interface: types of columns (arrow_type.c), the record batches of a stream (arrow_batches.c),
 * their checks (arrow_check.c), and their cells (arrow_cell.c, arrow_spell.c). arrow_table.h is the
 * table that they make, arrow_reader.c its reader. */
#ifndef HSP_READ_ARROW_H
#define HSP_READ_ARROW_H

#include "halfspace.h"

#include <stdbool.h>

/* ---- types ---- */

typedef enum hsp_arrow_kind {
    HSP_ARROW_OTHER, /* not supported */
    HSP_ARROW_NULL,
    HSP_ARROW_BOOL,
    HSP_ARROW_INT,
    HSP_ARROW_UINT,
    HSP_ARROW_FLOAT,
    HSP_ARROW_DECIMAL,
    HSP_ARROW_TEXT,
    HSP_ARROW_VIEW, /* of a text */
    HSP_ARROW_DATE,
    HSP_ARROW_TIME /* a timestamp */
} hsp_arrow_kind;

typedef struct hsp_arrow_type {
    hsp_arrow_kind kind;
    int bytes;        /* of a value; of texts: of an offset; 0: a bit, or nothing */
    int scale;        /* decimals: digits after the point */
    int64_t unit;     /* dates, timestamps: units in a day */
    bool zoned;       /* timestamps: they are moments in UTC, ... */
    int minutes;      /* ... spelt with this offset from it */
    const char *name; /* static, for messages; NULL: unknown */
} hsp_arrow_type;

/* A column. */
typedef struct hsp_arrow_column {
    hsp_arrow_type type;  /* of its values */
    bool coded;           /* cells are places in a dictionary of such values ... */
    hsp_arrow_type index; /* ... of this type */
} hsp_arrow_column;

/* The type of a column; HSP_ARROW_OTHER: it is not supported. */
void hsp_arrow_column_of(const struct ArrowSchema *schema, hsp_arrow_column *out);
/* Whether the column holds numbers. Truth values are none: as in a CSV file, they are words. */
bool hsp_arrow_is_number(const hsp_arrow_column *c);

/* ---- batches ---- */

/* The record batches of a stream. Their memory is borrowed from the producer until the release. */
typedef struct hsp_arrow_batches {
    struct ArrowSchema schema;
    struct ArrowArray *batch; /* owned, and each released */
    int64_t count, capacity;
    int64_t *first; /* owned: count + 1, the first row of each */
    int64_t first_capacity;
    int64_t columns;
    hsp_arrow_column *column; /* owned */
} hsp_arrow_batches;          /* {0} can be closed */

/* Takes all batches of the stream and releases it. Only the calling thread calls the producer: its functions may need a
 * lock that the caller holds. file: for errors. */
int hsp_arrow_batches_open(hsp_arrow_batches *b, struct ArrowArrayStream *stream, const char *file, hsp_error **err);
/* Releases the stream unless it is NULL or was released before. */
void hsp_arrow_stream_release(struct ArrowArrayStream *stream);
void hsp_arrow_batches_close(hsp_arrow_batches *b);
int64_t hsp_arrow_rows(const hsp_arrow_batches *b);
/* The batch of a row. */
int64_t hsp_arrow_batch_of(const hsp_arrow_batches *b, int64_t row);

/* ---- columns of a batch ---- */

/* Values in memory, which hsp_arrow_check has found to be readable. */
typedef struct hsp_arrow_values {
    const hsp_arrow_type *type;
    const struct ArrowArray *array;
    int64_t offset, length; /* of the values, in the buffers */
} hsp_arrow_values;

/* A column of one batch. */
typedef struct hsp_arrow_part {
    hsp_arrow_values cells;
    bool coded;
    hsp_arrow_values words; /* the dictionary, if `coded` */
} hsp_arrow_part;

hsp_arrow_part hsp_arrow_part_of(const hsp_arrow_batches *b, int64_t batch, int64_t column);

static inline bool hsp_arrow_bit(const void *bits, int64_t i) {
    return ((const uint8_t *)bits)[i / 8] >> (i % 8) & 1;
}

/* Whether value i is not null. */
static inline bool hsp_arrow_is_valid(const hsp_arrow_values *v, int64_t i) {
    if (v->type->kind == HSP_ARROW_NULL) return false;
    const void *bits = v->array->null_count == 0 ? NULL : v->array->buffers[0];
    return !bits || hsp_arrow_bit(bits, v->offset + i);
}

/* ---- checks ---- */

typedef enum hsp_arrow_fault {
    HSP_ARROW_SOUND,
    HSP_ARROW_LENGTH,     /* negative, or fewer values than rows */
    HSP_ARROW_BUFFERS,    /* a wrong number of buffers */
    HSP_ARROW_NO_BUFFER,  /* a buffer is NULL */
    HSP_ARROW_DICTIONARY, /* the dictionary is missing */
    HSP_ARROW_OFFSETS,    /* negative or decreasing offsets of texts, or views out of their buffers */
    HSP_ARROW_INDEX,      /* an index out of the dictionary */
    HSP_ARROW_NUL,        /* a text with a NUL */
    HSP_ARROW_LONG,       /* a text that is too long */
    HSP_ARROW_CALENDAR    /* a date out of the years 1 to 9999 */
} hsp_arrow_fault;

/* What a check of a column has found. */
typedef struct hsp_arrow_findings {
    hsp_arrow_fault fault; /* the first, ... */
    int64_t batch, row;    /* ... where it is: the row from 0, -1: the whole column of the batch */
    bool missing;          /* some cells are null or NaN */
    bool odd;              /* some numbers are infinite, or codes (hsp_number_is_code) */
} hsp_arrow_findings;

/* Checks column c of all batches: nothing is read that the lengths and counts of the interface do not cover. */
hsp_arrow_findings hsp_arrow_check(const hsp_arrow_batches *b, int64_t c);
/* HSP_EINPUT with what is wrong with the column of that name. */
int hsp_arrow_fail(const hsp_arrow_batches *b, int64_t c, const hsp_arrow_findings *found, const char *name,
                   const char *file, hsp_error **err);

/* ---- cells ---- */

/* The numbers of `count` rows from row `from` of the part, to to[0], to[step], ...; NaN: missing. For columns of numbers. */
void hsp_arrow_numbers(const hsp_arrow_part *p, int64_t from, int64_t count, double *to, int64_t step);

enum { HSP_ARROW_SPELT = 160 }; /* bytes for a value as text */
/* The text of a value, its length in *n: in the array, or in buf (HSP_ARROW_SPELT bytes) for what is not a text, numbers in
 * their shortest form. NULL: missing (null, NaN). */
const char *hsp_arrow_spell(const hsp_arrow_values *v, int64_t i, char *buf, int64_t *n);
/* The text of the cell in row i of the part, likewise. */
const char *hsp_arrow_cell(const hsp_arrow_part *p, int64_t i, char *buf, int64_t *n);
/* The bytes of text i, its length in *n, which may be that of a faulty array. */
const char *hsp_arrow_text(const hsp_arrow_values *v, int64_t i, int64_t *n);
/* The index of row i in the dictionary, which may be out of its range. */
int64_t hsp_arrow_index(const hsp_arrow_values *v, int64_t i);
/* Days since 1970 of a date or timestamp in its zone, and the units of the rest of the day. */
int64_t hsp_arrow_days(const hsp_arrow_values *v, int64_t i, int64_t *rest);
/* A number that is not a decimal; what null is not defined. */
double hsp_arrow_number(const hsp_arrow_values *v, int64_t i);
/* Writes a decimal, and returns the length. */
int64_t hsp_arrow_spell_decimal(const hsp_arrow_values *v, int64_t i, char *buf);

#endif
