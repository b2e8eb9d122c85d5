/* Packing and unpacking the container file. A file is checked from the outside in: magic line, sizes, checksum, header,
 * directory. Each step relies only on bounds that an earlier step has checked. */
#define XXH_STATIC_LINKING_ONLY
#include "base/container.h"

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/pool.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are stored as they are in memory: little-endian");

enum { BOUNDARY = 64, HEADER_DIGITS = 12, TOTAL_DIGITS = 15, HASH_BYTES = 8, LINE_MAX_BYTES = 128 };
enum { PIECE = HSP_CONTAINER_PIECE };

static const char DIGESTS[] = "digests";

typedef struct dtype_row {
    int32_t dtype;
    const char *name;
    int64_t bytes;
} dtype_row;

static const dtype_row dtype_table[] = {{HSP_FLOAT32, "float32", 4},
                                        {HSP_FLOAT64, "float64", 8},
                                        {HSP_INT32, "int32", 4},
                                        {HSP_INT64, "int64", 8},
                                        {HSP_UINT32, "uint32", 4},
                                        {HSP_CONTAINER_UINT8, "uint8", 1},
                                        {HSP_CONTAINER_UINT16, "uint16", 2}};

static const dtype_row *dtype_of(int32_t dtype, const char *name) {
    for (size_t i = 0; i < sizeof dtype_table / sizeof dtype_table[0]; i++) {
        if (name ? strcmp(dtype_table[i].name, name) == 0 : dtype_table[i].dtype == dtype) return &dtype_table[i];
    }
    return NULL;
}

static int64_t round_up(int64_t n) {
    return (n + BOUNDARY - 1) / BOUNDARY * BOUNDARY;
}

/* Bytes of an array, or -1: unknown type, negative shape or overflow. */
static int64_t array_bytes(const hsp_container_array *a) {
    const dtype_row *type = dtype_of(a->dtype, NULL);
    int64_t bytes;
    if (!type || a->shape[0] < 0 || a->shape[1] < 0 || __builtin_mul_overflow(a->shape[0], a->shape[1], &bytes) ||
        __builtin_mul_overflow(bytes, type->bytes, &bytes)) {
        return -1;
    }
    return bytes;
}

/* ---- packing ---- */

/* The end of the JSON string that begins at s, or of the text. */
static const char *skip_string(const char *s) {
    for (s++; *s && *s != '"'; s++) {
        if (*s == '\\' && s[1]) s++;
    }
    return *s ? s + 1 : s;
}

/* Bytes of the arrays with the padding between them. */
static int measure_arrays(const hsp_container_array *arrays, int64_t count, int64_t *body, hsp_error **err) {
    *body = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t bytes = array_bytes(&arrays[i]);
        if (bytes < 0) return hsp_fail(err, HSP_EINTERNAL, "array '%s' has no size", arrays[i].name);
        *body = round_up(*body) + bytes;
    }
    return 0;
}

static void add_directory(hsp_text *t, const hsp_container_array *arrays, int64_t count) {
    int64_t offset = 0;
    hsp_text_add(t, "\"arrays\": [");
    for (int64_t i = 0; i < count; i++) {
        hsp_text_format(t, "%s\n    {\"name\":\"%s\",\"dtype\":\"%s\",\"shape\":[%lld,%lld],\"offset\":%lld}",
                        i > 0 ? "," : "", arrays[i].name, dtype_of(arrays[i].dtype, NULL)->name,
                        (long long)arrays[i].shape[0], (long long)arrays[i].shape[1], (long long)offset);
        offset = round_up(offset + array_bytes(&arrays[i]));
    }
    hsp_text_add(t, "]\n}");
}

