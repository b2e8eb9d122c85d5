/* Matches the columns of a CSV file to a model's: by name when both have names, else by position. */
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/schema.h"
#include "option/options.h"
#include "read/csv.h"

#include <string.h>

#define SHOWN 3 /* missing columns listed in a message */

/* ---- by name ---- */

/* The number of each name is that of the model's feature. */
static int intern_names(const hsp_schema *known, hsp_intern **out, hsp_error **err) {
    int status = hsp_intern_new(out, err);
    for (int64_t j = 0; j < known->d && status == 0; j++) {
        int64_t number = hsp_intern_add(*out, known->name[j], (int64_t)strlen(known->name[j]), err);
        if (number < 0) status = (int)number;
    }
    return status;
}

/* The model's feature of a column, or -1; a column without a name has its default name, x and its number. */
static int64_t feature_of(const hsp_intern *names, const hsp_csv_cells *cells, int64_t c) {
    const char *s = hsp_csv_cells_at(cells, c);
    if (*s) return hsp_intern_find(names, s, (int64_t)strlen(s));
    char buf[32] = "x";
    return hsp_intern_find(names, buf, 1 + hsp_number_format_int(c + 1, buf + 1));
}

int hsp_csv_header_matches(const hsp_csv_cells *first, const hsp_schema *known, hsp_error **err) {
    if (!known->name) return 0;
    hsp_intern *names = NULL;
    int status = intern_names(known, &names, err);
    bool any = false;
    int64_t found = 0;
    for (int64_t c = 0; c < first->count && status == 0 && !any; c++) {
        const char *s = hsp_csv_cells_at(first, c);
        double v;
        bool there = hsp_intern_find(names, s, (int64_t)strlen(s)) >= 0;
        bool target = known->target && strcmp(s, known->target) == 0;
        bool weight = known->weight && strcmp(s, known->weight) == 0;
        any = (there || target || weight) &&
              !hsp_csv_is_number(s, (int64_t)strlen(s), &v); /* a number may belong to the first row */
        found += there;
    }
    hsp_intern_free(names);
    return status < 0 ? status : any || found >= known->d;
}

/* A table may lack columns, but not all: their cells count as missing. */
static bool may_lack(const hsp_csv_request *q, const bool *found, hsp_csv_layout *l) {
    int64_t absent = 0, spared = 0;
    for (int64_t j = 0; j < q->known->d; j++) {
        bool unused = q->known->unused && q->known->unused[j];
        absent += !found[j] && !unused;
        spared += !found[j] && unused;
    }
    if (absent == 0) {
        l->absent = spared;
        return true;
    }
    bool allowed = q->known->table && !hsp_options_flag(q->o, "strict") && absent < q->known->d;
    if (allowed) l->absent = absent + spared;
    return allowed;
}

/* The option that takes the column of this name from the features: "ignore" or "target"; NULL: there is no such column. */
static const char *option_taking(const hsp_csv_request *q, const hsp_csv_layout *l, const char *name) {
    for (int64_t c = 0; c < l->columns; c++)
        if (strcmp(hsp_csv_cells_at(q->first, c), name) == 0) return l->role[c] == HSP_ROLE_TARGET ? "target" : "ignore";
    return NULL;
}

/* Fails because an option takes the column of feature j, if that is why it is missing. */
static int check_taken(const hsp_csv_request *q, const hsp_csv_layout *l, int64_t j, hsp_error **err) {
    char piece[HSP_EXCERPT];
    const char *name = q->known->name[j], *option = option_taking(q, l, name);
    if (!option) return 0;
    return hsp_fail_at(err, HSP_EINPUT, (hsp_place){q->file, q->first->line, 1},
                       "--%s names column '%s', which the model needs as a feature: take it out of --%s", option,
                       hsp_excerpt(piece, name, (int64_t)strlen(name)), option);
}

