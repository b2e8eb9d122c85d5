/* The roles of the columns of a CSV file: target, weights, features, ignored ones. */
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/schema.h"
#include "option/column_list.h"
#include "option/options.h"
#include "read/csv.h"

#include <string.h>

#define SHOWN 6 /* names listed in a message */

void hsp_csv_layout_clear(hsp_csv_layout *l) {
    hsp_free(l->role);
    *l = (hsp_csv_layout){0};
}

int64_t hsp_csv_free_columns(const hsp_csv_layout *l) {
    int64_t count = 0;
    for (int64_t c = 0; c < l->columns; c++) count += l->role[c] == HSP_ROLE_FREE;
    return count;
}

const char *const hsp_csv_usual_names[HSP_CSV_USUAL] = {"label", "class", "target", "y"};

int hsp_csv_usual(const char *s) {
    int i = 0;
    while (i < HSP_CSV_USUAL && !hsp_text_same_letters(s, hsp_csv_usual_names[i], INT64_MAX)) i++;
    return i;
}

int64_t hsp_csv_usual_target(const hsp_csv_request *q, const hsp_csv_layout *l) {
    int64_t found = -1;
    int least = HSP_CSV_USUAL;
    for (int64_t c = 0; q->header && c < l->columns && least > 0; c++) {
        int rank = l->role[c] == HSP_ROLE_FREE ? hsp_csv_usual(hsp_csv_cells_at(q->first, c)) : HSP_CSV_USUAL;
        if (rank >= least) continue;
        least = rank;
        found = c;
    }
    return found;
}

int hsp_csv_check_delimiter(const hsp_csv_request *q, hsp_error **err) {
    const char *given = hsp_options_text(q->o, "delimiter");
    if (q->first->count > 1 || !given || strcmp(given, "auto") == 0) return 0;
    bool word = strlen(given) > 1; /* tab, space */
    return hsp_fail_at(err, HSP_EINPUT, (hsp_place){q->file, q->first->line, 1},
                       "the line has no %s%s%s, the delimiter of --delimiter: leave the option out, or name the character "
                       "that separates the cells",
                       word ? "" : "'", given, word ? "" : "'");
}

/* ---- columns named by options ---- */

static int fail_column(const hsp_csv_request *q, const char *option, const char *s, int64_t n, hsp_error **err) {
    char piece[HSP_EXCERPT];
    hsp_excerpt(piece, s, n);
    int64_t columns = q->first->count;
    if (!q->header)
        return hsp_fail(err, HSP_EUSAGE, "--%s: %s has no column '%s' and no header: give a number from 1 to %lld", option,
                        q->file, piece, (long long)columns);
    hsp_text names = {0};
    for (int64_t c = 0; c < columns && c < SHOWN; c++) {
        char name[HSP_EXCERPT];
        const char *cell = hsp_csv_cells_at(q->first, c);
        hsp_text_add(&names, c > 0 ? ", " : "");
        hsp_excerpt(name, cell, (int64_t)strlen(cell));
        hsp_column_list_quote(&names, name, (int64_t)strlen(name));
    }
    if (columns > SHOWN) hsp_text_format(&names, ", ... (%lld in all)", (long long)columns);
    int status = names.failed ? hsp_fail_memory(err)
                              : hsp_fail(err, HSP_EUSAGE, "--%s: %s has no column '%s': choose from %s", option, q->file,
                                         piece, names.s ? names.s : "none");
    hsp_text_free(&names);
    return status;
}

int64_t hsp_csv_find_column(const hsp_csv_request *q, const char *option, const char *s, int64_t n, hsp_error **err) {
    for (int64_t c = 0; q->header && c < q->first->count; c++) {
        const char *cell = hsp_csv_cells_at(q->first, c);
        if ((int64_t)strlen(cell) == n && memcmp(cell, s, (size_t)n) == 0) return c;
    }
    int64_t number, x = n > 1 && *s == 'x';
    bool whole = n > x && hsp_number_parse_int(s + x, s + n, &number) == s + n;
    if (whole && number >= 1 && number <= q->first->count) {
        bool named = q->header && *hsp_csv_cells_at(q->first, number - 1);
        if (!x || !named) return number - 1;
    }
    return fail_column(q, option, s, n, err);
}

static int apply_ignore(const hsp_csv_request *q, hsp_csv_layout *l, hsp_error **err) {
    hsp_column_list list = hsp_column_list_of(q->o, "ignore", 0);
    hsp_column_entry e;
    int status;
    while ((status = hsp_column_list_next(&list, &e, err)) > 0) {
        int64_t c = hsp_csv_find_column(q, "ignore", e.name, e.name_length, err);
        if (c < 0) {
            status = (int)c;
            break;
        }
        l->ignored += l->role[c] == HSP_ROLE_FREE;
        l->role[c] = HSP_ROLE_SKIP;
    }
    hsp_column_list_free(&list);
    return status;
}

