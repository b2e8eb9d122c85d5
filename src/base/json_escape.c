#include "base/json_escape.h"

#include <stdbool.h>
#include <string.h>

/* The four digits at p as a number; -1: they are not hexadecimal digits. */
static int32_t read_hex(const char *p, const char *end) {
    int32_t code = 0;
    if (end - p < 4) return -1;
    for (int i = 0; i < 4; i++) {
        char c = p[i], letter = (char)(c | 0x20);
        if (c >= '0' && c <= '9')
            code = 16 * code + c - '0';
        else if (letter >= 'a' && letter <= 'f')
            code = 16 * code + letter - 'a' + 10;
        else
            return -1;
    }
    return code;
}

int32_t hsp_json_escape(const char *s, const char *end, int *length) {
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char c = end - s > 1 ? s[1] : '\0';
    const char *found = c ? strchr(letters, c) : NULL;
    *length = 2;
    if (found) return meant[found - letters];
    if (c != 'u') return HSP_ESCAPE_UNKNOWN;
    int32_t code = read_hex(s + 2, end);
    *length = 6;
    if (code < 0) return HSP_ESCAPE_DIGITS;
    if (code == 0) return HSP_ESCAPE_NUL;
    if (code < 0xd800 || code >= 0xe000) return code;
    bool pair = code < 0xdc00 && end - s >= 12 && s[6] == '\\' && s[7] == 'u';
    int32_t low = pair ? read_hex(s + 8, end) : -1;
    *length = 12;
    return low < 0xdc00 || low >= 0xe000 ? HSP_ESCAPE_HALF : 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

int hsp_utf8_write(int32_t c, char *out) {
    int length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const int first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = length - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(first[length] | c);
    return length;
}
