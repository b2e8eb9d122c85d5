/* A mutator that knows rows and cells: it drops, repeats, swaps and moves lines and cells, and puts words in cells that readers
 * treat in ways of their own. One time in two it leaves the bytes to the fuzzer. */
#ifndef FUZZ_MUTATE_ROWS_H
#define FUZZ_MUTATE_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef FUZZ_REPLAY

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

typedef struct span {
    size_t begin, end; /* the end includes the separator */
} span;

/* The piece of [begin, end) that holds byte `at`: pieces end with one of the separators. */
static span piece_at(const uint8_t *data, size_t begin, size_t end, size_t at, const char *separators) {
    span s = {at, at};
    while (s.begin > begin && !strchr(separators, data[s.begin - 1])) s.begin--;
    while (s.end < end && !strchr(separators, data[s.end])) s.end++;
    if (s.end < end) s.end++;
    return s;
}

/* Puts n bytes in place of a span; returns the new size, or the old one when they do not fit. */
static size_t replace_span(uint8_t *data, size_t size, size_t most, span s, const uint8_t *with, size_t n) {
    uint8_t copy[256];
    size_t rest = size - s.end;
    if (n > sizeof copy || size - (s.end - s.begin) + n > most) return size;
    memcpy(copy, with, n);
    memmove(data + s.begin + n, data + s.end, rest);
    memcpy(data + s.begin, copy, n);
    return s.begin + n + rest;
}

static size_t put_word(uint8_t *data, size_t size, size_t most, span s, unsigned seed) {
    static const char *const words[] = {"",
                                        "NA",
                                        "?",
                                        "nan",
                                        "inf",
                                        "-0",
                                        "1e400",
                                        "1e-400",
                                        "0x10",
                                        "1,5",
                                        "\"a\"",
                                        "\"a,b\"",
                                        "\"a\n\"",
                                        "yes",
                                        "true",
                                        "2024-02-29",
                                        "12:30",
                                        "$1.50",
                                        "1 000",
                                        "#",
                                        "qid:1",
                                        "1:1",
                                        "0:2",
                                        "4294967295:1",
                                        "99999999999999999999",
                                        "\xc3\xa9",
                                        "\xff",
                                        "\"\"",
                                        "null",
                                        "{\"a\":1}",
                                        "\"\\ud834\\udd1e\"",
                                        "-1.5e-3",
                                        "+1"};
    const char *word = words[seed % (sizeof words / sizeof *words)];
    if (s.end > s.begin && strchr(",;\t \n", data[s.end - 1])) s.end--; /* the separator stays */
    return replace_span(data, size, most, s, (const uint8_t *)word, strlen(word));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    if (size < 2 || seed % 2) return LLVMFuzzerMutate(data, size, most);
    unsigned way = seed / 2 % 6, more = seed / 12;
    span line = piece_at(data, 0, size, more % size, "\n"), cell = line;
    if (line.end > line.begin)
        cell = piece_at(data, line.begin, line.end, line.begin + more % (line.end - line.begin), ",;\t \n");
    span other = piece_at(data, 0, size, (more / 7919) % size, "\n");
    switch (way) {
    case 0: /* without this line */
        return replace_span(data, size, most, line, data, 0);
    case 1: /* this line again, elsewhere */
        return replace_span(data, size, most, (span){other.begin, other.begin}, data + line.begin, line.end - line.begin);
    case 2: /* without this cell */
        return replace_span(data, size, most, cell, data, 0);
    case 3: /* this cell twice */
        return replace_span(data, size, most, (span){cell.end, cell.end}, data + cell.begin, cell.end - cell.begin);
    case 4: /* this cell at the start of another line */
        return replace_span(data, size, most, (span){other.begin, other.begin}, data + cell.begin, cell.end - cell.begin);
    default:
        return put_word(data, size, most, cell, more / 13);
    }
}

#endif
#endif
