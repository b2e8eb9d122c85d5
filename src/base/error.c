#include "base/error.h"

#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 1000 /* bytes of a message without its place */

struct hsp_error {
    int code;
    int64_t line, column;
    const char *file;    /* NULL, or inside `text` */
    const char *message; /* inside `text`, or static */
    char text[];
};

/* Static: when memory has run out there is none for an error either. */
static const hsp_error out_of_memory = {
    .code = HSP_EMEMORY, .message = "out of memory: use less data, a sparse format, or a machine with more memory"};

/* Cuts the middle out of a long message and keeps its end, which says what to do. Cuts between UTF-8 characters. */
static void shorten(char *s) {
    size_t n = strlen(s);
    if (n <= LONGEST) return;
    size_t head = LONGEST * 2 / 3, tail = n - (LONGEST - head - 8);
    while (((unsigned char)s[head] & 0xc0) == 0x80) head--;
    while (((unsigned char)s[tail] & 0xc0) == 0x80) tail++;
    memcpy(s + head, " ... ", 5);
    memmove(s + head + 5, s + tail, n - tail + 1);
}

/* Writes "FILE:LINE:COLUMN: " to out, as snprintf does. */
static int format_place(char *out, size_t size, hsp_place where) {
    if (where.file == NULL) return snprintf(out, size, "%s", "");
    long long line = (long long)where.line, column = (long long)where.column;
    if (line > 0 && column > 0) return snprintf(out, size, "%s:%lld:%lld: ", where.file, line, column);
    if (line > 0) return snprintf(out, size, "%s:%lld: ", where.file, line);
    return snprintf(out, size, "%s: ", where.file);
}

/* One block holds the object, the whole message and the file's name. */
static hsp_error *new_error(int code, hsp_place where, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int body = vsnprintf(NULL, 0, format, arguments), place = format_place(NULL, 0, where);
    if (body < 0) body = 0;
    if (place < 0) place = 0;
    size_t file = where.file == NULL ? 0 : strlen(where.file) + 1;
    size_t size = sizeof(hsp_error) + (size_t)place + (size_t)body + 1 + file;
    hsp_error *e = hsp_alloc((int64_t)size, 1);
    if (e != NULL) {
        *e = (hsp_error){.code = code, .line = where.line, .column = where.column, .message = e->text};
        format_place(e->text, (size_t)place + 1, where);
        e->text[place] = '\0';
        vsnprintf(e->text + place, (size_t)body + 1, format, again);
        e->text[place + body] = '\0';
        if (file > 0) e->file = memcpy(e->text + place + body + 1, where.file, file);
        hsp_text_mask(e->text, e->text, (int64_t)strlen(e->text));
        shorten(e->text + place);
    }
    va_end(again);
    return e;
}

static int fail(hsp_error **err, int code, hsp_place where, const char *format, va_list arguments) {
    if (code >= 0) code = HSP_EINTERNAL;
    if (err == NULL || *err != NULL) return code;
    *err = new_error(code, where, format, arguments);
    return *err == NULL ? hsp_fail_memory(err) : code;
}

int hsp_fail(hsp_error **err, int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    code = fail(err, code, (hsp_place){0}, format, arguments);
    va_end(arguments);
    return code;
}

int hsp_fail_at(hsp_error **err, int code, hsp_place where, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    code = fail(err, code, where, format, arguments);
    va_end(arguments);
    return code;
}

int hsp_fail_file(hsp_error **err, const char *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int code = fail(err, HSP_EINPUT, (hsp_place){.file = file}, format, arguments);
    va_end(arguments);
    return code;
}

int hsp_error_new(hsp_error **err, int code, const char *message) {
    return hsp_fail(err, code, "%s", message);
}

int hsp_fail_memory(hsp_error **err) {
    if (err != NULL && *err == NULL) *err = (hsp_error *)&out_of_memory;
    return HSP_EMEMORY;
}

static const char *remedy(int errnum) {
    static const struct {
        int errnum;
        const char *remedy;
    } table[] = {
        {ENOENT, "check the name and the folder"},
        {ENOTDIR, "a part of the path is a file, not a folder"},
        {EISDIR, "name a file, not a folder"},
        {EACCES, "check the permissions"},
        {EPERM, "check the permissions"},
        {EROFS, "choose another folder"},
        {ENOSPC, "free some space or choose another disk"},
        {EDQUOT, "free some space or choose another disk"},
        {EFBIG, "choose another disk or raise the limit on file sizes"},
        {ENAMETOOLONG, "choose a shorter name"},
        {ELOOP, "check the symbolic links"},
        {EMFILE, "close some files or raise the limit (ulimit -n)"},
        {ENFILE, "close some programs"},
        {ETXTBSY, "choose another name"},
        {EPIPE, "the reading program has stopped"},
        {EIO, "check the disk"},
        {ENOMEM, "close some programs or use less data"},
        {EBADF, "check that the standard streams are open"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].errnum == errnum) return table[i].remedy;
    return "check the file and try again";
}

int hsp_fail_errno(hsp_error **err, const char *file, const char *action, int errnum) {
    int code = errnum == ENOENT || errnum == EISDIR ? HSP_EINPUT : HSP_EIO;
    const char *reason = errnum == 0 ? NULL : strerrordesc_np(errnum); /* unlike strerror not translated */
    return hsp_fail_at(err, code, (hsp_place){.file = file}, "%s: %s: %s", action, reason ? reason : "unknown reason",
                       remedy(errnum));
}

int hsp_error_code(const hsp_error *e) {
    return e == NULL ? HSP_OK : e->code;
}

const char *hsp_error_message(const hsp_error *e) {
    return e == NULL ? "" : e->message;
}

const char *hsp_error_file(const hsp_error *e) {
    return e == NULL ? NULL : e->file;
}

int64_t hsp_error_line(const hsp_error *e) {
    return e == NULL ? 0 : e->line;
}

int64_t hsp_error_column(const hsp_error *e) {
    return e == NULL ? 0 : e->column;
}

void hsp_error_free(hsp_error *e) {
    if (e != &out_of_memory) hsp_free(e);
}

void hsp_error_pass(hsp_error **err, hsp_error *made) {
    if (err != NULL && *err == NULL)
        *err = made;
    else
        hsp_error_free(made);
}
