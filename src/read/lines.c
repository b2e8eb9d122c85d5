#include "read/lines.h"

#include <string.h>

hsp_place hsp_lines_place_in(const char *file, int64_t line, const char *from, const char *p) {
    for (const char *c = from; c < p; c++) {
        if (*c == '\n' || (*c == '\r' && c[1] != '\n')) {
            line++;
            from = c + 1;
        }
    }
    return (hsp_place){file, line, p - from + 1};
}

int hsp_fail_binary(hsp_error **err, hsp_place where) {
    return hsp_fail_at(err, HSP_EINPUT, where,
                       "the file looks binary (it has a NUL byte): give a text table, CSV or svmlight");
}

const char *hsp_excerpt(char buf[HSP_EXCERPT], const char *s, int64_t n) {
    int64_t m = n < 40 ? n : 40;
    while (n > 40 && m > 30 && ((unsigned char)s[m] & 0xc0) == 0x80) m--;
    memcpy(buf, s, (size_t)m);
    memcpy(buf + m, n > m ? "..." : "", n > m ? 4 : 1);
    return buf;
}
