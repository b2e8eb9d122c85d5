#include "data/bad_rows.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The message of an error without "FILE:LINE:COLUMN: ": the line of the file is not known yet. */
static const char *bare_message(const hsp_error *e) {
    const char *file = hsp_error_file(e), *message = hsp_error_message(e);
    long long line = (long long)hsp_error_line(e), column = (long long)hsp_error_column(e);
    if (!file) return message;
    size_t place = strlen(file) + 2;
    if (line > 0) place += (size_t)snprintf(NULL, 0, ":%lld", line);
    if (line > 0 && column > 0) place += (size_t)snprintf(NULL, 0, ":%lld", column);
    return place < strlen(message) ? message + place : message;
}

int hsp_bad_rows_add(hsp_bad_rows *b, hsp_error *e) {
    int status = HSP_RESERVE(b->row, b->capacity, b->count + 1);
    if (!status) {
        b->row[b->count] = (hsp_bad_row){hsp_error_line(e), hsp_error_column(e), b->text.length};
        hsp_text_add(&b->text, bare_message(e));
        hsp_text_char(&b->text, '\0');
        b->count += !b->text.failed;
        if (b->text.failed) status = HSP_EMEMORY;
    }
    hsp_error_free(e);
    return status;
}

static int by_line(const void *a, const void *b) {
    const hsp_bad_row *p = a, *q = b;
    return (p->line > q->line) - (p->line < q->line);
}

void hsp_bad_rows_sort(hsp_bad_rows *b) {
    if (b->count > 1) qsort(b->row, (size_t)b->count, sizeof *b->row, by_line);
}

void hsp_bad_rows_clear(hsp_bad_rows *b) {
    hsp_text_clear(&b->text);
    b->count = 0;
}

void hsp_bad_rows_free(hsp_bad_rows *b) {
    hsp_text_free(&b->text);
    hsp_free(b->row);
    *b = (hsp_bad_rows){0};
}