/* The header, which follows the `line` bytes of the magic line: JSON, blanks and a line end up to the next boundary. */
static int make_header(const char *header, int64_t line, const hsp_container_array *arrays, int64_t count, hsp_text *t,
                       hsp_error **err) {
    /* Copies JSON with a line for each member of the outermost object, and leaves that object open. */
    int depth = 0;
    const char *s = header, *run = header; /* run: the start of what is not copied yet */
    while (*s) {
        char c = *s;
        if (c == '}' || c == ']') depth--;
        if (c == '}' && depth == 0) break;
        s = c == '"' ? skip_string(s) : s + 1;
        if (c == '{' || c == '[') depth++;
        if (depth != 1 || !strchr("{,:", c)) continue;
        hsp_text_add_n(t, run, s - run);
        hsp_text_add(t, c == ':' ? " " : "\n  ");
        run = s;
    }
    hsp_text_add_n(t, run, s - run);
    const char *last = t->failed ? "" : t->s + t->length;
    while (!t->failed && last > t->s && (last[-1] == ' ' || last[-1] == '\n')) last--;
    if (!t->failed && last > t->s && last[-1] != '{') hsp_text_add(t, ",\n  ");
    add_directory(t, arrays, count);
    for (int64_t used = line + t->length + 1; used % BOUNDARY != 0; used++) hsp_text_char(t, ' ');
    hsp_text_char(t, '\n');
    return t->failed ? hsp_fail_memory(err) : 0;
}

static int magic_line(char *line, const char *kind, int version, int64_t header, int64_t total) {
    return snprintf(line, LINE_MAX_BYTES, "halfspace %s %d header %0*lld total %0*lld\n", kind, version, HEADER_DIGITS,
                    (long long)header, TOTAL_DIGITS, (long long)total);
}

int hsp_container_pack(const char *kind, int version, const char *header, const hsp_container_array *arrays, int64_t count,
                       void **bytes, int64_t *size, hsp_error **err) {
    *bytes = NULL;
    *size = 0;
    hsp_text t = {0};
    char line[LINE_MAX_BYTES];
    int64_t length = magic_line(line, kind, version, 0, 0), body = 0, at = 0;
    int status = measure_arrays(arrays, count, &body, err);
    if (!status) status = make_header(header, length, arrays, count, &t, err);
    if (status) goto done;
    int64_t start = length + t.length, total = start + body + HASH_BYTES;
    char *p = hsp_alloc_zero(total, 1);
    if (!p) {
        status = hsp_fail_memory(err);
        goto done;
    }
    magic_line(line, kind, version, t.length, total);
    memcpy(p, line, (size_t)length);
    memcpy(p + length, t.s, (size_t)t.length);
    for (int64_t i = 0; i < count; i++) {
        int64_t n = array_bytes(&arrays[i]);
        if (n > 0) memcpy(p + start + at, arrays[i].data, (size_t)n);
        at = round_up(at + n);
    }
    uint64_t hash = XXH3_64bits(p, (size_t)(total - HASH_BYTES));
    memcpy(p + total - HASH_BYTES, &hash, HASH_BYTES);
    *bytes = p;
    *size = total;
done:
    hsp_text_free(&t);
    return status;
}

/* ---- sealing ---- */

static int64_t pieces_of(int64_t bytes) {
    return (bytes + PIECE - 1) / PIECE;
}

/* Output that is hashed piece by piece as it is written. */
typedef struct seal {
    hsp_out *out;
    hsp_error **err;
    XXH3_state_t state;
    int64_t at;
    uint64_t *digest;
    const hsp_map *map; /* NULL: none */
} seal;

static void end_piece(seal *s) {
    s->digest[pieces_of(s->at) - 1] = XXH3_64bits_digest(&s->state);
    XXH3_64bits_reset(&s->state);
}

static int put_bytes(seal *s, const char *bytes, int64_t n, const hsp_map *map) {
    while (n > 0) {
        int64_t room = PIECE - s->at % PIECE, part = n < room ? n : room;
        XXH3_64bits_update(&s->state, bytes, (size_t)part);
        int status = hsp_out_write(s->out, bytes, part, s->err);
        if (status) return status;
        if (map) hsp_map_spare(map, bytes, part);
        s->at += part;
        bytes += part;
        n -= part;
        if (s->at % PIECE == 0) end_piece(s);
    }
    return 0;
}

/* Writes an array and the padding after it. */
static int put_array(seal *s, const hsp_container_array *a, int64_t pitch) {
    static const char zeros[BOUNDARY];
    int64_t bytes = array_bytes(a), rows = a->shape[0], width = rows > 0 ? bytes / rows : 0;
    int status = 0;
    if (pitch == 0 || pitch == width) {
        status = put_bytes(s, a->data, bytes, s->map);
    } else {
        for (int64_t i = 0; i < rows && !status; i++) status = put_bytes(s, (const char *)a->data + i * pitch, width, NULL);
    }
    return status ? status : put_bytes(s, zeros, round_up(s->at) - s->at, NULL);
}

