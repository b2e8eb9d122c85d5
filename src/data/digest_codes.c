#include "data/digest_codes.h"

#include <string.h>

static const uint64_t FREE = ~UINT64_C(0); /* a NaN, which is never stored */

static uint64_t slot_of(uint64_t bits) {
    return (bits * UINT64_C(0x9e3779b97f4a7c15)) >> 54; /* 10 bits for 1024 slots */
}

void hsp_codes_reset(hsp_codes *c) {
    c->count = 0;
    memset(c->key, 0xff, sizeof c->key);
    c->key[0] = 0;
    c->code[0] = HSP_CODES_ZERO;
}

/* The slot of a number, which is added if it is new; negative: no byte is left. */
static int64_t find_slot(hsp_codes *c, uint64_t bits) {
    uint64_t at = slot_of(bits);
    while (c->key[at] != bits && c->key[at] != FREE) at = (at + 1) % HSP_CODES_SLOTS;
    if (c->key[at] == bits) return (int64_t)at;
    if (c->count == HSP_CODES_MOST) return -1;
    c->key[at] = bits;
    c->code[at] = (uint8_t)c->count;
    c->value[c->count++] = bits;
    return (int64_t)at;
}

int hsp_codes_add(hsp_codes *c, uint64_t bits) {
    int64_t at = find_slot(c, bits);
    return at < 0 ? -1 : c->code[at];
}

bool hsp_codes_holds(const hsp_codes *c, uint64_t bits) {
    uint64_t at = slot_of(bits);
    while (c->key[at] != bits && c->key[at] != FREE) at = (at + 1) % HSP_CODES_SLOTS;
    return c->key[at] == bits;
}

bool hsp_codes_encode(hsp_codes *restrict c, const double *restrict v, int64_t n, uint8_t *restrict code) {
    for (int64_t t = 0; t < n; t++) {
        uint64_t bits;
        memcpy(&bits, v + t, sizeof bits);
        uint64_t at = slot_of(bits);
        if (c->key[at] != bits) {
            int64_t found = find_slot(c, bits);
            if (found < 0) return false;
            at = (uint64_t)found;
        }
        code[t] = c->code[at];
    }
    return true;
}
