#include "option/column_list.h"

#include "base/error.h"
#include "option/options.h"

#include <string.h>

hsp_column_list hsp_column_list_of(const hsp_options *o, const char *option, char between) {
    return (hsp_column_list){.option = option, .next = hsp_options_text(o, option), .between = between};
}

void hsp_column_list_free(hsp_column_list *l) {
    hsp_text_free(&l->text);
    *l = (hsp_column_list){0};
}

static const char *skip_blanks(const char *s) {
    while (*s == ' ') s++;
    return s;
}

/* Appends the text after the opening quote at s. Returns what follows the closing quote; NULL: there is none. */
static const char *add_quoted(const char *s, hsp_text *t) {
    for (;;) {
        size_t n = strcspn(++s, "\"");
        hsp_text_add_n(t, s, (int64_t)n);
        s += n;
        if (*s == '\0') return NULL;
        if (*++s != '"') return s;
        hsp_text_char(t, '"'); /* "" stands for " */
    }
}

static int fail_quotes(const hsp_column_list *l, const char *entry, bool closed, hsp_error **err) {
    char piece[HSP_EXCERPT];
    hsp_excerpt(piece, entry, (int64_t)strlen(entry));
    return hsp_fail(err, HSP_EUSAGE,
                    closed ? "--%s: text follows the closing quote in %s: write a quote in a name twice"
                           : "--%s: the quote before %s has no end: close it, or write a quote in a name twice",
                    l->option, closed ? piece : piece + 1);
}

/* A part of an entry: where its text begins in l->text, and how long it is. */
typedef struct list_part {
    int64_t from, length;
    bool quoted;
} list_part;

/* Reads the part at *s, which ends before one of the characters `ends`, and moves *s there. */
static int read_part(hsp_column_list *l, const char **s, const char *ends, list_part *out, hsp_error **err) {
    const char *begin = skip_blanks(*s), *end;
    *out = (list_part){.from = l->text.length, .quoted = *begin == '"'};
    if (out->quoted) {
        end = add_quoted(begin, &l->text);
        if (!end) return fail_quotes(l, begin, false, err);
        end = skip_blanks(end);
        if (*end && !strchr(ends, *end)) return fail_quotes(l, begin, true, err);
        out->length = l->text.length - out->from;
        *s = end;
        return HSP_OK;
    }
    end = begin + strcspn(begin, ends);
    *s = end;
    while (end > begin && end[-1] == ' ') end--;
    out->length = end - begin;
    hsp_text_add_n(&l->text, begin, out->length);
    return HSP_OK;
}

/* Reads the entry at l->next and moves on to the one after it. */
static int read_entry(hsp_column_list *l, hsp_column_entry *out, hsp_error **err) {
    const char first_ends[] = {',', l->between, '\0'};
    const char *begin = skip_blanks(l->next), *s = begin;
    list_part name, value = {0};
    hsp_text_clear(&l->text);
    int status = read_part(l, &s, first_ends, &name, err);
    bool two = !status && l->between && *s == l->between;
    if (two) {
        s++;
        hsp_text_char(&l->text, '\0');
        status = read_part(l, &s, ",", &value, err);
    }
    if (status) return status;
    hsp_text_char(&l->text, '\0');
    if (l->text.failed) return hsp_fail_memory(err);
    l->next = *s ? s + 1 : NULL;
    while (s > begin && s[-1] == ' ') s--;
    *out = (hsp_column_entry){.name = l->text.s + name.from, .name_length = name.length, .name_quoted = name.quoted};
    out->spelt = begin;
    out->spelt_length = s - begin;
    if (!two) return HSP_OK;
    out->value = l->text.s + value.from;
    out->value_length = value.length;
    out->value_quoted = value.quoted;
    return HSP_OK;
}

int hsp_column_list_next(hsp_column_list *l, hsp_column_entry *out, hsp_error **err) {
    while (l->next) {
        int status = read_entry(l, out, err);
        if (status) return status;
        if (out->spelt_length > 0) return 1;
    }
    return 0;
}

void hsp_column_list_quote(hsp_text *t, const char *name, int64_t n) {
    bool plain = n > 0 && name[0] != ' ' && name[n - 1] != ' ' && name[0] != '"';
    for (int64_t i = 0; i < n && plain; i++) plain = name[i] != ',' && name[i] != '=';
    if (plain) {
        hsp_text_add_n(t, name, n);
        return;
    }
    hsp_text_char(t, '"');
    for (int64_t i = 0; i < n; i++) {
        if (name[i] == '"') hsp_text_char(t, '"');
        hsp_text_char(t, name[i]);
    }
    hsp_text_char(t, '"');
}

bool hsp_column_unquote(const char *value, hsp_text *out) {
    const char *begin = skip_blanks(value);
    if (*begin != '"') return false;
    hsp_text_clear(out);
    const char *end = add_quoted(begin, out);
    hsp_text_add(out, ""); /* a text of its own, also if it is empty */
    return end && *skip_blanks(end) == '\0';
}
