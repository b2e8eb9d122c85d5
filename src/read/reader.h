/* Readers: one file a format, one line in reader_table.c. A reader yields a schema, then blocks of rows; nothing here
 * assumes that the whole file fits in memory. Every error names file, line and column. */
#ifndef HSP_READ_READER_H
#define HSP_READ_READER_H

#include "base/options.h"
#include "data/data.h"
#include "read/stream.h"

typedef struct hsp_reader hsp_reader;

typedef struct hsp_reader_kind {
    const char *name; /* as in --format */
    const char *help;
    const char *suffixes; /* ".csv .tsv", before any .gz or .zst */
    /* Opens over a stream that has not been consumed; `known` is the schema of a model when rows shall be read for it, or
     * NULL. The stream stays the caller's. */
    int (*open)(hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_reader **out, hsp_error **err);
    /* Fills the block with the next rows: 1, or 0 at the end, or a negative status. */
    int (*next)(hsp_reader *r, hsp_block *block, hsp_error **err);
    /* What is known of the columns: complete for CSV from the start, for svmlight (d, base) at the end; read for a model,
     * its base holds from the first block on. Borrowed. */
    const hsp_schema *(*schema)(const hsp_reader *r);
    /* One line on what was assumed, once the end is reached; borrowed. */
    const char *(*assumed)(const hsp_reader *r);
    void (*free)(hsp_reader *r);
} hsp_reader_kind;

extern const hsp_reader_kind *const hsp_reader_table[]; /* NULL-terminated */
extern const hsp_reader_kind hsp_reader_csv, hsp_reader_svmlight;

/* The reader for a stream: by option `format`, else by the name's ending, else by looking at the first lines. */
int hsp_reader_choose(hsp_stream *stream, const hsp_options *o, const hsp_reader_kind **out, hsp_error **err);
/* Length of a file's name less .gz or .zst. */
size_t hsp_path_plain(const char *path);
/* Whether a file's name, less .gz or .zst, ends in one of the suffixes ("" and NULL: no). */
bool hsp_path_ends(const char *path, const char *suffixes);

/* Whether a token of svmlight begins like a feature (`digits:`, with or without a sign) or like `qid:`: it is no label. */
bool hsp_svmlight_is_pair(const char *p, const char *end);

/* A block is full at this many rows, or at about 1 MiB of values. */
#define HSP_BLOCK_ROWS 4096
#define HSP_BLOCK_VALUES 131072

/* A model that rows are read for. */
typedef struct hsp_read_for {
    const hsp_schema *known;    /* its columns; NULL: as they come */
    const hsp_classes *classes; /* the labels that it knows; NULL: any */
    bool regression;            /* it predicts a number */
} hsp_read_for;

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
