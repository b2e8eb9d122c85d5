/* Lists of columns in the values of options: "a,b", where a name with a comma is quoted as in CSV: '"a,b",c'. An entry may
 * have two parts, such as COLUMN=VALUE or A:B; either may be quoted. */
#ifndef HSP_OPTION_COLUMN_LIST_H
#define HSP_OPTION_COLUMN_LIST_H

#include "base/text.h"
#include "halfspace.h"

/* Iterates over a list. */
typedef struct hsp_column_list {
    const char *option; /* borrowed: name of the option, for errors */
    const char *next;   /* borrowed: the rest of the list; NULL: none */
    char between;       /* separates the parts of an entry: '=' or ':'; 0: entries have one part */
    hsp_text text;      /* owned: the entry without its quotes */
} hsp_column_list;

/* An entry, valid until the next call. Without quotes and the blanks round its parts. */
typedef struct hsp_column_entry {
    const char *name;
    int64_t name_length;
    const char *value; /* what follows the first `between` outside quotes; NULL: there is none */
    int64_t value_length;
    const char *spelt; /* the whole entry as it was typed */
    int64_t spelt_length;
    bool name_quoted, value_quoted;
} hsp_column_entry;

/* The list in the value of an option; unset: empty. */
hsp_column_list hsp_column_list_of(const hsp_options *o, const char *option, char between);
/* The next entry; empty ones are skipped. 1, or 0 at the end, or HSP_EUSAGE (quotes do not match) or HSP_EMEMORY. */
int hsp_column_list_next(hsp_column_list *l, hsp_column_entry *out, hsp_error **err);
void hsp_column_list_free(hsp_column_list *l);

/* Appends a name as it is typed in such a list: in quotes if it needs them. */
void hsp_column_list_quote(hsp_text *t, const char *name, int64_t n);
/* A single name in the value of an option, which may be quoted like an entry: if the whole value is quoted, its text is put
 * in `out` and true is returned; else false. */
bool hsp_column_unquote(const char *value, hsp_text *out);

#endif
