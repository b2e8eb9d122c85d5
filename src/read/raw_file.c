#include "read/raw_file.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "option/options.h"
#include "read/jsonl.h"

#include <string.h>

#define READ_AT_ONCE ((int64_t)64 * 1024)

/* Copies the rest of a stream that cannot be read twice, and puts a stream over the copy in its place. */
static int copy_stream(hsp_raw_file *f, hsp_error **err) {
    int64_t got = 1;
    while (got > 0) {
        if (hsp_cancel_take())
            return hsp_fail(err, HSP_ECANCELLED, "cancelled while reading %s", hsp_stream_name(f->stream));
        char *to = hsp_text_room(&f->copy, READ_AT_ONCE);
        if (!to) return hsp_fail_memory(err);
        got = hsp_stream_read(f->stream, to, READ_AT_ONCE, err);
        if (got > 0) f->copy.length += got;
    }
    if (got < 0) return (int)got;
    f->copied = true;
    hsp_stream *over = NULL;
    int status = hsp_stream_open_memory(f->copy.s, f->copy.length, hsp_stream_name(f->stream), &over, err);
    if (status < 0) return status;
    hsp_stream_set_chunk(over, hsp_stream_chunk(f->stream));
    hsp_stream_close(f->stream);
    f->stream = over;
    return 0;
}

/* Puts a stream over the translation of the lines in its place. */
static int translate_stream(hsp_raw_file *f, hsp_error **err) {
    int status = hsp_jsonl_translate(f->stream, &f->translation, err);
    hsp_stream *over = NULL;
    if (status == 0) status = hsp_stream_translation_again(f->translation, &over, err);
    if (status < 0) return status;
    hsp_stream_set_chunk(over, hsp_stream_chunk(f->stream));
    hsp_stream_close(f->stream);
    f->stream = over;
    return 0;
}

int hsp_raw_open_again(const hsp_raw_file *f, hsp_stream **out, hsp_error **err) {
    const char *name = hsp_stream_name(f->stream);
    int status = f->translation ? hsp_stream_translation_again(f->translation, out, err)
                 : f->copied    ? hsp_stream_open_memory(f->copy.s, f->copy.length, name, out, err)
                                : hsp_stream_open(f->path, out, err);
    if (status == 0) hsp_stream_set_chunk(*out, hsp_stream_chunk(f->stream));
    return status;
}

/* Puts the stream back to its start. */
static int open_again(hsp_raw_file *f, hsp_error **err) {
    hsp_stream *again = NULL;
    int status = hsp_raw_open_again(f, &again, err);
    if (status < 0) return status;
    hsp_stream_close(f->stream);
    f->stream = again;
    return 0;
}

/* Determines what the first records tell. */
static int open_rows(hsp_raw_file *f, hsp_error **err) {
    hsp_csv_table_clear(&f->table);
    hsp_chunks_close(&f->chunks);
    hsp_text_clear(&f->head);
    f->head_lines = 0;
    f->quote_met = false;
    memcpy(f->line_end, "\n", 2);
    int status = f->kind->open(f, err);
    f->cursor = hsp_csv_cursor_over(hsp_stream_name(f->stream), NULL, NULL, 1 + f->head_lines);
    return status < 0 ? status : f->head.failed ? hsp_fail_memory(err) : 0;
}

int hsp_raw_open(hsp_stream *stream, const char *path, const hsp_reader_kind *kind, const hsp_options *o,
                 hsp_raw_file **out, hsp_error **err) {
    *out = NULL;
    hsp_raw_file *f = hsp_alloc_zero(1, sizeof *f);
    if (!f) {
        hsp_stream_close(stream);
        return hsp_fail_memory(err);
    }
    f->path = path;
    f->stream = stream;
    f->kind = kind->raw;
    int status = hsp_options_copy(o, &f->options, err);
    if (status == 0) status = hsp_reader_check(kind, hsp_stream_name(stream), o, NULL, err);
    if (status == 0 && kind == &hsp_reader_jsonl)
        status = translate_stream(f, err);
    else if (status == 0 && !hsp_stream_regular(stream))
        status = copy_stream(f, err);
    if (status == 0) status = open_rows(f, err);
    if (status < 0)
        hsp_raw_close(f);
    else
        *out = f;
    return status;
}

