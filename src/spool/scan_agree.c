/* Whether the files of one data set have the same columns. */
#include "base/error.h"
#include "base/text.h"
#include "data/schema.h"
#include "spool/scan.h"

#include <string.h>

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static int agree_names(const hsp_schema *first, const char *first_path, const hsp_schema *s, const char *path,
                       hsp_error **err) {
    char held[32], wanted[32], a[HSP_EXCERPT], b[HSP_EXCERPT];
    for (int64_t j = 0; j < s->d && first->name && s->name; j++) {
        const char *mine = hsp_schema_feature(s, j, held), *other = hsp_schema_feature(first, j, wanted);
        if (strcmp(mine, other) == 0) continue;
        return hsp_fail_file(err, path, "column %lld is '%s', but in %s it is '%s': give files with the same columns",
                             (long long)(s->column ? s->column[j] : j + 1), hsp_excerpt(a, mine, (int64_t)strlen(mine)),
                             first_path, hsp_excerpt(b, other, (int64_t)strlen(other)));
    }
    return 0;
}

int hsp_scan_agree(const hsp_schema *first, const char *first_path, const hsp_schema *s, const char *path, hsp_error **err) {
    if (hsp_schema_is_svmlight(s)) return 0; /* features that a file lacks are 0 there */
    if (s->header != first->header)
        return hsp_fail_file(err, path, "%s header, but %s has %s: give files that are alike, or use --header",
                             s->header ? "a" : "no", first_path, first->header ? "one" : "none");
    if (s->file_columns != first->file_columns)
        return hsp_fail_file(err, path, "%lld columns, but %s has %lld: give files with the same columns",
                             (long long)s->file_columns, first_path, (long long)first->file_columns);
    int status = agree_names(first, first_path, s, path, err);
    if (status < 0) return status;
    if (s->target_column != first->target_column || !same_text(s->target, first->target))
        return hsp_fail_file(err, path, "the target is column %lld, but in %s it is column %lld: use --target",
                             (long long)s->target_column, first_path, (long long)first->target_column);
    if (s->weight_column != first->weight_column || s->d != first->d)
        return hsp_fail_file(err, path, "not the same columns are left out or hold weights as in %s: give files that are alike",
                             first_path);
    return 0;
}