/* Writes the whole file. `all`: the arrays, the last of which are the digests, computed here. */
static int write_sealed(seal *s, const char *line, const hsp_text *header, const hsp_container_array *all,
                        const int64_t *pitch, int64_t count) {
    int status = hsp_out_write(s->out, line, (int64_t)strlen(line), s->err);
    if (!status) status = hsp_out_write(s->out, header->s, header->length, s->err);
    XXH3_INITSTATE(&s->state);
    XXH3_64bits_reset(&s->state);
    for (int64_t i = 0; i < count && !status; i++) status = put_array(s, &all[i], pitch ? pitch[i] : 0);
    if (status) return status;
    if (s->at % PIECE != 0) end_piece(s);
    int64_t size = all[count].shape[0] * HASH_BYTES;
    status = hsp_out_write(s->out, s->digest, size, s->err);
    XXH3_64bits_reset(&s->state);
    XXH3_64bits_update(&s->state, line, strlen(line));
    XXH3_64bits_update(&s->state, header->s, (size_t)header->length);
    XXH3_64bits_update(&s->state, s->digest, (size_t)size);
    uint64_t hash = XXH3_64bits_digest(&s->state);
    return status ? status : hsp_out_write(s->out, &hash, HASH_BYTES, s->err);
}

int hsp_container_write(const char *kind, int version, const char *header, const hsp_container_array *arrays,
                        const int64_t *pitch, int64_t count, const hsp_map *map, hsp_out *out, hsp_error **err) {
    hsp_text t = {0};
    char line[LINE_MAX_BYTES];
    int64_t length = magic_line(line, kind, version, 0, 0), body = 0;
    int status = measure_arrays(arrays, count, &body, err);
    if (status) return status;
    int64_t pieces = pieces_of(round_up(body));
    hsp_container_array *all = hsp_alloc(count + 1, sizeof *all);
    uint64_t *digest = hsp_alloc(pieces + 1, sizeof *digest);
    status = all && digest ? 0 : hsp_fail_memory(err);
    if (status) goto done;
    for (int64_t i = 0; i < count; i++) all[i] = arrays[i];
    all[count] = (hsp_container_array){DIGESTS, HSP_INT64, {pieces, 1}, digest};
    status = make_header(header, length, all, count + 1, &t, err);
    if (status) goto done;
    magic_line(line, kind, version, t.length, length + t.length + round_up(body) + (pieces + 1) * HASH_BYTES);
    seal s = {.out = out, .err = err, .digest = digest, .map = map};
    status = write_sealed(&s, line, &t, all, pitch, count);
done:
    HSP_FREE(digest, all);
    hsp_text_free(&t);
    return status;
}

/* ---- unpacking ---- */

/* Skips `word` and the byte `after` at *s; false when they are not there. */
static bool take_word(const char **s, const char *end, const char *word, char after) {
    size_t n = strlen(word);
    if ((size_t)(end - *s) < n + 1 || memcmp(*s, word, n) != 0 || (*s)[n] != after) return false;
    *s += n + 1;
    return true;
}

static bool take_int(const char **s, const char *end, char after, int64_t *v) {
    const char *next = hsp_number_parse_int(*s, end, v);
    if (!next || next == end || *next != after) return false;
    *s = next + 1;
    return true;
}