/* Fails with the names of the features without a column, unless they may be absent. */
static int check_missing(const hsp_csv_request *q, const bool *found, hsp_csv_layout *l, hsp_error **err) {
    hsp_text names = {0};
    int64_t count = 0;
    if (may_lack(q, found, l)) return 0;
    int status = hsp_csv_check_delimiter(q, err);
    for (int64_t j = 0; j < q->known->d && status == 0; j++) {
        if (found[j] || (q->known->unused && q->known->unused[j])) continue;
        status = check_taken(q, l, j, err);
        if (count++ >= SHOWN) continue;
        char piece[HSP_EXCERPT];
        const char *name = hsp_excerpt(piece, q->known->name[j], (int64_t)strlen(q->known->name[j]));
        hsp_text_format(&names, "%s'%s'", count > 1 ? ", " : "", name);
    }
    if (count > SHOWN) hsp_text_format(&names, " and %lld more", (long long)(count - SHOWN));
    if (status == 0 && names.failed)
        status = hsp_fail_memory(err);
    else if (status == 0 && count > 0)
        status = hsp_fail_at(err, HSP_EINPUT, (hsp_place){q->file, q->first->line, 1},
                             count == 1 ? "column %s, which the model needs, is missing: add it"
                                        : "columns %s, which the model needs, are missing: add them",
                             names.s);
    hsp_text_free(&names);
    return status;
}

static int match_names(const hsp_csv_request *q, hsp_csv_layout *l, hsp_error **err) {
    hsp_intern *names = NULL;
    bool *found = hsp_alloc_zero(q->known->d, sizeof *found);
    int status = found ? intern_names(q->known, &names, err) : hsp_fail_memory(err);
    l->matched = true;
    for (int64_t c = 0; c < l->columns && status == 0; c++) {
        if (l->role[c] == HSP_ROLE_WEIGHT && feature_of(names, q->first, c) >= 0) {
            const char *name = hsp_csv_cells_at(q->first, c);
            char piece[HSP_EXCERPT];
            status = hsp_fail(err, HSP_EUSAGE, "--weight: column '%s' is a feature of the model: choose another column",
                              hsp_excerpt(piece, name, (int64_t)strlen(name)));
        }
        if (l->role[c] != HSP_ROLE_FREE) continue;
        const char *target = l->reason ? NULL : q->known->target;
        int64_t j = feature_of(names, q->first, c);
        if (j >= 0 && !found[j]) {
            found[j] = true;
            l->role[c] = j;
        } else if (target && strcmp(target, hsp_csv_cells_at(q->first, c)) == 0) {
            l->role[c] = HSP_ROLE_TARGET;
            l->reason = "by name";
        } else if (q->known->weight && strcmp(q->known->weight, hsp_csv_cells_at(q->first, c)) == 0) {
            l->role[c] = HSP_ROLE_SKIP; /* weights of training are not needed */
        } else {
            l->role[c] = HSP_ROLE_SKIP;
            l->extra++;
        }
    }
    if (status == 0) status = check_missing(q, found, l, err);
    hsp_intern_free(names);
    hsp_free(found);
    return status;
}

/* ---- by position ---- */

/* Which columns a file has besides the features: the target, and the weights of training, which are skipped. */
typedef struct other_columns {
    bool target, weight;
} other_columns;

/* Assigns the features to the free columns in order. target, weight: numbers of the free columns that hold those, from 0;
 * -1: none. */
static void assign_in_order(hsp_csv_layout *l, int64_t target, int64_t weight) {
    int64_t j = 0, k = 0;
    for (int64_t c = 0; c < l->columns; c++) {
        if (l->role[c] != HSP_ROLE_FREE) continue;
        l->role[c] = k == target ? HSP_ROLE_TARGET : k == weight ? HSP_ROLE_SKIP : j++;
        k++;
    }
    if (target >= 0) l->reason = "as in the model";
}

/* Assigns the columns of training, shifted by the target or weights that the file lacks. A model may be inconsistent: a
 * feature that gets no column here is reported when the schema is filled. */
static void assign_as_trained(const hsp_schema *known, hsp_csv_layout *l, other_columns there) {
    int64_t target = known->target_column, weight = known->weight_column;
    int64_t no_target = there.target ? 0 : target, no_weight = there.weight ? 0 : weight;
    for (int64_t c = 0; c < l->columns; c++)
        if (l->role[c] == HSP_ROLE_FREE) l->role[c] = HSP_ROLE_SKIP;
    for (int64_t j = 0; j < known->d; j++) {
        int64_t column = known->column[j];
        int64_t c = column - 1 - (no_target > 0 && column > no_target) - (no_weight > 0 && column > no_weight);
        if (c >= 0 && c < l->columns && l->role[c] != HSP_ROLE_WEIGHT) l->role[c] = j;
    }
    int64_t at = target - 1 - (no_weight > 0 && target > no_weight);
    if (!there.target || at < 0 || at >= l->columns || l->role[at] == HSP_ROLE_WEIGHT) return;
    l->role[at] = HSP_ROLE_TARGET;
    l->reason = "as in the model";
}