/* The column that --target, --weight, --group or --time names, from 0, as it stands or quoted; or a negative status. */
static int64_t find_single(const hsp_csv_request *q, const char *option, const char *s, hsp_error **err) {
    hsp_text name = {0};
    int64_t c = -1;
    bool quoted = hsp_column_unquote(s, &name);
    if (name.failed)
        c = hsp_fail_memory(err);
    else if (quoted && hsp_csv_find_column(q, option, s, (int64_t)strlen(s), NULL) < 0)
        c = hsp_csv_find_column(q, option, name.s, name.length, err);
    else
        c = hsp_csv_find_column(q, option, s, (int64_t)strlen(s), err);
    hsp_text_free(&name);
    return c;
}

/* The option that gave a column its role. */
static const char *option_of(int64_t role) {
    return role == HSP_ROLE_TARGET   ? "target"
           : role == HSP_ROLE_WEIGHT ? "weight"
           : role == HSP_ROLE_GROUP  ? "group"
                                     : "ignore";
}

/* The column that the option names gets the role. */
static int apply_role(const hsp_csv_request *q, const char *option, int64_t role, hsp_csv_layout *l, hsp_error **err) {
    const char *s = hsp_options_text(q->o, option);
    if (!s) return 0;
    int64_t c = find_single(q, option, s, err);
    if (c < 0) return (int)c;
    if (l->role[c] != HSP_ROLE_FREE)
        return hsp_fail(err, HSP_EUSAGE, "column '%s' is both --%s and --%s: name it in one of them", s, option,
                        option_of(l->role[c]));
    l->role[c] = role;
    if (role == HSP_ROLE_TARGET) l->reason = "--target";
    if (role == HSP_ROLE_WEIGHT) l->weighted = true;
    if (role == HSP_ROLE_GROUP) l->side[HSP_SIDE_GROUP] = c + 1;
    if (role == HSP_ROLE_TIME) l->side[HSP_SIDE_TIME] = c + 1;
    return 0;
}

/* ---- names ---- */

static int check_duplicates(const hsp_csv_request *q, hsp_error **err) {
    hsp_intern *names = NULL;
    int status = hsp_intern_new(&names, err);
    for (int64_t c = 0; c < q->first->count && status == 0; c++) {
        const char *s = hsp_csv_cells_at(q->first, c);
        if (*s == '\0') continue; /* columns without a name may be several */
        int64_t found = hsp_intern_find(names, s, (int64_t)strlen(s));
        if (found < 0) {
            found = hsp_intern_add(names, s, (int64_t)strlen(s), err);
            if (found < 0) status = (int)found;
            continue;
        }
        int64_t other = 0;
        while (strcmp(hsp_csv_cells_at(q->first, other), s) != 0) other++;
        char piece[HSP_EXCERPT];
        status = hsp_fail_at(err, HSP_EINPUT, (hsp_place){q->file, q->first->line, q->first->column[c]},
                             "columns %lld and %lld are both named '%s': rename one of them", (long long)(other + 1),
                             (long long)(c + 1), hsp_excerpt(piece, s, (int64_t)strlen(s)));
    }
    hsp_intern_free(names);
    return status;
}

/* The name of a column in the header, or its default name. */
static char *column_name(const hsp_csv_request *q, int64_t c) {
    const char *s = hsp_csv_cells_at(q->first, c);
    if (*s) return hsp_strdup(s);
    char buf[32] = "x";
    buf[1 + hsp_number_format_int(c + 1, buf + 1)] = '\0';
    return hsp_strdup(buf);
}

/* ---- the whole ---- */

/* Without a model: the target by option, by name, or the last column; the others are features. */
static int choose_roles(const hsp_csv_request *q, hsp_csv_layout *l, hsp_error **err) {
    if (!l->reason) {
        int64_t target = hsp_csv_usual_target(q, l);
        l->reason = target >= 0 ? "by name" : "the last";
        for (int64_t c = l->columns - 1; c >= 0 && target < 0; c--)
            if (l->role[c] == HSP_ROLE_FREE) target = c;
        if (target >= 0) l->role[target] = HSP_ROLE_TARGET;
    }
    int64_t d = 0;
    for (int64_t c = 0; c < l->columns; c++)
        if (l->role[c] == HSP_ROLE_FREE) l->role[c] = d++;
    if (d > 0 || (q->bare && l->ignored < l->columns)) return 0;
    hsp_place at = {q->file, q->first->line, 1};
    int status = hsp_csv_check_delimiter(q, err);
    if (status < 0) return status;
    if (l->columns == 1 && q->first->line == 0)
        return hsp_fail_at(err, HSP_EINPUT, at, "only one key, so no features: give every object more keys");
    if (l->columns == 1)
        return hsp_fail_at(err, HSP_EINPUT, at,
                           "only one column, so no features: name the character between the cells with --delimiter, or use "
                           "--format svmlight");
    return hsp_fail_at(err, HSP_EINPUT, at, "no column is left as a feature: ignore fewer columns");
}

