/* Radix sort by bytes, least significant first. A byte that is the same in all keys, as most are in columns of few values
 * or of integers, is skipped. */
#include "inspect/spots.h"

#include <string.h>

enum { BYTES = 8, BUCKETS = 256 };

/* An unsigned key in the same order as the numbers. */
static uint64_t key(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static void count_bytes(const hsp_spot *s, int64_t n, int64_t count[BYTES][BUCKETS]) {
    memset(count, 0, BYTES * sizeof *count);
    for (int64_t i = 0; i < n; i++) {
        uint64_t k = key(s[i].v);
        for (int b = 0; b < BYTES; b++) count[b][k >> 8 * b & 0xff]++;
    }
}

void hsp_spots_sort(hsp_spot *s, int64_t n, hsp_spot *scratch) {
    int64_t count[BYTES][BUCKETS];
    hsp_spot *from = s, *to = scratch;
    if (n < 2) return;
    count_bytes(s, n, count);
    uint64_t first = key(s[0].v);
    for (int b = 0; b < BYTES; b++) {
        if (count[b][first >> 8 * b & 0xff] == n) continue;
        for (int64_t k = 0, sum = 0, held; k < BUCKETS; k++, sum += held) {
            held = count[b][k];
            count[b][k] = sum;
        }
        for (int64_t i = 0; i < n; i++) to[count[b][key(from[i].v) >> 8 * b & 0xff]++] = from[i];
        hsp_spot *swap = from;
        from = to;
        to = swap;
    }
    if (from != s) memcpy(s, from, (size_t)n * sizeof *s);
}