/* The rank of a column of training (from 1) among the features and the other one of target and weights (0: absent). */
static int64_t rank_of(const hsp_schema *known, int64_t column, int64_t other) {
    int64_t rank = other > 0 && other < column;
    for (int64_t j = 0; j < known->d; j++) rank += known->column[j] < column;
    return rank;
}

/* The rank of the target among the free columns. */
static int64_t target_rank(const hsp_csv_request *q, const hsp_csv_layout *l, other_columns there) {
    if (q->known->column) return rank_of(q->known, q->known->target_column, there.weight ? q->known->weight_column : 0);
    int64_t named = hsp_csv_usual_target(q, l), rank = 0;
    if (named < 0) return hsp_csv_free_columns(l) - 1;
    for (int64_t c = 0; c < named; c++) rank += l->role[c] == HSP_ROLE_FREE;
    return rank;
}

static int fail_count(const hsp_csv_request *q, int64_t columns, hsp_error **err) {
    const hsp_schema *known = q->known;
    hsp_place at = {q->file, q->first->line, 1};
    int status = hsp_csv_check_delimiter(q, err);
    if (status < 0) return status;
    if (known->file_columns > 0)
        return hsp_fail_at(err, HSP_EINPUT, at,
                           "the file has %lld columns, but the training file had %lld, of which %lld are features: give "
                           "the same columns, or use --target and --ignore",
                           (long long)columns, (long long)known->file_columns, (long long)known->d);
    return hsp_fail_at(err, HSP_EINPUT, at,
                       "the file has %lld columns, but the model has %lld features: give the same columns",
                       (long long)columns, (long long)known->d);
}

/* Which of target and weights are there when the file has `extra` columns besides the features: 1, or 0 when the numbers do
 * not add up, or a negative status. */
static int choose_others(const hsp_csv_request *q, other_columns may, int64_t extra, other_columns *there,
                         hsp_error **err) {
    if (extra == 1 && may.target && may.weight) /* training had both */
        return hsp_fail_at(
            err, HSP_EINPUT, (hsp_place){q->file, q->first->line, 1},
            "one column is missing, the target or the weights: name the one that is present with --target or --weight");
    if (extra < 0 || extra > may.target + may.weight) return 0;
    *there = (other_columns){may.target && extra > 0, may.weight && extra > 0};
    return 1;
}

static int match_positions(const hsp_csv_request *q, hsp_csv_layout *l, hsp_error **err) {
    const hsp_schema *known = q->known;
    int64_t columns = l->columns, free = hsp_csv_free_columns(l), weight = known->column ? known->weight_column : 0;
    other_columns may = {!l->reason && (!known->column || known->target_column > 0), !l->weighted && weight > 0}, there;
    bool plain = known->column && free == columns;
    /* --weight may name the same column as in training. */
    bool again = known->column && columns == known->file_columns && free == columns - 1 && weight > 0 &&
                 weight <= columns && l->role[weight - 1] == HSP_ROLE_WEIGHT;
    if (again || (plain && columns == known->file_columns)) {
        assign_as_trained(known, l, (other_columns){known->target_column > 0, true});
        return 0;
    }
    int found = 0;
    if (plain) {
        int64_t others = known->file_columns - may.target - may.weight;
        found = choose_others(q, may, columns - others, &there, err);
        if (found > 0) assign_as_trained(known, l, there);
    }
    if (found == 0) {
        found = choose_others(q, may, free - known->d, &there, err);
        if (found > 0)
            assign_in_order(l, there.target ? target_rank(q, l, there) : -1,
                            there.weight ? rank_of(known, weight, there.target ? known->target_column : 0) : -1);
    }
    if (found < 0) return found;
    return found > 0 ? 0 : fail_count(q, columns, err);
}

int hsp_csv_match(const hsp_csv_request *q, hsp_csv_layout *l, hsp_error **err) {
    if (!q->header || !q->known->name) return match_positions(q, l, err);
    return match_names(q, l, err);
}
