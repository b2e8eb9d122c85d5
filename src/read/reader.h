/* Readers: one file a format, one line in reader_table.c. A reader yields a schema, then blocks of rows; nothing here
 * assumes that the whole file fits in memory. Every error names file, line and column. */
#ifndef HSP_READ_READER_H
#define HSP_READ_READER_H

#include "base/text.h"
#include "data/block.h"
#include "data/data.h"
#include "data/schema.h"
#include "halfspace.h"
#include "read/chunks.h"
#include "table/encoding.h"

typedef struct hsp_reader hsp_reader;

/* One piece of a file: its bytes, then its rows. Threads work on parcels of their own; memory is reused. */
typedef struct hsp_parcel {
    hsp_chunk chunk; /* filled by cut */
    hsp_block block; /* filled by parse */
    int64_t lines;   /* of the file that the chunk takes up: parse counts them */
    int fault;       /* 0, or the status with which parse stopped; the rows before are in the block all the same */
    bool quote_met;  /* the fault may be that quotes are plain characters */
    bool word_met;   /* the fault is a cell that holds no number: as a table the file may do */
    /* svmlight */
    int64_t least, largest;      /* ids that occur, also those of zeros; largest -1: none */
    int64_t duplicates, queries; /* entries that were added together; qid:N */
    int64_t zero_row;            /* the first row of the block with an id 0; -1: none */
    /* readers' own */
    hsp_text text;
    void *scratch;
    int64_t scratch_capacity; /* for hsp_reserve */
} hsp_parcel;                 /* {0} is an empty one */

void hsp_parcel_free(hsp_parcel *p);

/* A model that rows are read for. */
typedef struct hsp_read_for {
    const hsp_schema *known;       /* its columns; NULL: as they come */
    const hsp_classes *classes;    /* the labels that it knows; NULL: any */
    bool regression;               /* it predicts a number */
    struct hsp_encoding *encoding; /* how its features come from the columns of a table; NULL: they are the columns */
} hsp_read_for;

typedef struct hsp_reader_kind {
    const char *name; /* as in --format */
    const char *help;
    const char *suffixes; /* ".csv .tsv", before any .gz or .zst */
    /* Opens over a stream that has not been consumed; `known` is the schema of a model when rows shall be read for it, or
     * NULL. The stream stays the caller's. */
    int (*open)(hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_reader **out, hsp_error **err);
    /* NULL, or: a file whose rows need no parsing is mapped as it is. 1 and the data (assumed filled, read_seconds not), or
     * 0 when this one must go by pieces after all, or a negative status. model may be NULL. */
    int (*load)(const char *path, const hsp_options *o, const hsp_read_for *model, hsp_data **out, hsp_error **err);
    /* The next piece of the file, whole records, one after the other: 1, or 0 at the end, or a negative status. */
    int (*cut)(hsp_reader *r, hsp_chunk *chunk, hsp_error **err);
    /* The rows of a piece; several threads at once, each with its parcel. Sees of the reader only what `open` has settled,
     * and neither allocates nor formats in the loop over entries. `line` is that of the chunk's first byte, 1 as long as
     * nobody knows. Stops at the first fault (p->fault). With err != NULL it is called again, in order, for a piece with a
     * fault, with the right line: then it may look at what `take` has found, and makes the message. */
    void (*parse)(const hsp_reader *r, hsp_parcel *p, int64_t line, hsp_error **err);
    /* A parsed piece, one after the other in order: counts, and what only the order of rows can tell (labels in all rows or
     * none). line: as above, the right one. 0 or a negative status. NULL: there is nothing to do. */
    int (*take)(hsp_reader *r, const hsp_parcel *p, int64_t line, hsp_error **err);
    /* After the last piece: schema and `assumed` are complete. NULL: they were from the start. */
    int (*finish)(hsp_reader *r, hsp_error **err);
    /* NULL, or: from now on, before the first piece, cells may be words, or missing, whatever the first rows look like. */
    int (*as_table)(hsp_reader *r, hsp_error **err);
    /* What is known of the columns: complete for CSV from the start, for svmlight (d, base) at the end; read for a model,
     * its base holds from the first block on. Borrowed. */
    const hsp_schema *(*schema)(const hsp_reader *r);
    /* One line on what was assumed, once the end is reached; borrowed. */
    const char *(*assumed)(const hsp_reader *r);
    void (*free)(hsp_reader *r);
} hsp_reader_kind;