static int fill_schema(const hsp_csv_request *q, const hsp_csv_layout *l, hsp_schema *s, hsp_error **err) {
    *s = (hsp_schema){.header = q->header, .delimiter = q->delimiter, .file_columns = l->columns, .base = 0};
    for (int64_t c = 0; c < l->columns; c++) {
        if (l->role[c] >= s->d) s->d = l->role[c] + 1;
        if (l->role[c] == HSP_ROLE_TARGET) s->target_column = c + 1;
        if (l->role[c] == HSP_ROLE_WEIGHT) s->weight_column = c + 1;
    }
    if (q->known) s->d = q->known->d;
    if (q->known && q->known->unused) {
        s->unused = hsp_alloc(s->d, sizeof *s->unused);
        if (!s->unused) return hsp_fail_memory(err);
        memcpy(s->unused, q->known->unused, (size_t)s->d * sizeof *s->unused);
    }
    bool named = q->known ? q->known->name != NULL : q->header;
    s->format = hsp_strdup("csv");
    s->column = hsp_alloc_zero(s->d, sizeof *s->column);
    if (named) s->name = hsp_alloc_zero(s->d, sizeof *s->name);
    if (!s->format || !s->column || (named && !s->name)) return hsp_fail_memory(err);
    for (int64_t c = 0; c < l->columns; c++) {
        int64_t j = l->role[c];
        if (j < 0) continue;
        s->column[j] = c + 1;
        if (!named) continue;
        s->name[j] = q->known ? hsp_strdup(q->known->name[j]) : column_name(q, c);
        if (!s->name[j]) return hsp_fail_memory(err);
    }
    for (int64_t j = 0; named && j < s->d; j++) /* absent features have a name, but no column */
        if (!s->name[j] && l->absent > 0 && !(s->name[j] = hsp_strdup(q->known->name[j]))) return hsp_fail_memory(err);
    for (int64_t j = 0; j < s->d && l->absent == 0; j++)
        if (s->column[j] == 0)
            return hsp_fail_file(err, q->file, "feature %lld of the model has no column: train the model again",
                                 (long long)(j + 1));
    if (s->target_column > 0 && q->header) {
        s->target = column_name(q, s->target_column - 1);
        if (!s->target) return hsp_fail_memory(err);
    }
    if (s->weight_column > 0 && q->header) {
        s->weight = column_name(q, s->weight_column - 1);
        if (!s->weight) return hsp_fail_memory(err);
    }
    return 0;
}

/* Marks the columns that an option names, or that are marked in the model. Unknown names are reported when the rules are
 * made. */
static int mark_columns(const hsp_csv_request *q, const hsp_csv_layout *l, const char *option, const bool *known, int64_t d,
                        bool **marked, hsp_error **err) {
    if (q->known ? !known : !hsp_options_text(q->o, option)) return 0;
    if (!*marked && !HSP_ALLOC_ZERO(*marked, d + 1)) return hsp_fail_memory(err);
    if (q->known) {
        memcpy(*marked, known, (size_t)d * sizeof *known);
        return 0;
    }
    hsp_column_list list = hsp_column_list_of(q->o, option, 0);
    hsp_column_entry e;
    int status;
    while ((status = hsp_column_list_next(&list, &e, err)) > 0) {
        int64_t c = hsp_csv_find_column(q, option, e.name, e.name_length, NULL);
        if (c >= 0 && l->role[c] >= 0) (*marked)[l->role[c]] = true;
    }
    hsp_column_list_free(&list);
    return status;
}

/* Marks the columns that are declared to be words, whose cells stay text even if they look like numbers, and those that are
 * declared to be numbers. */
static int mark_declared(const hsp_csv_request *q, const hsp_csv_layout *l, hsp_schema *s, hsp_error **err) {
    const bool *spelt = q->known ? q->known->spelt : NULL, *numeric = q->known ? q->known->numeric : NULL;
    int status = mark_columns(q, l, "categorical", spelt, s->d, &s->spelt, err);
    if (status == 0) status = mark_columns(q, l, "text", spelt, s->d, &s->spelt, err);
    return status ? status : mark_columns(q, l, "numeric", numeric, s->d, &s->numeric, err);
}

int hsp_csv_layout_make(const hsp_csv_request *q, hsp_csv_layout *out, hsp_schema *schema, hsp_error **err) {
    *out = (hsp_csv_layout){.columns = q->first->count};
    *schema = (hsp_schema){0};
    out->role = hsp_alloc(out->columns, sizeof *out->role);
    if (!out->role) return hsp_fail_memory(err);
    for (int64_t c = 0; c < out->columns; c++) out->role[c] = HSP_ROLE_FREE;
    int status = q->header ? check_duplicates(q, err) : 0;
    if (status == 0) status = apply_ignore(q, out, err);
    if (status == 0) status = apply_role(q, "target", HSP_ROLE_TARGET, out, err);
    if (status == 0) status = apply_role(q, "weight", HSP_ROLE_WEIGHT, out, err);
    if (status == 0) status = apply_role(q, "group", HSP_ROLE_GROUP, out, err);
    if (status == 0) status = apply_role(q, "time", HSP_ROLE_TIME, out, err);
    if (status == 0) status = q->known ? hsp_csv_match(q, out, err) : choose_roles(q, out, err);
    if (status == 0) status = fill_schema(q, out, schema, err);
    if (status == 0) status = mark_declared(q, out, schema, err);
    return status;
}
