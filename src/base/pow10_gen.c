/* Writes the table of pow10.h as C to the file named by the argument. Positive powers by exact multiplication from 1,
 * negative ones by divisions of 2^SCALE that round down: floor(floor(x/10)/10) = floor(x/100), so errors do not add up. */
#include "pow10.h"

#include <stdio.h>

#define SCALE 1280 /* 2^SCALE / 10^342 still has 143 bits */
#define LIMBS (SCALE / 32 + 1)

typedef struct natural {
    uint32_t limb[LIMBS]; /* least significant first */
} natural;

static void multiply_by_ten(natural *x) {
    uint64_t carry = 0;
    for (int i = 0; i < LIMBS; i++, carry >>= 32) x->limb[i] = (uint32_t)(carry += x->limb[i] * UINT64_C(10));
}

static void divide_by_ten(natural *x) {
    uint64_t rest = 0;
    for (int i = LIMBS - 1; i >= 0; i--, rest %= 10) {
        rest = rest << 32 | x->limb[i];
        x->limb[i] = (uint32_t)(rest / 10);
    }
}

static int bit(const natural *x, int i) {
    return i < 0 ? 0 : (int)(x->limb[i / 32] >> i % 32 & 1);
}

/* The 128 bits from the highest set bit on. */
static void write_row(FILE *out, const natural *x, int q) {
    uint64_t word[2] = {0, 0};
    int top = LIMBS * 32 - 1;
    while (!bit(x, top)) top--;
    for (int i = 0; i < 128; i++) word[i / 64] = word[i / 64] << 1 | (uint64_t)bit(x, top - i);
    fprintf(out, "    {0x%016llx, 0x%016llx}, /* 10^%d */\n", (unsigned long long)word[0], (unsigned long long)word[1], q);
}

int main(int argc, char **argv) {
    static natural power[HSP_POW10_MAX - HSP_POW10_MIN + 1];
    natural *one = power - HSP_POW10_MIN, x = {{0}};
    x.limb[LIMBS - 1] = 1;
    for (int q = -1; q >= HSP_POW10_MIN; q--) {
        divide_by_ten(&x);
        one[q] = x;
    }
    one[0] = (natural){{1}};
    for (int q = 1; q <= HSP_POW10_MAX; q++) {
        one[q] = one[q - 1];
        multiply_by_ten(&one[q]);
    }
    FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (out == NULL) return 1;
    fprintf(out, "/* Made by pow10_gen.c. */\n#include \"base/pow10.h\"\n\n"
                 "const uint64_t hsp_pow10[HSP_POW10_MAX - HSP_POW10_MIN + 1][2] = {\n");
    for (int q = HSP_POW10_MIN; q <= HSP_POW10_MAX; q++) write_row(out, &one[q], q);
    fprintf(out, "};\n");
    return fclose(out) == 0 ? 0 : 1;
}
