/* Readers: one file for each format, one line in reader_table.c. A reader yields a schema, then blocks of rows; the file need
 * not fit in memory. Every error names file, line and column. */
#ifndef HSP_READ_READER_H
#define HSP_READ_READER_H

#include "base/map.h"
#include "base/text.h"
#include "data/bad_rows.h"
#include "data/block.h"
#include "data/data.h"
#include "data/schema.h"
#include "halfspace.h"
#include "read/chunks.h"
#include "read/kept.h"
#include "read/sides.h"
#include "table/encoding.h"

typedef struct hsp_reader hsp_reader; /* each reader has its own struct of this name */

/* A piece of a file: its bytes, then its rows. Threads work on different parcels; their memory is reused. */
typedef struct hsp_parcel {
    hsp_chunk chunk; /* filled by cut */
    hsp_block block; /* filled by parse */
    int64_t lines;   /* of the file in the chunk, counted by parse */
    int fault;       /* 0, or the status with which parse stopped; the block holds the rows before */
    bool quote_met;  /* the fault may be that quotes are plain characters */
    int64_t
        word_column; /* the fault is a cell of this feature, from 1, that is not a number: the file may be a table; 0: no */
    /* svmlight */
    int64_t least, largest;      /* ids that occur, also with the value 0; largest -1: none */
    int64_t duplicates, queries; /* entries with a repeated id, which are added; entries qid:N */
    int64_t zero_row;            /* the first row of the block with an id 0; -1: none */
    hsp_bad_rows *bad; /* borrowed: collects faulty rows, which are left out; NULL: the first one is a fault of the piece */
    /* for the reader's own use */
    hsp_text text;
    void *scratch; /* owned */
    int64_t scratch_capacity;
} hsp_parcel; /* {0} is an empty one */

void hsp_parcel_free(hsp_parcel *p);

/* The model that rows are read for. All pointers are borrowed. */
typedef struct hsp_read_for {
    const hsp_schema *known;       /* its columns; NULL: any */
    const hsp_classes *classes;    /* its labels; NULL: any */
    bool regression;               /* it predicts a number */
    struct hsp_encoding *encoding; /* how it encodes the columns of a table; NULL: the columns are the features */
} hsp_read_for;

/* An open reader. */
typedef struct hsp_reading {
    const struct hsp_reader_kind *kind;
    hsp_reader *reader; /* owned */
    /* Borrowed from the reader. The columns: complete from the start for CSV; d and base only at the end for svmlight, but
     * when read for a model base holds from the first block on. One line on what was assumed: complete at the end. */
    const hsp_schema *schema;
    const hsp_text *assumed;
    const hsp_text *note; /* a warning for training, or empty; NULL: none */
    int64_t line;         /* of the first byte of the next piece to be taken, from 1 */
} hsp_reading;

typedef struct hsp_reader_kind {
    const char *name; /* as in --format */
    const char *help;
    const char *suffixes; /* ".csv .tsv", before any .gz or .zst */
    /* Opens a stream of which nothing has been read and sets reader, schema and assumed of g. `known`: the schema of the model
     * that rows are read for, or NULL. The caller closes the stream. */
    int (*open)(hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_reading *g, hsp_error **err);
    /* Binary formats only, NULL for text. begins: whether the first bytes are those of the format. open_mapped: as open, for
     * a mapped file. load: the data without parsing, see hsp_reader_load (mapped.h). */
    bool (*begins)(const char *bytes, int64_t n);
    int (*open_mapped)(hsp_map *map, const char *name, const hsp_options *o, const hsp_schema *known, hsp_reading *g,
                       hsp_error **err);
    int (*load)(const hsp_reader *r, const hsp_options *o, const hsp_read_for *model, hsp_data **out, hsp_error **err);
    /* The next piece of the file, whole records, in order: 1, or 0 at the end, or a negative status. */
    int (*cut)(hsp_reader *r, hsp_chunk *chunk, hsp_error **err);
    /* Parses the rows of a piece. Several threads at once, each with its own parcel; reads only what `open` has set, and
     * neither allocates nor formats messages per entry. `line`: of the chunk's first byte, 1 while it is unknown. Stops at
     * the first fault (p->fault). A piece with a fault is parsed again in its turn, with err != NULL and the right line: then
     * it may use what `take` has found, and makes the message. */
    void (*parse)(const hsp_reader *r, hsp_parcel *p, int64_t line, hsp_error **err);
    /* Takes a parsed piece, in order: counts, and checks that need the order of the rows (labels in all rows or none).
     * line: the right one. 0 or a negative status. NULL: nothing to do. */
    int (*take)(hsp_reader *r, const hsp_parcel *p, int64_t line, hsp_error **err);
    /* After the last piece: completes schema and assumed. NULL: they are complete. */
    int (*finish)(hsp_reader *r, hsp_error **err);
    /* Before the first piece: cells may be words or missing, whatever the first rows hold. kept[j]: feature j has words, so
     * that its numbers are kept as spelt; NULL: all may have. NULL: not for this format. */
    int (*as_table)(hsp_reader *r, const bool *kept, hsp_error **err);
    /* Before the first piece: goes to the rows from place `from` to `to`, which `place` has told of this file. place: where
     * row i of a piece that was parsed begins, a byte of the decoded data or the number of a row. NULL: only whole files. */
    int (*seek)(hsp_reader *r, int64_t from, int64_t to, hsp_error **err);
    int64_t (*place)(const hsp_reader *r, const hsp_parcel *p, int64_t i);
    /* How rows are copied as they are; NULL for binary formats. */
    const struct hsp_raw_kind *raw;
    /* The columns of --keep, their names, and their cells in the rows of a block, which must have been parsed from the parcel.
     * NULL: the format has no cells to keep. */
    int64_t (*keep_columns)(const hsp_reader *r);
    void (*keep_name)(const hsp_reader *r, int64_t k, hsp_text *out);
    int (*keep_cells)(const hsp_reader *r, const hsp_parcel *p, const hsp_block *rows, hsp_kept *out);
    /* Whether a column holds groups or times, and its cells in the rows of a block, like keep_cells. NULL: the format has no
     * such columns. */
    bool (*has_side)(const hsp_reader *r, hsp_side side);
    int (*side_cells)(const hsp_reader *r, const hsp_parcel *p, hsp_side side, hsp_kept *out);
    void (*free)(hsp_reader *r);
} hsp_reader_kind;

