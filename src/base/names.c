/* Case, '-' and '_' are the first things that two programs spell differently, so no comparison here depends on them. */
#include "base/text.h"
#include "halfspace_internal.h"

#include <string.h>

enum { LONGEST_NAME = 40 };

/* Lower case, '_' as '-'. False: longer than any name. */
static bool fold_name(char out[LONGEST_NAME + 1], const char *name) {
    size_t n = strnlen(name, LONGEST_NAME + 1);
    if (n > LONGEST_NAME) return false;
    for (size_t i = 0; i <= n; i++) {
        char c = name[i];
        out[i] = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return true;
}

static void drop_dashes(char *name) {
    char *to = name;
    for (const char *from = name; *from != '\0'; from++)
        if (*from != '-') *to++ = *from;
    *to = '\0';
}

bool hsp_name_listed(const char *words, const char *name) {
    char wanted[LONGEST_NAME + 1];
    if (!fold_name(wanted, name)) return false;
    drop_dashes(wanted);
    size_t n = strlen(wanted);
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        if (n > 0 && length == n && memcmp(words, wanted, n) == 0) return true;
        words += length;
        words += strspn(words, " ");
    }
    return false;
}

const char *hsp_name_nearest(const char *name, const char *const *names) {
    char wanted[LONGEST_NAME + 1], folded[LONGEST_NAME + 1];
    if (!fold_name(wanted, name)) return NULL;
    size_t n = strlen(wanted);
    const char *nearest = NULL;
    int least = ((int)n + 1) / 3 + 1; /* a third of the letters may be wrong */
    for (; n > 0 && *names != NULL; names++) {
        if (!fold_name(folded, *names)) continue;
        int edits = hsp_text_distance(wanted, folded);
        if (n >= 3 && strncmp(wanted, folded, n) == 0 && edits > 1) edits = 1; /* an abbreviation */
        if (edits >= least) continue;
        least = edits;
        nearest = *names;
    }
    return nearest;
}
