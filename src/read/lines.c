#include "read/lines.h"

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
    return hsp_fail_at(err, HSP_EINPUT, where, "the file is binary (it has a NUL byte): give a text file, CSV or svmlight");
}
