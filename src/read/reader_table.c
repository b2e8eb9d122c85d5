/* The readers, and how one is chosen for a file. */
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "data/schema.h"
#include "option/options.h"
#include "read/foreign.h"
#include "read/jsonl.h"
#include "read/lines.h"
#include "read/reader.h"
#include "table/rules.h"

#include <string.h>

#define SAMPLE 65536

const hsp_reader_kind *const hsp_reader_table[] = {&hsp_reader_csv, &hsp_reader_svmlight, &hsp_reader_jsonl,
                                                   &hsp_reader_hsd, &hsp_reader_npy,      NULL};

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

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* A comma or semicolon: probably CSV. */
static bool has_delimiter(const char *p, const char *end) {
    while (p < end && *p != ',' && *p != ';') p++;
    return p < end;
}

/* Whether a token looks like `id:value` or `qid:N`, and not like a time of day. The value may be wrong: the svmlight reader
 * reports that. */
static bool like_pair(const char *p, const char *end) {
    return hsp_svmlight_is_pair(p, end) && !has_delimiter(p, end);
}

/* 1: a row of svmlight; 0: not one; -1: undecided (a comment, or a single word). */
static int recognise_svmlight(const char *p, const char *end) {
    const char *token[2][2];
    int count = 0;
    while (count < 2) {
        while (p < end && is_blank(*p)) p++;
        if (p == end || *p == '#') break;
        token[count][0] = p;
        while (p < end && !is_blank(*p)) p++;
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

/* Options of reading that have an effect on some formats only. A .hsd file compares them with those that it was made with. */
typedef struct format_option {
    const char *option, *formats; /* the names of the formats, separated by blanks */
    const char *what;             /* what it is for */
} format_option;

static const format_option format_options[] = {
    {"header", "csv", "CSV files"},
    {"delimiter", "csv", "CSV files"},
    {"skip-lines", "csv", "CSV files"},
    {"comment", "csv", "CSV files"},
    {"quotes", "csv", "CSV files"},
    {"decimal", "csv", "CSV files"},
    {"thousands", "csv", "CSV files"},
    {"ignore", "csv jsonl npy arrow", "files with columns"},
    {"target", "csv jsonl npy arrow", "files with columns"},
    {"missing-values", "csv jsonl arrow", "tables (CSV)"},
    {"numeric-levels", "csv jsonl arrow", "tables (CSV)"},
    {"base", "svmlight", "svmlight files"},
};

static bool is_given(const hsp_options *o, const char *option) {
    return hsp_options_is_set(o, option) && !hsp_options_is(o, option, "auto");
}

/* Whether an option is for CSV files alone, so that a file without a known ending is one. */
static bool asks_for_csv(const hsp_options *o) {
    for (size_t i = 0; i < sizeof format_options / sizeof *format_options; i++)
        if (strcmp(format_options[i].formats, "csv") == 0 && is_given(o, format_options[i].option)) return true;
    return false;
}

int hsp_reader_choose(hsp_stream *stream, const hsp_options *o, const hsp_reader_kind **out, hsp_error **err) {
    *out = NULL;
    if (hsp_stream_translated(stream)) return *out = &hsp_reader_csv, 0;
    const char *bytes;
    int64_t n = hsp_stream_peek(stream, SAMPLE, &bytes, err);
    if (n < 0) return (int)n;
    const char *name = hsp_stream_name(stream), *format = hsp_options_text(o, "format");
    if (n == 0) return hsp_fail_file(err, name, "empty file: give a file with rows");
    for (int i = 0; hsp_reader_table[i] && !*out; i++)
        if (format && strcmp(format, hsp_reader_table[i]->name) == 0) *out = hsp_reader_table[i];
    const hsp_reader_kind *named = NULL;
    for (int i = 0; hsp_reader_table[i]; i++) {
        const hsp_reader_kind *kind = hsp_reader_table[i];
        if (!*out && kind->begins && kind->begins(bytes, n)) *out = kind;
        if (!named && hsp_path_ends(name, kind->suffixes)) named = kind;
    }
    if (!*out && named && named->begins) *out = named; /* reports what is wrong with the file */
    if (*out && (*out)->begins) return 0;
    if (!*out && (named ? named == &hsp_reader_jsonl : hsp_jsonl_begins(bytes, n))) *out = &hsp_reader_jsonl;
    bool asked = *out != NULL;
    int status = hsp_foreign_check(name, bytes, n, !asked, err);
    if (status < 0) return status;
    /* Binary files are rejected before their columns are counted; UTF-16 has its own message. */
    const char *nul = memchr(bytes, '\0', (size_t)n);
    bool marked = n >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
    if (nul && !marked) return hsp_fail_binary(err, hsp_lines_place_in(name, 1, bytes, nul));
    if (!*out) *out = named;
    if (*out == &hsp_reader_svmlight) return hsp_foreign_check_svmlight(name, bytes, n, asked, err);
    if (!*out) *out = !asks_for_csv(o) && like_svmlight(bytes, bytes + n) ? &hsp_reader_svmlight : &hsp_reader_csv;
    return 0;
}

static bool has_word(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *s = list; (s = strstr(s, word)); s += n)
        if ((s == list || s[-1] == ' ') && (s[n] == ' ' || s[n] == '\0')) return true;
    return false;
}

/* Fails with the first option that has no effect on the format. */
static int check_options(const hsp_reader_kind *kind, const char *name, const hsp_options *o, hsp_error **err) {
    for (size_t i = 0; i < sizeof format_options / sizeof *format_options && kind != &hsp_reader_hsd; i++) {
        const format_option *f = &format_options[i];
        if (!is_given(o, f->option) || has_word(f->formats, kind->name)) continue;
        bool label = strcmp(f->option, "target") == 0;
        return hsp_fail(err, HSP_EUSAGE, "--%s is for %s, and %s is %s%s: leave it out", f->option, f->what, name,
                        kind->name, label ? ", whose lines begin with the label" : "");
    }
    return 0;
}

/* Groups and times are columns. */
static int check_sides(const hsp_reader_kind *kind, const char *name, const hsp_options *o, hsp_error **err) {
    for (int side = 0; side < HSP_SIDES && !kind->side_cells; side++)
        if (hsp_options_text(o, hsp_side_option(side)))
            return hsp_fail(
                err, HSP_EUSAGE,
                "--%s names a column of a CSV, JSON Lines or .npy file, and %s is %s: give such a file, or leave it "
                "out",
                hsp_side_option(side), name, kind->name);
    return 0;
}

int hsp_reader_check(const hsp_reader_kind *kind, const char *name, const hsp_options *o, const hsp_schema *known,
                     hsp_error **err) {
    int status = check_options(kind, name, o, err);
    if (status == 0) status = check_sides(kind, name, o, err);
    if (status < 0 || kind->as_table) return status;
    if (known && known->table)
        return hsp_fail_file(
            err, name, "the model was trained on a table with text, dates or categories, and this is %s: give a CSV file",
            kind->name);
    const char *asked = known ? NULL : hsp_table_rules_asked(o);
    if (!asked) return 0;
    return hsp_fail(err, HSP_EUSAGE, "--%s is for tables (CSV), and %s is %s: leave it out", asked, name, kind->name);
}
