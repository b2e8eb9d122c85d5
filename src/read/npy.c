/* The header is a Python literal, {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }. Only the subset that NumPy
 * writes is understood (NEP 1, A simple file format for NumPy arrays). */
#include "read/npy.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char MAGIC[] = "\x93NUMPY";
enum { MAGIC_SIZE = 6, DESCR = 16 };

bool hsp_npy_begins(const char *bytes, int64_t n) {
    return n >= MAGIC_SIZE && memcmp(bytes, MAGIC, MAGIC_SIZE) == 0;
}

static int fail_header(const hsp_npy *a, hsp_error **err) {
    return hsp_fail_file(err, a->name, "damaged file, its header is not a NumPy header: save the array again");
}

/* ---- the literal ---- */

typedef struct cursor {
    const char *p, *end;
} cursor;

static void skip_blanks(cursor *c) {
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t')) c->p++;
}

/* Skips blanks and s; false when s is not there. */
static bool take_text(cursor *c, const char *s) {
    size_t n = strlen(s);
    skip_blanks(c);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, s, n) != 0) return false;
    c->p += n;
    return true;
}

/* Reads a string in either kind of quotes; false: there is none, or it has more than size-1 bytes. */
static bool take_string(cursor *c, char *out, size_t size) {
    skip_blanks(c);
    char quote = c->p < c->end ? *c->p : '\0';
    if (quote != '\'' && quote != '"') return false;
    const char *begin = ++c->p;
    while (c->p < c->end && *c->p != quote) c->p++;
    size_t n = (size_t)(c->p - begin);
    if (c->p == c->end || n >= size) return false;
    c->p++;
    memcpy(out, begin, n);
    out[n] = '\0';
    return true;
}

/* Reads a shape. Returns the number of dimensions, or -1; stores at most `most`. */
static int take_shape(cursor *c, int64_t *shape, int most) {
    int count = 0;
    if (!take_text(c, "(")) return -1;
    while (!take_text(c, ")")) {
        int64_t v;
        skip_blanks(c);
        const char *next = hsp_number_parse_int(c->p, c->end, &v);
        if (!next || count == INT_MAX) return -1;
        c->p = next + (next < c->end && *next == 'L'); /* Python 2's long integers */
        if (count < most) shape[count] = v;
        count++;
        if (!take_text(c, ",") && (c->p == c->end || *c->p != ')')) return -1;
    }
    return count;
}

/* ---- type and shape ---- */

static int read_type(hsp_npy *a, const char *descr, hsp_error **err) {
    static const char *const types[] = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"};
    const char *name = descr + (*descr && strchr("<>|=", *descr) ? 1 : 0);
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        if (strcmp(types[k], name) != 0) continue;
        a->kind = name[0];
        a->bytes = name[1] - '0';
        a->swapped = *descr == '>' && a->bytes > 1;
        return 0;
    }
    const char *letter = descr + strspn(descr, "<>|=");
    const char *what = *letter == 'O'                     ? "objects"
                       : *letter == 'U' || *letter == 'S' ? "text"
                       : *letter == 'c'                   ? "complex numbers"
                       : *letter == 'M' || *letter == 'm' ? "dates"
                                                          : "something other than numbers";
    return hsp_fail_file(err, a->name, "holds %s (dtype '%s'): save numbers, as with array.astype('f8')", what, descr);
}

static int read_shape(hsp_npy *a, const int64_t *shape, int dimensions, hsp_error **err) {
    if (dimensions < 1 || dimensions > 2)
        return hsp_fail_file(err, a->name, "array of %d dimensions: save rows and columns, as with array.reshape",
                             dimensions);
    a->n = shape[0];
    a->columns = dimensions == 2 ? shape[1] : 1;
    if (a->n < 1) return hsp_fail_file(err, a->name, "no rows: save at least one");
    if (a->columns < 1) return hsp_fail_file(err, a->name, "no columns: save at least one");
    if (a->columns > INT32_MAX) return hsp_fail_file(err, a->name, "more than 2147483647 columns: save fewer");
    return 0;
}