/* Moves to the next record: 1, or 0 at the end, or a negative status. */
static int find_record(hsp_raw_file *f, hsp_error **err) {
    for (;;) {
        hsp_csv_cursor *k = &f->cursor;
        int status = k->next == k->end ? 0 : hsp_csv_record(k, f->table.marks, err);
        if (status != 0) return status;
        if (hsp_cancel_take())
            return hsp_fail(err, HSP_ECANCELLED, "cancelled while reading %s", hsp_stream_name(f->stream));
        status = hsp_chunks_next(&f->chunks, &f->chunk, err);
        if (status <= 0) return status;
        *k = hsp_csv_cursor_over(k->file, f->chunk.begin, f->chunk.end, k->next_line);
    }
}

int hsp_raw_next(hsp_raw_file *f, hsp_raw_row *row, hsp_error **err) {
    int status = 0;
    while (status == 0) {
        status = find_record(f, err);
        if (status == 0) return 0;
        const hsp_csv_cursor *k = &f->cursor;
        *row = (hsp_raw_row){.begin = k->begin, .stop = k->stop, .next = k->next};
        if (status > 0) status = f->kind->take(f, row, err);
    }
    const hsp_csv_cursor *k = &f->cursor;
    /* In files with tabs quotes are often plain characters. */
    f->quote_met = status < 0 && f->table.marks.delimiter == '\t' && f->table.marks.quote && k->begin < k->end &&
                   memchr(k->begin, f->table.marks.quote, (size_t)(k->end - k->begin));
    if (status > 0 && row->next > row->stop) {
        memcpy(f->line_end, row->stop, (size_t)(row->next - row->stop));
        f->line_end[row->next - row->stop] = '\0';
    }
    return status;
}

int hsp_raw_rewind(hsp_raw_file *f, hsp_error **err) {
    int status = open_again(f, err);
    f->checked = true;
    return status < 0 ? status : open_rows(f, err);
}

int hsp_raw_try_plain(hsp_raw_file *f, hsp_error **err) {
    if (!f->quote_met || !hsp_options_is(f->options, "quotes", "auto")) return 0;
    int status = hsp_options_set(f->options, "quotes", "no", err);
    if (status == 0) status = open_again(f, err);
    if (status == 0) status = open_rows(f, err);
    return status < 0 ? status : 1;
}

int hsp_raw_fail_label(const hsp_raw_file *f, const hsp_raw_row *row, const char *need, hsp_error **err) {
    const hsp_csv_cursor *k = &f->cursor;
    if (!row->label.s)
        return hsp_fail_at(err, HSP_EINPUT, hsp_csv_place(k, k->begin),
                           "the row has no label, which %s needs: leave %s out, or give every row a label", need, need);
    char piece[HSP_EXCERPT];
    hsp_excerpt(piece, row->label.s, row->label.n);
    return hsp_fail_at(err, HSP_EINPUT, hsp_csv_place(k, row->label.s - row->label.quoted),
                       "the label is missing%s%s%s, and %s needs it: fill it in, remove the row, or leave %s out",
                       row->label.n > 0 ? " ('" : "", row->label.n > 0 ? piece : "", row->label.n > 0 ? "')" : "", need,
                       need);
}

void hsp_raw_close(hsp_raw_file *f) {
    if (!f) return;
    hsp_chunks_close(&f->chunks);
    hsp_chunk_free(&f->chunk);
    hsp_csv_table_clear(&f->table);
    hsp_text_free(&f->head);
    hsp_stream_close(f->stream);
    hsp_stream_close(f->translation);
    hsp_text_free(&f->copy);
    hsp_options_free(f->options);
    hsp_free(f);
}