/* One reader over one stream, as users of readers hold it. */
typedef struct hsp_reading {
    const hsp_reader_kind *kind;
    hsp_reader *reader;
    int64_t line; /* where the next piece to be taken begins, from 1 */
} hsp_reading;

/* Chooses a reader for the stream and opens it; close it also after a failure. */
int hsp_reading_open(hsp_reading *g, hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_error **err);
/* cut, parse and take, for pipelines: fetch, work, and the first part of place. After take, and when the caller has dealt
 * with the rows, hsp_reading_fault tells the fault of the piece, if it has one: 0 or its status. */
int hsp_reading_cut(hsp_reading *g, hsp_parcel *p, hsp_error **err);
void hsp_reading_parse(const hsp_reading *g, hsp_parcel *p);
int hsp_reading_take(hsp_reading *g, hsp_parcel *p, hsp_error **err);
int hsp_reading_fault(hsp_reading *g, hsp_parcel *p, hsp_error **err);
int hsp_reading_finish(hsp_reading *g, hsp_error **err);
void hsp_reading_close(hsp_reading *g);

extern const hsp_reader_kind *const hsp_reader_table[]; /* NULL-terminated */
extern const hsp_reader_kind hsp_reader_csv, hsp_reader_svmlight, hsp_reader_hsd, hsp_reader_npy;

/* The reader for a stream: by option `format`, else by the name's ending, else by looking at the first lines. */
int hsp_reader_choose(hsp_stream *stream, const hsp_options *o, const hsp_reader_kind **out, hsp_error **err);
/* What only a table can be is asked of one: HSP_EINPUT when a model of words is given a file without, HSP_EUSAGE when
 * options on the columns of a table are. */
int hsp_reader_check(const hsp_reader_kind *kind, const char *name, const hsp_options *o, const hsp_schema *known,
                     hsp_error **err);
/* Length of a file's name less .gz or .zst. */
size_t hsp_path_plain(const char *path);
/* Whether a file's name, less .gz or .zst, ends in one of the suffixes ("" and NULL: no). */
bool hsp_path_ends(const char *path, const char *suffixes);

/* Whether a token of svmlight begins like a feature (`digits:`, with or without a sign) or like `qid:`: it is no label. */
bool hsp_svmlight_is_pair(const char *p, const char *end);

/* A block is full at this many rows, or at about 1 MiB of values. */
#define HSP_BLOCK_ROWS 4096
#define HSP_BLOCK_VALUES 131072
/* How many rows of so many values that is. */
static inline int64_t hsp_block_rows(int64_t values) {
    int64_t rows = HSP_BLOCK_VALUES / (values > 0 ? values : 1);
    return rows < 1 ? 1 : rows < HSP_BLOCK_ROWS ? rows : HSP_BLOCK_ROWS;
}

/* Options that contradict what a model predicts (task), or that it has no use for (map-label without classes): HSP_EUSAGE.
 */
int hsp_read_check(const hsp_options *o, bool regression, hsp_error **err);
/* Reads a whole file; model NULL: for no model, the option `task` says what the target is. */
int hsp_read_data(const char *path, const hsp_options *o, const hsp_hooks *hooks, const hsp_read_for *model, hsp_data **out,
                  hsp_error **err);
/* The same from a stream, which stays the caller's. */
int hsp_read_stream(hsp_stream *stream, const hsp_options *o, const hsp_hooks *hooks, const hsp_read_for *model,
                    hsp_data **out, hsp_error **err);

#endif