static int read_literal(hsp_npy *a, cursor c, hsp_error **err) {
    char key[16], descr[DESCR] = "";
    int64_t shape[2] = {0, 0};
    int dimensions = -1;
    bool order = false;
    if (!take_text(&c, "{")) return fail_header(a, err);
    while (!take_text(&c, "}")) {
        if (!take_string(&c, key, sizeof key) || !take_text(&c, ":")) return fail_header(a, err);
        bool good = false;
        if (strcmp(key, "descr") == 0) {
            if (take_text(&c, "["))
                return hsp_fail_file(err, a->name,
                                     "holds records of several fields: save one table of numbers, as with "
                                     "numpy.lib.recfunctions.structured_to_unstructured");
            good = take_string(&c, descr, sizeof descr);
        } else if (strcmp(key, "fortran_order") == 0) {
            a->fortran = take_text(&c, "True");
            order = good = a->fortran || take_text(&c, "False");
        } else if (strcmp(key, "shape") == 0) {
            dimensions = take_shape(&c, shape, 2);
            good = dimensions >= 0;
        }
        if (!good) return fail_header(a, err);
        if (!take_text(&c, ",") && (c.p == c.end || *c.p != '}')) return fail_header(a, err);
    }
    skip_blanks(&c);
    if (c.p != c.end || !order || dimensions < 0 || !*descr) return fail_header(a, err);
    int status = read_type(a, descr, err);
    return status ? status : read_shape(a, shape, dimensions, err);
}

/* The numbers must fill the rest of the file exactly. */
static int check_size(const hsp_npy *a, int64_t room, hsp_error **err) {
    int64_t size;
    bool beyond = __builtin_mul_overflow(a->n, a->columns, &size) || __builtin_mul_overflow(size, (int64_t)a->bytes, &size);
    if (beyond || size > room)
        return hsp_fail_file(err, a->name,
                             "truncated, %lld x %lld numbers do not fit in its %lld bytes: copy or save it again",
                             (long long)a->n, (long long)a->columns, (long long)room);
    if (size < room)
        return hsp_fail_file(err, a->name, "%lld extra bytes after %lld x %lld numbers: copy or save it again",
                             (long long)(room - size), (long long)a->n, (long long)a->columns);
    return 0;
}

int hsp_npy_open(hsp_npy *a, hsp_map *map, const char *name, hsp_error **err) {
    *a = (hsp_npy){.map = hsp_map_share(map)};
    a->name = hsp_strdup(name);
    if (!a->name) return hsp_fail_memory(err);
    const unsigned char *b = (const unsigned char *)hsp_map_bytes(map);
    int64_t size = hsp_map_size(map), length;
    if (!hsp_npy_begins((const char *)b, size))
        return hsp_fail_file(err, a->name, "not a NumPy array: numpy.save writes such files");
    int major = size > MAGIC_SIZE ? b[MAGIC_SIZE] : 0;
    if (size > MAGIC_SIZE && (major < 1 || major > 3))
        return hsp_fail_file(err, a->name, "unknown version %d of the format (known: 1 to 3): save it again", major);
    int64_t begin = major == 1 ? 10 : 12;
    if (size < begin) return hsp_fail_file(err, a->name, "truncated in its header: copy or save it again");
    length = b[8] | b[9] << 8;
    if (major > 1) length |= (int64_t)b[10] << 16 | (int64_t)b[11] << 24;
    if (length > size - begin) return hsp_fail_file(err, a->name, "truncated in its header: copy or save it again");
    int status = read_literal(a, (cursor){(const char *)b + begin, (const char *)b + begin + length}, err);
    a->cells = (const char *)b + begin + length;
    return status ? status : check_size(a, size - begin - length, err);
}

