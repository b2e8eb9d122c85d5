/* Codes for data with few distinct numbers: each of up to 256 gets a byte, in the order of appearance. Numbers are compared
 * by their bits. Zero (not -0) is not counted: it has the last byte, unless a 256th number takes it. */
#ifndef HSP_DATA_DIGEST_CODES_H
#define HSP_DATA_DIGEST_CODES_H

#include <stdbool.h>
#include <stdint.h>

enum { HSP_CODES_MOST = 256, HSP_CODES_ZERO = 255, HSP_CODES_SLOTS = 1024 };

typedef struct hsp_codes {
    int count;
    uint64_t value[HSP_CODES_MOST]; /* bits of the numbers */
    uint64_t key[HSP_CODES_SLOTS];  /* open addressing */
    uint8_t code[HSP_CODES_SLOTS];
} hsp_codes; /* call hsp_codes_reset first */

void hsp_codes_reset(hsp_codes *c);
/* The byte of a finite number, which is added if it is new; -1: there are 256 others. */
int hsp_codes_add(hsp_codes *c, uint64_t bits);
bool hsp_codes_holds(const hsp_codes *c, uint64_t bits);
/* The bytes of n numbers; false: there are more than 256 distinct ones. */
bool hsp_codes_encode(hsp_codes *c, const double *v, int64_t n, uint8_t *code);

#endif
