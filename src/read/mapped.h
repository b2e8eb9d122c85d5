/* What the formats share whose files are mapped into memory (.hsd, .npy). */
#ifndef HSP_READ_MAPPED_H
#define HSP_READ_MAPPED_H

#include "base/map.h"
#include "data/data.h"
#include "data/matrix.h"
#include "halfspace.h"
#include "read/reader.h"

/* All bytes of a stream of which nothing has been read (peeking does not count): a plain file is mapped, anything else is
 * read into memory. */
int hsp_stream_map(hsp_stream *s, hsp_map **out, hsp_error **err);

/* The data of a file whose rows are used in place: 1 and the data (read_seconds not set), or 0 when the file has to be read
 * by pieces (it is compressed, or its columns do not fit the model's), or a negative status. model may be NULL. */
int hsp_reader_load(const hsp_reader_kind *kind, const char *path, const hsp_options *o, const hsp_read_for *model,
                    hsp_data **out, hsp_error **err);
/* The cut of a reader of binary files: the next rows of n, at most `most`; *at is the first row not yet cut. */
int hsp_chunk_cut_rows(hsp_chunk *chunk, int64_t *at, int64_t n, int64_t most);

enum { HSP_CODES = 256 }; /* of HSP_CODING_CODE8 */
/* The codes that stand for 0; none without a table. */
void hsp_matrix_zero_codes(const hsp_matrix *m, bool zero[HSP_CODES]);
/* Whether the values `from` to `to` are all finite; adds the number of zeros to *zeros. */
bool hsp_matrix_finite(const hsp_matrix *m, const bool zero[HSP_CODES], int64_t from, int64_t to, int64_t *zeros);

/* Labels that are not stored with the rows. label: the text of the label of row i, not NULL, valid until the next call; its
 * length in *length; buf (32 bytes) may hold it. */
typedef struct hsp_label_source {
    int64_t n;
    const char *(*label)(void *ctx, int64_t i, int64_t *length, char *buf);
    void *ctx;
} hsp_label_source;

/* Replaces classes, y and target of `data` by the labels, under the rules of a builder. Rows count as lines in errors. */
int hsp_data_relabel(const hsp_label_source *a, const hsp_builder_rules *rules, hsp_data *data, hsp_error **err);

#endif