void hsp_npy_close(hsp_npy *a) {
    hsp_free(a->name);
    hsp_map_close(a->map);
    *a = (hsp_npy){0};
}

const char *hsp_npy_type(const hsp_npy *a, char *buf) {
    const char *kind = a->kind == 'f' ? "float" : a->kind == 'i' ? "int" : "uint";
    if (a->kind == 'b') return "bool";
    snprintf(buf, 16, "%s%d", kind, 8 * a->bytes);
    return buf;
}

/* ---- numbers ---- */

/* The bits of a number in native byte order. */
static inline uint64_t bits_at(const char *p, int bytes, bool swapped) {
    uint64_t v = 0;
    memcpy(&v, p, (size_t)bytes);
    return swapped ? __builtin_bswap64(v) >> (64 - 8 * bytes) : v;
}

static double half(uint64_t bits) {
    int exponent = (int)(bits >> 10 & 31);
    double m = (double)(bits & 1023), v;
    if (exponent == 31)
        v = NAN;
    else
        v = exponent == 0 ? ldexp(m, -24) : ldexp(m + 1024, exponent - 25);
    return bits >> 15 ? -v : v;
}

static double float_of(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float v;
    memcpy(&v, &low, sizeof v);
    return (double)v;
}

static double double_of(uint64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static double signed_of(uint64_t bits, int bytes) {
    int shift = 64 - 8 * bytes;
    int64_t v = (int64_t)(bits << shift) >> shift;
    return (double)v >= 0x1p63 || (int64_t)(double)v != v ? NAN : (double)v;
}

static double unsigned_of(uint64_t v) {
    return (double)v >= 0x1p64 || (uint64_t)(double)v != v ? NAN : (double)v;
}

static inline double number_of(const hsp_npy *a, const char *p) {
    uint64_t bits = bits_at(p, a->bytes, a->swapped);
    switch (a->kind) {
    case 'f':
        return a->bytes == 8 ? double_of(bits) : a->bytes == 4 ? float_of(bits) : half(bits);
    case 'i':
        return signed_of(bits, a->bytes);
    case 'u':
        return unsigned_of(bits);
    default:
        return bits != 0;
    }
}

static const char *cell_at(const hsp_npy *a, int64_t i, int64_t c) {
    return a->cells + (a->fortran ? c * a->n + i : i * a->columns + c) * a->bytes;
}

bool hsp_npy_column(const hsp_npy *a, int64_t c, int64_t from, int64_t count, double *out, int64_t step) {
    const char *p = cell_at(a, from, c);
    int64_t stride = (a->fortran ? 1 : a->columns) * a->bytes;
    bool bad = false;
    for (int64_t k = 0; k < count; k++) {
        double v = number_of(a, p + k * stride);
        bool finite = isfinite(v);
        out[k * step] = finite ? v : (double)NAN;
        bad |= !finite;
    }
    return bad;
}

int hsp_npy_fail(const hsp_npy *a, int64_t i, int64_t c, hsp_error **err) {
    const char *p = cell_at(a, i, c);
    uint64_t bits = bits_at(p, a->bytes, a->swapped);
    long long row = (long long)i + 1, column = (long long)c + 1;
    if (a->kind == 'i')
        return hsp_fail_file(
            err, a->name,
            "row %lld, column %lld (from 1) holds %lld, which is not exact in double precision: scale the column down", row,
            column, (long long)bits);
    if (a->kind == 'u')
        return hsp_fail_file(
            err, a->name,
            "row %lld, column %lld (from 1) holds %llu, which is not exact in double precision: scale the column down", row,
            column, (unsigned long long)bits);
    bool nan = a->bytes == 2 ? (bits & 1023) != 0 : isnan(number_of(a, p));
    return hsp_fail_file(err, a->name, "row %lld, column %lld (from 1) holds %s: fill it in or remove the row", row, column,
                         nan ? "NaN" : "infinity");
}