/* Reads the magic line and checks its sizes against the true one. *line, *header: bytes of each. */
static int check_outside(const hsp_container_kind *kind, const char *bytes, int64_t size, const char *name, int64_t *line,
                         int64_t *header, int *found, hsp_error **err) {
    const char *s = bytes, *end = bytes + (size < LINE_MAX_BYTES ? size : LINE_MAX_BYTES);
    int64_t number, total;
    if (!take_word(&s, end, "halfspace", ' ') || !take_word(&s, end, kind->name, ' ') || !take_int(&s, end, ' ', &number)) {
        return hsp_fail_file(err, name, "not a halfspace %s: create one with `halfspace %s`", kind->noun, kind->writer);
    }
    if (number > kind->version) {
        return hsp_fail_file(err, name,
                             "%s of version %lld, but this halfspace reads versions up to %d: install a newer halfspace",
                             kind->name, (long long)number, kind->version);
    }
    if (number < 1 || !take_word(&s, end, "header", ' ') || !take_int(&s, end, ' ', header) ||
        !take_word(&s, end, "total", ' ') || !take_int(&s, end, '\n', &total)) {
        return hsp_fail_file(err, name, "damaged file, its first line is incomplete: recreate it");
    }
    if (size < total) {
        return hsp_fail_file(err, name, "truncated after %lld of %lld bytes: copy the file again or recreate it",
                             (long long)size, (long long)total);
    }
    if (size > total) {
        return hsp_fail_file(err, name, "%lld extra bytes at the end: copy the file again or recreate it",
                             (long long)(size - total));
    }
    *found = (int)number;
    *line = s - bytes;
    if (*header < 2 || *header > size - *line - HASH_BYTES || (*line + *header) % BOUNDARY != 0) {
        return hsp_fail_file(err, name, "damaged file, its header does not fit: recreate it");
    }
    return 0;
}

static int fail_hash(const char *name, hsp_error **err) {
    return hsp_fail_file(err, name, "checksum mismatch: copy the file again or recreate it");
}

/* Reads an entry of the directory. The array must begin at `offset` of the body, which has `room` bytes, and end in it. */
static bool read_array(const hsp_json_value *entry, const char *body, int64_t room, int64_t offset, hsp_container_array *a) {
    const hsp_json_value *shape = hsp_json_get(entry, "shape");
    const char *name = hsp_json_text(hsp_json_get(entry, "name"));
    const char *type = hsp_json_text(hsp_json_get(entry, "dtype"));
    const dtype_row *row = type ? dtype_of(0, type) : NULL;
    if (!name || !row || hsp_json_count(shape) != 2) return false;
    *a = (hsp_container_array){.name = name, .dtype = row->dtype};
    int64_t at;
    if (!hsp_json_whole(hsp_json_item(shape, 0), &a->shape[0]) ||
        !hsp_json_whole(hsp_json_item(shape, 1), &a->shape[1]) || !hsp_json_whole(hsp_json_get(entry, "offset"), &at)) {
        return false;
    }
    int64_t bytes = array_bytes(a);
    if (bytes < 0 || at != offset || offset > room || bytes > room - offset) return false;
    a->data = body + offset;
    return true;
}

static int read_directory(hsp_container *c, const char *body, int64_t room, const char *name, hsp_error **err) {
    const hsp_json_value *list = hsp_json_get(c->json, "arrays");
    if (!hsp_json_is(list, HSP_JSON_ARRAY)) return hsp_fail_file(err, name, "damaged file, no list of arrays: recreate it");
    int64_t count = hsp_json_count(list), offset = 0, end = 0;
    c->arrays = hsp_alloc_zero(count > 0 ? count : 1, sizeof *c->arrays);
    if (!c->arrays) return hsp_fail_memory(err);
    for (int64_t i = 0; i < count; i++) {
        if (!read_array(hsp_json_item(list, i), body, room, offset, &c->arrays[i])) {
            return hsp_fail_file(err, name, "damaged file, array %lld does not fit: recreate it", (long long)i + 1);
        }
        c->count = i + 1;
        end = offset + array_bytes(&c->arrays[i]);
        offset = round_up(end);
    }
    if (end == room) return 0;
    return hsp_fail_file(err, name, "damaged file, its arrays do not fill it: recreate it");
}

/* Copies the header, `size` bytes at `bytes`, and parses it. */
static int read_header(hsp_container *c, const char *bytes, int64_t size, const char *name, hsp_error **err) {
    c->header = hsp_alloc(size + 1, 1);
    if (!c->header) return hsp_fail_memory(err);
    memcpy(c->header, bytes, (size_t)size);
    c->header[size] = '\0';
    int status = hsp_json_parse(c->header, size, &c->json, NULL);
    if (hsp_json_is(c->json, HSP_JSON_OBJECT)) return 0;
    return status == HSP_EMEMORY ? hsp_fail_memory(err)
                                 : hsp_fail_file(err, name, "damaged file, its header is not a JSON object: recreate it");
}