/* Chooses a reader for the stream and opens it; close it also after a failure. */
int hsp_reading_open(hsp_reading *g, hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_error **err);
/* The steps of a pipeline: cut in fetch, parse in work, take in place. After take, and after the caller has used the rows,
 * hsp_reading_fault reports the fault of the piece: 0 or its status. */
int hsp_reading_cut(hsp_reading *g, hsp_parcel *p, hsp_error **err);
void hsp_reading_parse(const hsp_reading *g, hsp_parcel *p);
int hsp_reading_take(hsp_reading *g, hsp_parcel *p, hsp_error **err);
int hsp_reading_fault(hsp_reading *g, hsp_parcel *p, hsp_error **err);
int hsp_reading_finish(hsp_reading *g, hsp_error **err);
/* Before the first piece: only the rows from one place to another are read, the first of which begins on that line. */
int hsp_reading_seek(hsp_reading *g, int64_t from, int64_t to, int64_t line, hsp_error **err);
/* The number of columns of --keep, the name of the k-th, and the cells of these columns: 0 or HSP_EMEMORY. */
int64_t hsp_reading_kept(const hsp_reading *g);
void hsp_reading_keep_name(const hsp_reading *g, int64_t k, hsp_text *out);
int hsp_reading_keep(const hsp_reading *g, const hsp_parcel *p, const hsp_block *rows, hsp_kept *out);
/* The same of groups and times, in the rows of the parcel. */
bool hsp_reading_has_side(const hsp_reading *g, hsp_side side);
int hsp_reading_side(const hsp_reading *g, const hsp_parcel *p, hsp_side side, hsp_kept *out);
void hsp_reading_close(hsp_reading *g);

extern const hsp_reader_kind *const hsp_reader_table[]; /* NULL-terminated */
extern const hsp_reader_kind hsp_reader_csv, hsp_reader_svmlight, hsp_reader_jsonl, hsp_reader_hsd, hsp_reader_npy;
extern const hsp_reader_kind hsp_reader_arrow; /* not of a file, so not in the table */

/* The reader for a stream: by option `format`, else by the first bytes, else by the name's ending, else by the first lines. */
int hsp_reader_choose(hsp_stream *stream, const hsp_options *o, const hsp_reader_kind **out, hsp_error **err);
/* Only CSV can be a table. For other formats: HSP_EINPUT when the model was trained on a table, HSP_EUSAGE when options are
 * about the columns of a table. */
int hsp_reader_check(const hsp_reader_kind *kind, const char *name, const hsp_options *o, const hsp_schema *known,
                     hsp_error **err);
/* Length of a file's name without .gz or .zst. */
size_t hsp_path_plain(const char *path);
/* Whether a file's name without .gz or .zst ends in one of the suffixes, separated by blanks. */
bool hsp_path_ends(const char *path, const char *suffixes);

/* Whether a token of svmlight begins like a feature (`digits:`, with or without a sign) or `qid:`, so is not a label. */
bool hsp_svmlight_is_pair(const char *p, const char *end);

/* A block is full at this many rows, or at about 1 MiB of values. */
#define HSP_BLOCK_ROWS 4096
#define HSP_BLOCK_VALUES 131072
/* The number of such rows, of `values` each. */
static inline int64_t hsp_block_rows(int64_t values) {
    int64_t rows = HSP_BLOCK_VALUES / (values > 0 ? values : 1);
    return rows < 1 ? 1 : rows < HSP_BLOCK_ROWS ? rows : HSP_BLOCK_ROWS;
}

/* HSP_EUSAGE for options that contradict the model (task), or that it cannot use (map-label in regression). */
int hsp_read_check(const hsp_options *o, bool regression, hsp_error **err);
/* The rules for labels; the model, if any, determines the classes. */
hsp_builder_rules hsp_read_rules(const hsp_options *o, const hsp_read_for *model, bool regression, const char *file);
/* Reads a whole file; model NULL: the option `task` determines whether targets are classes or numbers. */
int hsp_read_data(const char *path, const hsp_options *o, const hsp_hooks *hooks, const hsp_read_for *model, hsp_data **out,
                  hsp_error **err);
/* The same from a stream that was opened for `path` and only peeked at; closes it. */
int hsp_read_opened(hsp_stream *stream, const char *path, const hsp_options *o, const hsp_hooks *hooks, hsp_data **out,
                    hsp_error **err);
/* Reads a table from memory, and releases the stream. */
int hsp_read_arrow(struct ArrowArrayStream *stream, const hsp_options *o, const hsp_hooks *hooks, const hsp_read_for *model,
                   hsp_data **out, hsp_error **err);
/* Reads a CSV file and returns the lines on which its rows begin, ascending: those that --missing drop keeps. The caller
 * closes the stream and frees *lines. */
int hsp_read_lines(hsp_stream *stream, const hsp_options *o, int64_t **lines, int64_t *count, hsp_error **err);
/* A whole file from any stream, which the caller closes. */
int hsp_read_stream(hsp_stream *stream, const hsp_options *o, const hsp_hooks *hooks, const hsp_read_for *model,
                    hsp_data **out, hsp_error **err);

#endif
