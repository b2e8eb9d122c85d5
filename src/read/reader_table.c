/* The readers, and how one is chosen for a file. */
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "data/schema.h"
#include "option/options.h"
#include "read/hsd.h"
#include "read/lines.h"
#include "read/npy.h"
#include "read/reader.h"
#include "table/rules.h"

#include <string.h>

#define SAMPLE 65536

const hsp_reader_kind *const hsp_reader_table[] = {&hsp_reader_csv, &hsp_reader_svmlight, &hsp_reader_hsd, &hsp_reader_npy,
                                                   NULL};

size_t hsp_path_plain(const char *path) {
    char compression = hsp_path_compression(path);
    return strlen(path) - (compression == 'g' ? 3 : compression == 'z' ? 4 : 0);
}

bool hsp_path_ends(const char *path, const char *suffixes) {
    size_t n = hsp_path_plain(path);
    for (const char *s = suffixes; s && *s;) {
        size_t m = strcspn(s, " ");
        if (m > 0 && n > m && hsp_text_same_letters(path + n - m, s, (int64_t)m)) return true;
        s += m + (s[m] == ' ');
    }
    return false;
}

static bool blank(char c) {
    return c == ' ' || c == '\t';
}

/* A comma or semicolon speaks for CSV cells. */
static bool has_delimiter(const char *p, const char *end) {
    while (p < end && *p != ',' && *p != ';') p++;
    return p < end;
}

/* Whether a token looks like `id:value` (or qid:N) and not like a time of day; what stands after the colon may be wrong, so
 * that the svmlight reader can say so. */
static bool like_pair(const char *p, const char *end) {
    return hsp_svmlight_is_pair(p, end) && !has_delimiter(p, end);
}

/* 1: an svmlight row, 0: not one, -1: cannot tell (a comment, or one word alone). */
static int recognise_svmlight(const char *p, const char *end) {
    const char *token[2][2];
    int count = 0;
    while (count < 2) {
        while (p < end && blank(*p)) p++;
        if (p == end || *p == '#') break;
        token[count][0] = p;
        while (p < end && !blank(*p)) p++;
        token[count++][1] = p;
    }
    if (count == 0) return -1;
    if (like_pair(token[0][0], token[0][1])) return 1;
    if (count == 2) return like_pair(token[1][0], token[1][1]);
    return has_delimiter(token[0][0], token[0][1]) ? 0 : -1;
}

static bool like_svmlight(const char *p, const char *end) {
    if (end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
    for (int lines = 0; p < end && lines < 50; lines++) {
        const char *stop = p;
        while (stop < end && *stop != '\n' && *stop != '\r') stop++;
        int verdict = recognise_svmlight(p, stop);
        if (verdict >= 0) return verdict > 0;
        p = stop + (stop < end);
    }
    return false;
}

int hsp_reader_choose(hsp_stream *stream, const hsp_options *o, const hsp_reader_kind **out, hsp_error **err) {
    *out = NULL;
    const char *bytes;
    int64_t n = hsp_stream_peek(stream, SAMPLE, &bytes, err);
    if (n < 0) return (int)n;
    const char *name = hsp_stream_name(stream), *format = hsp_options_text(o, "format");
    if (n == 0) return hsp_fail_at(err, HSP_EINPUT, (hsp_place){name, 0, 0}, "is empty: give a file with rows");
    for (int i = 0; hsp_reader_table[i] && !*out; i++)
        if (format && strcmp(format, hsp_reader_table[i]->name) == 0) *out = hsp_reader_table[i];
    if (!*out) *out = hsp_hsd_begins(bytes, n) ? &hsp_reader_hsd : hsp_npy_begins(bytes, n) ? &hsp_reader_npy : NULL;
    const hsp_reader_kind *named = NULL;
    for (int i = 0; hsp_reader_table[i] && !named; i++)
        if (hsp_path_ends(name, hsp_reader_table[i]->suffixes)) named = hsp_reader_table[i];
    if (!*out && named && named->load) *out = named; /* which then says what is wrong with it */
    if (*out && (*out)->load) return 0;
    /* Rubbish is called so at once, before anyone counts its columns; UTF-16 has a message of its own. */
    const char *nul = memchr(bytes, '\0', (size_t)n);
    bool marked = n >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
    if (nul && !marked) return hsp_fail_binary(err, hsp_lines_place_in(name, 1, bytes, nul));
    if (!*out) *out = named;
    if (!*out) *out = like_svmlight(bytes, bytes + n) ? &hsp_reader_svmlight : &hsp_reader_csv;
    return 0;
}

int hsp_reader_check(const hsp_reader_kind *kind, const char *name, const hsp_options *o, const hsp_schema *known,
                     hsp_error **err) {
    if (kind->as_table) return 0;
    if (known && known->table)
        return hsp_fail_at(err, HSP_EINPUT, (hsp_place){name, 0, 0},
                           "the model was trained on a table with words, and this is %s: give it a CSV file", kind->name);
    const char *asked = known ? NULL : hsp_table_rules_asked(o);
    if (!asked) return 0;
    return hsp_fail(err, HSP_EUSAGE, "--%s is for tables (CSV), and %s is %s: leave it out", asked, name, kind->name);
}