/* Finds the digests, the last array, and checks the checksum of magic line, header and digests. */
static int read_digests(hsp_container *c, const char *bytes, int64_t size, const char *name, hsp_error **err) {
    const hsp_container_array *last = c->count > 0 ? &c->arrays[c->count - 1] : NULL;
    bool there = last && strcmp(last->name, DIGESTS) == 0 && last->dtype == HSP_INT64 && last->shape[1] == 1;
    int64_t body = there ? (const char *)last->data - c->body : 0;
    if (!there || last->shape[0] != pieces_of(body))
        return hsp_fail_file(err, name, "damaged file, its digests are missing: recreate it");
    c->count--;
    c->body_size = body;
    c->digests = last->data;
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, bytes, (size_t)(c->body - bytes));
    XXH3_64bits_update(&state, c->digests, (size_t)(last->shape[0] * HASH_BYTES));
    uint64_t hash, found = XXH3_64bits_digest(&state);
    memcpy(&hash, bytes + size - HASH_BYTES, HASH_BYTES);
    return hash == found ? 0 : fail_hash(name, err);
}

static int read_container(const hsp_container_kind *kind, bool sealed, const char *bytes, int64_t size, const char *name,
                          hsp_container *out, hsp_error **err) {
    hsp_container c = {0};
    int64_t line = 0, header = 0;
    int status = check_outside(kind, bytes, size, name, &line, &header, &c.version, err);
    if (!status && !sealed) {
        uint64_t hash;
        memcpy(&hash, bytes + size - HASH_BYTES, HASH_BYTES);
        status = hash == XXH3_64bits(bytes, (size_t)(size - HASH_BYTES)) ? 0 : fail_hash(name, err);
    }
    if (!status) status = read_header(&c, bytes + line, header, name, err);
    c.body = bytes + line + header;
    if (!status) status = read_directory(&c, c.body, size - HASH_BYTES - line - header, name, err);
    if (!status && sealed) status = read_digests(&c, bytes, size, name, err);
    if (status) hsp_container_clear(&c);
    *out = c;
    return status;
}

int hsp_container_unpack(const hsp_container_kind *kind, const void *bytes, int64_t size, const char *name,
                         hsp_container *out, hsp_error **err) {
    return read_container(kind, false, bytes, size, name, out, err);
}

int hsp_container_open(const hsp_container_kind *kind, const void *bytes, int64_t size, const char *name,
                       hsp_container *out, hsp_error **err) {
    return read_container(kind, true, bytes, size, name, out, err);
}

typedef struct array_check {
    const hsp_container *c;
    int64_t first; /* piece */
    atomic_bool damaged;
} array_check;

static void check_piece(void *ctx, int64_t at) {
    array_check *g = ctx;
    int64_t k = g->first + at, begin = k * PIECE, left = g->c->body_size - begin;
    uint64_t hash;
    memcpy(&hash, (const char *)g->c->digests + k * HASH_BYTES, HASH_BYTES);
    if (hash != XXH3_64bits(g->c->body + begin, (size_t)(left < PIECE ? left : PIECE))) g->damaged = true;
}

int hsp_container_check_pieces(const hsp_container *c, int64_t from, int64_t to, const char *name, int threads,
                               hsp_error **err) {
    array_check g = {.c = c, .first = from};
    int64_t all = pieces_of(c->body_size);
    if (to > all) to = all;
    if (from < to) hsp_pool_run(to - from, threads, check_piece, &g);
    return g.damaged ? fail_hash(name, err) : 0;
}

int hsp_container_check(const hsp_container *c, const char *name, int threads, hsp_error **err) {
    return hsp_container_check_pieces(c, 0, pieces_of(c->body_size), name, threads, err);
}

const hsp_container_array *hsp_container_find(const hsp_container *c, const char *name, int32_t dtype) {
    for (int64_t i = 0; i < c->count; i++) {
        if (strcmp(c->arrays[i].name, name) == 0) return c->arrays[i].dtype == dtype ? &c->arrays[i] : NULL;
    }
    return NULL;
}

void hsp_container_clear(hsp_container *c) {
    hsp_free(c->header);
    hsp_free(c->json);
    hsp_free(c->arrays);
    *c = (hsp_container){0};
}
