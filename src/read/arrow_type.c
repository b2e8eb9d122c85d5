/* The format strings of the Arrow C data interface. */
#include "base/number.h"
#include "read/arrow.h"

#include <string.h>

#define DAY ((int64_t)86400)

typedef struct format_entry {
    const char *format;
    hsp_arrow_type type;
} format_entry;

/* Whole formats. */
static const format_entry whole[] = {
    {"n", {.kind = HSP_ARROW_NULL, .name = "null"}},
    {"b", {.kind = HSP_ARROW_BOOL, .name = "bool"}},
    {"c", {.kind = HSP_ARROW_INT, .bytes = 1, .name = "int8"}},
    {"C", {.kind = HSP_ARROW_UINT, .bytes = 1, .name = "uint8"}},
    {"s", {.kind = HSP_ARROW_INT, .bytes = 2, .name = "int16"}},
    {"S", {.kind = HSP_ARROW_UINT, .bytes = 2, .name = "uint16"}},
    {"i", {.kind = HSP_ARROW_INT, .bytes = 4, .name = "int32"}},
    {"I", {.kind = HSP_ARROW_UINT, .bytes = 4, .name = "uint32"}},
    {"l", {.kind = HSP_ARROW_INT, .bytes = 8, .name = "int64"}},
    {"L", {.kind = HSP_ARROW_UINT, .bytes = 8, .name = "uint64"}},
    {"e", {.kind = HSP_ARROW_FLOAT, .bytes = 2, .name = "float16"}},
    {"f", {.kind = HSP_ARROW_FLOAT, .bytes = 4, .name = "float32"}},
    {"g", {.kind = HSP_ARROW_FLOAT, .bytes = 8, .name = "float64"}},
    {"u", {.kind = HSP_ARROW_TEXT, .bytes = 4, .name = "utf8"}},
    {"U", {.kind = HSP_ARROW_TEXT, .bytes = 8, .name = "large_utf8"}},
    {"vu", {.kind = HSP_ARROW_VIEW, .bytes = 16, .name = "utf8_view"}},
    {"tdD", {.kind = HSP_ARROW_DATE, .bytes = 4, .unit = 1, .name = "date32"}},
    {"tdm", {.kind = HSP_ARROW_DATE, .bytes = 8, .unit = DAY * 1000, .name = "date64"}},
    {"z", {.name = "binary"}},
    {"Z", {.name = "large_binary"}},
    {"vz", {.name = "binary_view"}},
    {"+l", {.name = "list"}},
    {"+L", {.name = "large_list"}},
    {"+vl", {.name = "list_view"}},
    {"+vL", {.name = "large_list_view"}},
    {"+s", {.name = "struct"}},
    {"+m", {.name = "map"}},
    {"+r", {.name = "run_end_encoded"}},
};

/* Formats that begin so. A time zone follows those of timestamps. */
static const format_entry beginning[] = {
    {"tss:", {.kind = HSP_ARROW_TIME, .bytes = 8, .unit = DAY, .name = "timestamp[s]"}},
    {"tsm:", {.kind = HSP_ARROW_TIME, .bytes = 8, .unit = DAY * 1000, .name = "timestamp[ms]"}},
    {"tsu:", {.kind = HSP_ARROW_TIME, .bytes = 8, .unit = DAY * 1000000, .name = "timestamp[us]"}},
    {"tsn:", {.kind = HSP_ARROW_TIME, .bytes = 8, .unit = DAY * 1000000000, .name = "timestamp[ns]"}},
    {"tt", {.name = "time"}},
    {"tD", {.name = "duration"}},
    {"ti", {.name = "interval"}},
    {"w:", {.name = "fixed_size_binary"}},
    {"+w:", {.name = "fixed_size_list"}},
    {"+u", {.name = "union"}},
};

/* d:PRECISION,SCALE[,BITS]; supported are up to 128 bits, which is the default. */
static void read_decimal(const char *s, hsp_arrow_type *out) {
    enum { MOST = 76 };
    const char *end = s + strlen(s), *p = s + strlen("d:");
    int64_t precision, scale, bits = 128;
    out->name = "decimal";
    p = hsp_number_parse_int(p, end, &precision);
    if (!p || *p != ',') return;
    bool negative = p[1] == '-';
    p = hsp_number_parse_int(p + 1 + negative, end, &scale);
    if (p && *p == ',') p = hsp_number_parse_int(p + 1, end, &bits);
    if (p != end || scale > MOST || (bits != 32 && bits != 64 && bits != 128)) return;
    out->kind = HSP_ARROW_DECIMAL;
    out->bytes = (int)bits / 8;
    out->scale = (int)(negative ? -scale : scale);
}

/* The offset of a zone that is written as +01:00, in minutes; 0: it is another one. */
static int zone_minutes(const char *s) {
    bool digits = strlen(s) == 6 && (*s == '+' || *s == '-') && s[3] == ':';
    for (int k = 1; k < 6 && digits; k++) digits = k == 3 || (s[k] >= '0' && s[k] <= '9');
    if (!digits) return 0;
    int hours = 10 * (s[1] - '0') + s[2] - '0', minutes = 10 * (s[4] - '0') + s[5] - '0';
    if (hours > 23 || minutes > 59) return 0;
    return *s == '-' ? -(60 * hours + minutes) : 60 * hours + minutes;
}

static void read_format(const char *s, hsp_arrow_type *out) {
    *out = (hsp_arrow_type){0};
    if (!s) return;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(s, whole[i].format) == 0) *out = whole[i].type;
    for (size_t i = 0; i < sizeof beginning / sizeof *beginning; i++) {
        size_t n = strlen(beginning[i].format);
        if (strncmp(s, beginning[i].format, n) != 0) continue;
        *out = beginning[i].type;
        out->zoned = out->kind == HSP_ARROW_TIME && s[n] != '\0';
        out->minutes = out->zoned ? zone_minutes(s + n) : 0;
    }
    if (strncmp(s, "d:", 2) == 0) read_decimal(s, out);
}

void hsp_arrow_column_of(const struct ArrowSchema *schema, hsp_arrow_column *out) {
    *out = (hsp_arrow_column){.coded = schema->dictionary != NULL};
    read_format(schema->format, &out->type);
    if (!out->coded) return;
    out->index = out->type;
    read_format(schema->dictionary->format, &out->type);
    bool whole_index = out->index.kind == HSP_ARROW_INT || out->index.kind == HSP_ARROW_UINT;
    if (!whole_index || schema->dictionary->dictionary) out->type = (hsp_arrow_type){.name = "dictionary of dictionaries"};
    if (!whole_index) out->type.name = "dictionary whose indices are no integers";
}

bool hsp_arrow_is_number(const hsp_arrow_column *c) {
    switch (c->type.kind) {
    case HSP_ARROW_NULL:
    case HSP_ARROW_INT:
    case HSP_ARROW_UINT:
    case HSP_ARROW_FLOAT:
    case HSP_ARROW_DECIMAL: return !c->coded;
    default: return false;
    }
}
