/* Takes the record batches of a stream. All are held until the rows are read, because whether a column has missing values is
 * known only then, and because the producer may be called only on the thread of the caller. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "read/arrow.h"

#include <string.h>

#define AGAIN "export the table again"

/* Of lengths and offsets, so that sums of them stay in range. */
#define MOST_ROWS (INT64_MAX / 64)

/* Passes the producer's own message on, as one line. */
static int fail_stream(struct ArrowArrayStream *stream, const char *file, const char *action, hsp_error **err) {
    enum { SHOWN = 400 };
    char line[SHOWN + 1];
    const char *text = stream->get_last_error ? stream->get_last_error(stream) : NULL;
    if (!text || !*text) text = "no message";
    size_t n = strnlen(text, SHOWN);
    for (size_t i = 0; i < n; i++) line[i] = text[i] == '\n' || text[i] == '\r' || text[i] == '\t' ? ' ' : text[i];
    while (n > 0 && line[n - 1] == ' ') n--;
    hsp_text_mask(line, line, (int64_t)n);
    line[n] = '\0';
    return hsp_fail_at(err, HSP_EIO, (hsp_place){.file = file}, "the stream failed %s (%s): correct its source", action,
                       line);
}

static int take_schema(hsp_arrow_batches *b, struct ArrowArrayStream *stream, const char *file, hsp_error **err) {
    struct ArrowSchema *s = &b->schema;
    if (stream->get_schema(stream, s)) {
        s->release = NULL;
        return fail_stream(stream, file, "to give its schema", err);
    }
    if (!s->release || !s->format) return hsp_fail_file(err, file, "the stream has no schema: " AGAIN);
    if (strcmp(s->format, "+s") != 0) {
        hsp_arrow_column column;
        hsp_arrow_column_of(s, &column);
        return hsp_fail_file(err, file, "the stream is of type %s, not of record batches: give a table with named columns",
                             column.type.name ? column.type.name : "unknown");
    }
    if (s->n_children < 0 || (s->n_children > 0 && !s->children))
        return hsp_fail_file(err, file, "the schema is malformed: " AGAIN);
    b->columns = s->n_children;
    if (!HSP_ALLOC_ZERO(b->column, b->columns + 1)) return hsp_fail_memory(err);
    for (int64_t c = 0; c < b->columns; c++) {
        if (!s->children[c]) return hsp_fail_file(err, file, "the schema is malformed: " AGAIN);
        hsp_arrow_column_of(s->children[c], &b->column[c]);
    }
    return 0;
}

static bool has_null_row(const struct ArrowArray *a) {
    if (a->null_count == 0 || a->n_buffers < 1 || !a->buffers || !a->buffers[0]) return false;
    for (int64_t i = 0; i < a->length; i++)
        if (!hsp_arrow_bit(a->buffers[0], a->offset + i)) return true;
    return false;
}

/* The batch as a whole; its columns are checked when it is known which are used. */
static int check_batch(const hsp_arrow_batches *b, const struct ArrowArray *a, const char *file, hsp_error **err) {
    long long number = (long long)b->count + 1;
    bool counts = a->length >= 0 && a->offset >= 0 && a->offset <= MOST_ROWS && a->length <= MOST_ROWS - b->first[b->count];
    if (!counts) return hsp_fail_file(err, file, "record batch %lld has no valid length: " AGAIN, number);
    bool children = a->n_children == b->columns && (b->columns == 0 || a->children);
    for (int64_t c = 0; children && c < b->columns; c++) children = a->children[c] && a->children[c]->release;
    if (!children) return hsp_fail_file(err, file, "record batch %lld lacks columns of the schema: " AGAIN, number);
    if (has_null_row(a)) return hsp_fail_file(err, file, "record batch %lld has null rows: remove them", number);
    return 0;
}

/* The next batch: 1, or 0 at the end, or a negative status. */
static int take_batch(hsp_arrow_batches *b, struct ArrowArrayStream *stream, const char *file, hsp_error **err) {
    if (hsp_cancel_take()) return hsp_fail(err, HSP_ECANCELLED, "cancelled while reading %s", file);
    if (HSP_RESERVE(b->batch, b->capacity, b->count + 1) || HSP_RESERVE(b->first, b->first_capacity, b->count + 2))
        return hsp_fail_memory(err);
    struct ArrowArray *a = &b->batch[b->count];
    *a = (struct ArrowArray){0};
    b->first[0] = 0;
    if (stream->get_next(stream, a)) return fail_stream(stream, file, "to give a record batch", err);
    if (!a->release) return 0;
    int status = check_batch(b, a, file, err);
    if (status < 0 || a->length == 0) {
        a->release(a);
        return status < 0 ? status : 1;
    }
    b->first[b->count + 1] = b->first[b->count] + a->length;
    b->count++;
    return 1;
}

void hsp_arrow_stream_release(struct ArrowArrayStream *stream) {
    if (!stream || !stream->release) return;
    stream->release(stream);
    stream->release = NULL; /* as the interface requires of producers */
}

int hsp_arrow_batches_open(hsp_arrow_batches *b, struct ArrowArrayStream *stream, const char *file, hsp_error **err) {
    *b = (hsp_arrow_batches){0};
    if (!stream || !stream->release)
        return hsp_fail(err, HSP_EUSAGE, "the stream is NULL or was released before: give a new one");
    int status = stream->get_schema && stream->get_next
                     ? take_schema(b, stream, file, err)
                     : hsp_fail(err, HSP_EUSAGE, "the stream lacks a function: fill in get_schema and get_next");
    int more = status < 0 ? status : 1;
    while (more > 0) more = take_batch(b, stream, file, err);
    hsp_arrow_stream_release(stream);
    return more;
}

void hsp_arrow_batches_close(hsp_arrow_batches *b) {
    for (int64_t k = 0; k < b->count; k++)
        if (b->batch[k].release) b->batch[k].release(&b->batch[k]);
    if (b->schema.release) b->schema.release(&b->schema);
    HSP_FREE(b->batch, b->first, b->column);
    *b = (hsp_arrow_batches){0};
}

int64_t hsp_arrow_rows(const hsp_arrow_batches *b) {
    return b->first ? b->first[b->count] : 0;
}

int64_t hsp_arrow_batch_of(const hsp_arrow_batches *b, int64_t row) {
    int64_t low = 0, high = b->count - 1;
    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (b->first[middle] <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

hsp_arrow_part hsp_arrow_part_of(const hsp_arrow_batches *b, int64_t batch, int64_t column) {
    const struct ArrowArray *whole = &b->batch[batch], *a = whole->children[column];
    const hsp_arrow_column *c = &b->column[column];
    hsp_arrow_part p = {.cells = {c->coded ? &c->index : &c->type, a, whole->offset + a->offset, whole->length},
                        .coded = c->coded};
    if (c->coded) p.words = (hsp_arrow_values){&c->type, a->dictionary, a->dictionary->offset, a->dictionary->length};
    return p;
}
