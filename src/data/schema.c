#include "data/schema.h"

#include "base/memory.h"
#include "base/number.h"

#include <string.h>

static int copy_columns(const hsp_schema *s, hsp_schema *out) {
    if (s->name && !HSP_ALLOC_ZERO(out->name, s->d)) return HSP_EMEMORY;
    for (int64_t j = 0; s->name && j < s->d; j++)
        if (hsp_copy_string(&out->name[j], s->name[j])) return HSP_EMEMORY;
    return HSP_COPY(out->column, s->column, s->d) || HSP_COPY(out->unused, s->unused, s->d) ||
                   HSP_COPY(out->spelt, s->spelt, s->d) || HSP_COPY(out->numeric, s->numeric, s->d) ||
                   HSP_COPY(out->sign, s->sign, s->d)
               ? HSP_EMEMORY
               : 0;
}

int hsp_schema_copy(const hsp_schema *s, hsp_schema *out, hsp_error **err) {
    *out = *s;
    out->format = out->target = out->weight = out->missing = NULL;
    out->name = NULL;
    out->column = NULL;
    out->unused = out->spelt = out->numeric = NULL;
    out->sign = NULL;
    if (hsp_copy_string(&out->format, s->format) || hsp_copy_string(&out->target, s->target) ||
        hsp_copy_string(&out->weight, s->weight) || hsp_copy_string(&out->missing, s->missing) ||
        (s->d > 0 && copy_columns(s, out))) {
        hsp_schema_clear(out);
        return hsp_fail_memory(err);
    }
    return 0;
}

void hsp_schema_clear(hsp_schema *s) {
    if (s->name)
        for (int64_t j = 0; j < s->d; j++) hsp_free(s->name[j]);
    HSP_FREE(s->name, s->format, s->target, s->weight, s->missing, s->column, s->unused, s->spelt, s->numeric, s->sign);
    *s = (hsp_schema){0};
}

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_names(const hsp_schema *a, const hsp_schema *b) {
    if (!a->name != !b->name) return false;
    for (int64_t j = 0; a->name && j < a->d; j++)
        if (!same_text(a->name[j], b->name[j])) return false;
    return true;
}

static bool same_rules(const hsp_csv_rules *a, const hsp_csv_rules *b) {
    return a->comment == b->comment && a->skip_lines == b->skip_lines && a->marks.decimal == b->marks.decimal &&
           a->marks.thousands == b->marks.thousands && a->numeric_target == b->numeric_target &&
           a->target_sign == b->target_sign;
}

static bool same_places(const hsp_schema *a, const hsp_schema *b) {
    if (!a->column != !b->column || !a->unused != !b->unused || !a->sign != !b->sign) return false;
    if (a->sign && memcmp(a->sign, b->sign, (size_t)a->d) != 0) return false;
    for (int64_t j = 0; j < a->d; j++)
        if ((a->column && a->column[j] != b->column[j]) || (a->unused && a->unused[j] != b->unused[j])) return false;
    return true;
}

bool hsp_schema_same(const hsp_schema *a, const hsp_schema *b) {
    return a->d == b->d && a->header == b->header && a->delimiter == b->delimiter && a->file_columns == b->file_columns &&
           a->target_column == b->target_column && a->weight_column == b->weight_column && a->unquoted == b->unquoted &&
           same_rules(&a->rules, &b->rules) && a->table == b->table && a->base == b->base &&
           same_text(a->format, b->format) && same_text(a->target, b->target) && same_text(a->weight, b->weight) &&
           same_text(a->missing, b->missing) && same_names(a, b) && same_places(a, b);
}

int hsp_schema_check_names(const hsp_schema *s, const hsp_schema *known, const char *what, hsp_place where,
                           hsp_error **err) {
    for (int64_t j = 0; s->name && known->name && j < s->d && j < known->d; j++) {
        const char *a = s->name[j], *b = known->name[j];
        char held[HSP_EXCERPT], wanted[HSP_EXCERPT];
        if (!a || !b || strcmp(a, b) == 0) continue;
        return hsp_fail_at(err, HSP_EINPUT, where, "%s '%s' where the model has '%s': read the data for the model", what,
                           hsp_excerpt(held, a, (int64_t)strlen(a)), hsp_excerpt(wanted, b, (int64_t)strlen(b)));
    }
    return HSP_OK;
}

int64_t hsp_schema_absent(const hsp_schema *s) {
    int64_t absent = 0;
    for (int64_t j = 0; s->table && s->column && j < s->d; j++) absent += s->column[j] == 0 && !(s->unused && s->unused[j]);
    return absent;
}

void hsp_schema_name_absent(const hsp_schema *s, hsp_text *t) {
    enum { SHOWN = 3 };
    char buf[32], name[HSP_EXCERPT];
    int64_t all = hsp_schema_absent(s), shown = 0;
    for (int64_t j = 0; j < s->d && shown < all; j++) {
        if (s->column[j] != 0 || (s->unused && s->unused[j])) continue;
        const char *own = hsp_schema_feature(s, j, buf);
        if (shown == SHOWN) {
            hsp_text_add(t, ", ...");
            return;
        }
        hsp_text_format(t, "%s'%s'", shown++ ? ", " : "", hsp_excerpt(name, own, (int64_t)strlen(own)));
    }
}

bool hsp_schema_is_svmlight(const hsp_schema *s) {
    return s && s->format && strcmp(s->format, "svmlight") == 0;
}

const char *hsp_schema_feature(const hsp_schema *s, int64_t j, char *buf) {
    if (s->name && s->name[j]) return s->name[j];
    char *p = buf;
    int64_t number = j + 1;
    if (s->name) { /* other features have names: this is an empty hash bucket */
        *p++ = '#';
    } else if (hsp_schema_is_svmlight(s)) {
        number = s->base + j;
    } else {
        *p++ = 'x';
        if (s->column) number = s->column[j];
    }
    p += hsp_number_format_int(number, p);
    *p = '\0';
    return buf;
}
