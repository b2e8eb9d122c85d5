#include "read/foreign.h"

#include "base/error.h"
#include "base/text.h"
#include "read/jsonl.h"
#include "read/reader.h"

#include <string.h>

typedef struct foreign_format {
    const char *start; /* the first bytes */
    int64_t size;      /* their number, as some are NUL */
    const char *is;    /* "this is ..." */
    const char *remedy;
} foreign_format;

#define BYTES(text) text, sizeof(text) - 1
#define EXPORT "export the table as CSV"

static const foreign_format formats[] = {
    {BYTES("halfspace model "), "a model, not data",
     "give the data file here; commands that take both have the model first"},
    {BYTES("PAR1"), "a Parquet file", EXPORT ", for example with pandas: read_parquet(...).to_csv(..., index=False)"},
    {BYTES("ARROW1"), "an Arrow file", EXPORT ", for example with pandas: read_feather(...).to_csv(..., index=False)"},
    {BYTES("FEA1"), "a Feather file", EXPORT ", for example with pandas: read_feather(...).to_csv(..., index=False)"},
    {BYTES("\x89HDF\r\n\x1a\n"), "an HDF5 file", EXPORT},
    {BYTES("SQLite format 3"), "an SQLite database", EXPORT ", for example with sqlite3 -header -csv FILE 'select ...'"},
    {BYTES("MATLAB 5.0 MAT-file"), "a MATLAB file", "export the matrix as CSV, for example with writematrix"},
    {BYTES("RDX2\n"), "an R workspace", EXPORT ", for example with write.csv(x, FILE, row.names = FALSE)"},
    {BYTES("RDX3\n"), "an R workspace", EXPORT ", for example with write.csv(x, FILE, row.names = FALSE)"},
    {BYTES("\x80\x04\x95"), "a Python pickle", "save the table with to_csv, or the array with numpy.save"},
    {BYTES("\x80\x05\x95"), "a Python pickle", "save the table with to_csv, or the array with numpy.save"},
    {BYTES("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an old Office document (.xls)", "save the sheet as CSV"},
    {BYTES("%PDF-"), "a PDF document", "give the table as CSV"},
    {BYTES("\x89PNG\r\n\x1a\n"), "a PNG picture", "give a data file"},
    {BYTES("\xff\xd8\xff"), "a JPEG picture", "give a data file"},
    {BYTES("BZh"), "compressed with bzip2", "decompress it first, or compress it with gzip or zstd"},
    {BYTES("\xfd"
           "7zXZ"),
     "compressed with xz", "decompress it first, or compress it with gzip or zstd"},
    {BYTES("7z\xbc\xaf"), "a 7-Zip archive", "unpack it and give one of its files"},
};

static bool begins_with(const char *p, int64_t n, const char *start, int64_t size) {
    return n >= size && memcmp(p, start, (size_t)size) == 0;
}

/* Whether the word is among the first n bytes. */
static bool contains(const char *p, int64_t n, const char *word) {
    int64_t size = (int64_t)strlen(word);
    for (int64_t i = 0; i + size <= n; i++)
        if (memcmp(p + i, word, (size_t)size) == 0) return true;
    return false;
}

static int fail_foreign(const char *file, const char *is, const char *remedy, hsp_error **err) {
    return hsp_fail_file(err, file, "this is %s: %s", is, remedy);
}

/* A spreadsheet and numpy's .npz are archives too. */
static int fail_archive(const char *file, const char *p, int64_t n, hsp_error **err) {
    if (contains(p, n, "[Content_Types].xml") || contains(p, n, "xl/"))
        return fail_foreign(file, "an Office document (.xlsx)", "save the sheet as CSV", err);
    if (contains(p, n, ".npy"))
        return fail_foreign(file, "an archive of arrays (.npz)", "save one array with numpy.save and give the .npy file",
                            err);
    return fail_foreign(file, "a zip archive", "unpack it and give one of its files", err);
}

static int64_t skip_blanks(const char *p, int64_t n, int64_t i) {
    while (i < n && strchr(" \t\r\n", p[i])) i++;
    return i;
}

/* An object, or an array of objects or arrays. A cell of CSV may begin with a bracket, but not in this way. */
static bool is_json(const char *p, int64_t n) {
    int64_t i = skip_blanks(p, n, 0);
    if (i >= n || !p[i] || !strchr("{[", p[i])) return false;
    int64_t next = skip_blanks(p, n, i + 1);
    return next < n && p[next] && strchr(p[i] == '{' ? "\"}" : "{[]", p[next]);
}

static bool is_html(const char *p, int64_t n) {
    int64_t i = skip_blanks(p, n, 0);
    return (n - i >= 9 && hsp_text_same_letters(p + i, "<!doctype", 9)) ||
           (n - i >= 5 && (hsp_text_same_letters(p + i, "<html", 5) || hsp_text_same_letters(p + i, "<?xml", 5)));
}

int hsp_foreign_check(const char *file, const char *bytes, int64_t n, bool text, hsp_error **err) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (begins_with(bytes, n, formats[i].start, formats[i].size))
            return fail_foreign(file, formats[i].is, formats[i].remedy, err);
    if (begins_with(bytes, n, "PK\x03\x04", 4)) return fail_archive(file, bytes, n, err);
    if (!text) return 0;
    if (is_json(bytes, n) && hsp_jsonl_begins(bytes, n))
        return fail_foreign(file, "JSON", "use --format jsonl if each line is an object (JSON lines), or " EXPORT, err);
    if (is_json(bytes, n))
        return fail_foreign(file, "JSON",
                            "write it as JSON lines, one object on each line, or as CSV, for example with pandas: "
                            "read_json(...).to_csv(..., index=False)",
                            err);
    if (is_html(bytes, n))
        return fail_foreign(file, "a web page or XML, not a table", "download or export the data as CSV", err);
    return 0;
}

/* Whether one of the words between blanks and line ends is an `id:value`. */
static bool has_pair(const char *p, const char *end) {
    while (p < end) {
        const char *word = p;
        while (p < end && !strchr(" \t\r\n", *p)) p++;
        if (hsp_svmlight_is_pair(word, p)) return true;
        p += p < end;
    }
    return false;
}

int hsp_foreign_check_svmlight(const char *file, const char *bytes, int64_t n, bool asked, hsp_error **err) {
    bool delimited = memchr(bytes, ',', (size_t)n) || memchr(bytes, ';', (size_t)n) || memchr(bytes, '\t', (size_t)n);
    if (!delimited || has_pair(bytes, bytes + n)) return 0;
    return hsp_fail_file(err, file, "no row has an id:value, so the file is not svmlight: %s",
                         asked ? "leave out --format svmlight" : "use --format csv, or a name that ends in .csv");
}
