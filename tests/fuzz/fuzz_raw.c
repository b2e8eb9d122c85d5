/* Any bytes as rows to be copied, of CSV and of svmlight: the same rows however the stream is cut, and the copy of all rows has
 * the same rows again. What the reader accepts has as many rows. */
#include "base/memory.h"
#include "base/text.h"
#include "fuzz_read.h"
#include "read/raw_file.h"

/* The copy of all rows behind the head, each row with an end. Returns the number of rows, or a negative status. */
static int64_t copy_rows(const char *bytes, int64_t size, int64_t chunk, const hsp_options *o, const hsp_reader_kind *kind,
                         hsp_text *copy, char message[600]) {
    hsp_stream *stream = NULL;
    hsp_raw_file *f = NULL;
    hsp_raw_row row;
    hsp_error *err = NULL;
    int64_t rows = 0;
    if (hsp_stream_open_memory(bytes, size, "input", &stream, NULL) != 0) abort();
    hsp_stream_set_chunk(stream, chunk);
    int status = hsp_raw_open(stream, "input", kind, o, &f, &err);
    if ((status == 0) != (f != NULL)) abort();
    if (f) hsp_text_add_n(copy, f->head.s ? f->head.s : "", f->head.length);
    while (f && (status = hsp_raw_next(f, &row, &err)) > 0) {
        rows++;
        if (row.begin > row.stop || row.stop > row.next || row.next - row.stop > 2) abort();
        hsp_text_add_n(copy, row.begin, row.next - row.begin);
        if (row.next == row.stop) hsp_text_add(copy, f->line_end);
    }
    if ((status < 0) != (err != NULL) || copy->failed) abort();
    snprintf(message, 600, "%s", err ? hsp_error_message(err) : "");
    hsp_error_free(err);
    hsp_raw_close(f);
    return status < 0 ? status : rows;
}

static void check_copy(const uint8_t *data, size_t size, const hsp_options *o, const hsp_reader_kind *kind) {
    static const int64_t chunks[] = {65536, 1, 7, 64};
    hsp_text first = {0};
    char message[600];
    int64_t rows = copy_rows((const char *)data, (int64_t)size, chunks[0], o, kind, &first, message);
    for (int i = 1; i < 4; i++) {
        hsp_text other = {0};
        char again[600];
        if (copy_rows((const char *)data, (int64_t)size, chunks[i], o, kind, &other, again) != rows) abort();
        if (strcmp(message, again) != 0) abort();
        if (rows >= 0 &&
            (first.length != other.length || (first.length > 0 && memcmp(first.s, other.s, (size_t)first.length) != 0)))
            abort();
        hsp_text_free(&other);
    }
    /* A byte order mark that follows blank lines comes to the start of the copy. */
    bool marked = size > 3 && memmem(data + 1, size - 1, "\xef\xbb\xbf", 3);
    hsp_text twice = {0};
    if (marked) rows = 0;
    if (rows > 0 && copy_rows(first.s, first.length, 4096, o, kind, &twice, message) != rows) abort();
    if (rows > 0 && (twice.length != first.length || memcmp(twice.s, first.s, (size_t)first.length) != 0)) abort();
    outcome read = read_once(data, size, 65536, o, NULL);
    if (read.status == 0 && !marked && read.rows != rows) abort();
    hsp_text_free(&twice);
    hsp_text_free(&first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hsp_options *o = NULL;
    if (hsp_options_new(&o, NULL) != 0) abort();
    /* Options that do not depend on the bytes before the rows, which the copy lacks where they are blank. */
    if (hsp_options_set(o, "format", "csv", NULL) != 0 || hsp_options_set(o, "header", "yes", NULL) != 0) abort();
    for (int i = 0; i < 3; i++) {
        static const char *const delimiters[] = {",", "tab", "space"};
        if (hsp_options_set(o, "delimiter", delimiters[i], NULL) != 0) abort();
        check_copy(data, size, o, &hsp_reader_csv);
    }
    if (hsp_options_set(o, "header", "no", NULL) != 0) abort();
    check_copy(data, size, o, &hsp_reader_csv);
    if (hsp_options_set(o, "format", "svmlight", NULL) != 0) abort();
    check_copy(data, size, o, &hsp_reader_svmlight);
    hsp_options_free(o);
    return 0;
}
