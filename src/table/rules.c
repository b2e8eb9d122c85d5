#include "table/rules.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "option/column_list.h"
#include "option/options.h"
#include "table/spelling.h"

#include <math.h>
#include <string.h>

enum { NAMES_SHOWN = 6 };

const char *const hsp_missing_names[] = {"error", "drop", "mean", "median", "indicator"};
const char *const hsp_text_value_names[] = {"tf-idf", "count", "presence"};

typedef struct request {
    const hsp_options *o;
    const hsp_schema *columns;
    const char *file;
    const char *option; /* that is being parsed */
    hsp_error **err;
} request;

/* ---- columns that options name ---- */

/* The column of that name, else of that number in the file, from 1; -1: none. */
static int64_t find_column(const hsp_schema *s, const char *name, int64_t n) {
    char buf[32];
    for (int64_t j = 0; j < s->d; j++) {
        const char *own = hsp_schema_feature(s, j, buf);
        if ((int64_t)strlen(own) == n && memcmp(own, name, (size_t)n) == 0) return j;
    }
    int64_t number;
    if (n == 0 || hsp_number_parse_int(name, name + n, &number) != name + n) return -1;
    for (int64_t j = 0; j < s->d; j++)
        if ((s->column ? s->column[j] : j + 1) == number) return j;
    return -1;
}

/* Whether the n bytes are the name (or NULL) or the number of a column of the file. */
static bool is_column(const char *s, int64_t n, const char *name, int64_t column) {
    int64_t number;
    if (name && (int64_t)strlen(name) == n && memcmp(name, s, (size_t)n) == 0) return true;
    return column > 0 && n > 0 && hsp_number_parse_int(s, s + n, &number) == s + n && number == column;
}

static int fail_column(const request *q, const char *s, int64_t n) {
    const hsp_schema *c = q->columns;
    char piece[HSP_EXCERPT], buf[32], shown[HSP_EXCERPT];
    hsp_excerpt(piece, s, n);
    bool target = is_column(s, n, c->target, c->target_column);
    if (target || is_column(s, n, c->weight, c->weight_column))
        return hsp_fail(q->err, HSP_EUSAGE, "--%s: column '%s' holds the %s: choose another column", q->option, piece,
                        target ? "target" : "weights");
    hsp_text names = {0};
    for (int64_t j = 0; j < c->d && j < NAMES_SHOWN; j++) {
        const char *name = hsp_schema_feature(c, j, buf);
        hsp_text_add(&names, j > 0 ? ", " : "");
        hsp_excerpt(shown, name, (int64_t)strlen(name));
        hsp_column_list_quote(&names, shown, (int64_t)strlen(shown));
    }
    if (c->d > NAMES_SHOWN) hsp_text_format(&names, ", ... (%lld in all)", (long long)c->d);
    int status = names.failed ? hsp_fail_memory(q->err)
                              : hsp_fail(q->err, HSP_EUSAGE, "--%s: %s has no feature column '%s': choose from %s",
                                         q->option, q->file ? q->file : "the table", piece, names.s ? names.s : "none");
    hsp_text_free(&names);
    return status;
}

static int set_kind(const request *q, const char *s, int64_t n, const hsp_kind *kind, hsp_table_rules *r) {
    char piece[HSP_EXCERPT];
    int64_t j = find_column(q->columns, s, n);
    if (j < 0) return fail_column(q, s, n);
    if (r->kind[j] && r->kind[j] != kind)
        return hsp_fail(q->err, HSP_EUSAGE, "column '%s' is both --%s and --%s: name it in one of them",
                        hsp_excerpt(piece, s, n), r->kind[j]->name, kind->name);
    r->kind[j] = kind;
    return 0;
}

static int parse_kind(request *q, const hsp_kind *kind, hsp_table_rules *r) {
    hsp_column_list list = hsp_column_list_of(q->o, kind->name, 0);
    hsp_column_entry e;
    int status;
    q->option = kind->name;
    while ((status = hsp_column_list_next(&list, &e, q->err)) > 0) {
        status = set_kind(q, e.name, e.name_length, kind, r);
        if (status) break;
    }
    hsp_column_list_free(&list);
    return status;
}

/* ---- crosses ---- */

/* The two columns of A:B with a quoted name. */
static int find_quoted_pair(const request *q, const hsp_column_entry *e, int64_t pair[2]) {
    char piece[HSP_EXCERPT];
    if (!e->value)
        return hsp_fail(q->err, HSP_EUSAGE, "--cross: '%s' does not name two columns: write A:B",
                        hsp_excerpt(piece, e->name, e->name_length));
    pair[0] = find_column(q->columns, e->name, e->name_length);
    if (pair[0] < 0) return fail_column(q, e->name, e->name_length);
    pair[1] = find_column(q->columns, e->value, e->value_length);
    return pair[1] < 0 ? fail_column(q, e->value, e->value_length) : 0;
}

/* The two columns of "A:B", whose names may contain ':'. */
static int find_pair(const request *q, const char *s, int64_t n, int64_t pair[2]) {
    const char *end = s + n, *first = NULL;
    char piece[HSP_EXCERPT];
    for (const char *p = s; p < end; p++) {
        if (*p != ':') continue;
        if (!first) first = p;
        pair[0] = find_column(q->columns, s, p - s);
        pair[1] = find_column(q->columns, p + 1, end - p - 1);
        if (pair[0] >= 0 && pair[1] >= 0) return 0;
    }
    if (!first)
        return hsp_fail(q->err, HSP_EUSAGE, "--cross: '%s' does not name two columns: write A:B", hsp_excerpt(piece, s, n));
    bool left = find_column(q->columns, s, first - s) < 0;
    return left ? fail_column(q, s, first - s) : fail_column(q, first + 1, end - first - 1);
}

static int parse_cross(const request *q, const hsp_column_entry *e, hsp_table_rules *r) {
    int64_t pair[2];
    char piece[HSP_EXCERPT];
    bool quoted = e->name_quoted || e->value_quoted;
    int status = quoted ? find_quoted_pair(q, e, pair) : find_pair(q, e->spelt, e->spelt_length, pair);
    if (status) return status;
    hsp_excerpt(piece, e->spelt, e->spelt_length);
    if (pair[0] == pair[1])
        return hsp_fail(q->err, HSP_EUSAGE, "--cross: '%s' is the same column twice: name two columns, or use --degree 2",
                        piece);
    for (int64_t k = 0; k < r->crosses; k++) {
        const int64_t *c = r->cross[k];
        if ((c[0] == pair[0] && c[1] == pair[1]) || (c[0] == pair[1] && c[1] == pair[0]))
            return hsp_fail(q->err, HSP_EUSAGE, "--cross names '%s' twice: name it once", piece);
    }
    memcpy(r->cross[r->crosses++], pair, sizeof pair);
    return 0;
}

static int parse_crosses(request *q, hsp_table_rules *r) {
    hsp_column_list list = hsp_column_list_of(q->o, "cross", ':');
    hsp_column_entry e;
    int64_t capacity = 0;
    int status;
    q->option = "cross";
    while ((status = hsp_column_list_next(&list, &e, q->err)) > 0) {
        bool failed = hsp_reserve((void **)&r->cross, &capacity, r->crosses + 1, sizeof *r->cross);
        status = failed ? hsp_fail_memory(q->err) : parse_cross(q, &e, r);
        if (status) break;
    }
    hsp_column_list_free(&list);
    return status;
}

/* ---- transforms ---- */

static int fail_transform(const request *q, const hsp_column_entry *e) {
    char piece[HSP_EXCERPT];
    hsp_text forms = {0};
    hsp_transform_list(&forms);
    int status = forms.failed ? hsp_fail_memory(q->err)
                              : hsp_fail(q->err, HSP_EUSAGE, "--transform cannot be '%s': write COLUMN=X, X being %s",
                                         hsp_excerpt(piece, e->spelt, e->spelt_length), forms.s);
    hsp_text_free(&forms);
    return status;
}

/* A named column is read as numbers. */
static int set_transform(const request *q, const hsp_column_entry *e, int64_t j, hsp_transform_rule rule,
                         hsp_table_rules *r) {
    char piece[HSP_EXCERPT];
    hsp_transform_rule *to = j < 0 ? &r->every : &r->transform[j];
    hsp_excerpt(piece, e->name, e->name_length);
    if (to->asked) return hsp_fail(q->err, HSP_EUSAGE, "--transform names '%s' twice: name it once", piece);
    *to = rule;
    if (j < 0 || !rule.kind) return 0;
    if (r->kind[j] && !r->kind[j]->as_is)
        return hsp_fail(q->err, HSP_EUSAGE, "column '%s' is --%s, and --transform is for numbers: name it in one of them",
                        piece, r->kind[j]->name);
    r->kind[j] = &hsp_kind_numeric;
    return 0;
}

static int parse_transform(const request *q, const hsp_column_entry *e, hsp_table_rules *r) {
    static const char all[] = "numeric";
    hsp_transform_rule rule;
    if (!e->value || !hsp_transform_parse(e->value, e->value_length, &rule)) return fail_transform(q, e);
    bool every = !e->name_quoted && e->name_length == (int64_t)strlen(all) && memcmp(e->name, all, strlen(all)) == 0;
    int64_t j = every ? -1 : find_column(q->columns, e->name, e->name_length);
    return j < 0 && !every ? fail_column(q, e->name, e->name_length) : set_transform(q, e, j, rule, r);
}

static int parse_transforms(request *q, hsp_table_rules *r) {
    hsp_column_list list = hsp_column_list_of(q->o, "transform", '=');
    hsp_column_entry e;
    int status;
    q->option = "transform";
    while ((status = hsp_column_list_next(&list, &e, q->err)) > 0) {
        status = parse_transform(q, &e, r);
        if (status) break;
    }
    hsp_column_list_free(&list);
    return status;
}

const hsp_transform_rule *hsp_table_rules_transform(const hsp_table_rules *r, int64_t j) {
    const hsp_transform_rule *rule = r->transform && r->transform[j].asked ? &r->transform[j] : &r->every;
    return rule->kind ? rule : NULL;
}

/* ---- texts, expansions ---- */

static int parse_grams(const request *q, hsp_table_rules *r) {
    const char *s = hsp_options_text(q->o, "ngrams");
    r->gram_least = r->characters ? 2 : 1;
    r->gram_most = r->characters ? 4 : 2;
    if (!s) return 0;
    const char *end = s + strlen(s), *p = hsp_number_parse_int(s, end, &r->gram_least);
    r->gram_most = r->gram_least;
    if (p && *p == '-') p = hsp_number_parse_int(p + 1, end, &r->gram_most);
    if (p == end && r->gram_least >= 1 && r->gram_least <= r->gram_most && r->gram_most <= HSP_GRAMS_LONGEST) return 0;
    return hsp_fail(q->err, HSP_EUSAGE, "--ngrams cannot be '%s': give N or N-M, from 1 to %d", s, HSP_GRAMS_LONGEST);
}

static int check_text(const request *q, const hsp_table_rules *r) {
    static const char *const only[] = {"ngrams", "text-unit", "text-value", "hash-bits"};
    for (int64_t j = 0; j < r->d; j++)
        if (r->kind[j] && r->kind[j]->reads_text) return 0;
    for (size_t i = 0; i < sizeof only / sizeof *only; i++)
        if (hsp_options_is_set(q->o, only[i]))
            return hsp_fail(q->err, HSP_EUSAGE, "--%s is for text columns, and there are none: name them with --text",
                            only[i]);
    return 0;
}

/* ---- all rules ---- */

static int fill_rules(request *q, hsp_table_rules *r) {
    if (!HSP_ALLOC_ZERO(r->kind, r->d) || !HSP_ALLOC_ZERO(r->transform, r->d) || hsp_copy_string(&r->file, q->file))
        return hsp_fail_memory(q->err);
    while (r->missing < HSP_MISSING_INDICATOR && !hsp_options_is(q->o, "missing", hsp_missing_names[r->missing]))
        r->missing++;
    r->min_count = hsp_options_int(q->o, "min-count", 1);
    r->as_spelt = true;
    if (hsp_options_text(q->o, "numeric-levels"))
        return hsp_fail(q->err, HSP_EUSAGE,
                        "--numeric-levels is for applying a model: leave it out, or spell the levels of the training data "
                        "alike");
    r->characters = hsp_options_is(q->o, "text-unit", "char");
    r->text_value = HSP_TEXT_PRESENCE;
    while (r->text_value > HSP_TEXT_TFIDF && !hsp_options_is(q->o, "text-value", hsp_text_value_names[r->text_value]))
        r->text_value--;
    r->hash_bits = hsp_options_int(q->o, "hash-bits", 0);
    r->degree = hsp_options_int(q->o, "degree", 1);
    r->date_asked = hsp_options_is(q->o, "date-order", "dmy")   ? HSP_DATE_DMY
                    : hsp_options_is(q->o, "date-order", "mdy") ? HSP_DATE_MDY
                    : hsp_options_is(q->o, "date-order", "ymd") ? HSP_DATE_YMD
                                                                : HSP_DATE_NONE;
    int status = 0;
    for (const hsp_kind *const *k = hsp_kind_table; !status && *k; k++)
        if ((*k)->askable) status = parse_kind(q, *k, r);
    if (!status) status = parse_transforms(q, r);
    if (!status) status = check_text(q, r);
    if (!status) status = parse_grams(q, r);
    if (!status) status = parse_crosses(q, r);
    if (status) return status;
    r->fourier = hsp_options_int(q->o, "rff", 0);
    r->fourier_gamma = hsp_options_real(q->o, "rff-gamma", NAN);
    r->seed = (uint64_t)hsp_options_int(q->o, "seed", 1);
    if (r->fourier == 0 && hsp_options_is_set(q->o, "rff-gamma"))
        return hsp_fail(q->err, HSP_EUSAGE, "--rff-gamma has no effect without random Fourier features: add --rff N");
    return 0;
}

int hsp_table_rules_make(const hsp_options *o, const hsp_schema *columns, const char *file, hsp_table_rules *out,
                         hsp_error **err) {
    request q = {.o = o, .columns = columns, .file = file, .err = err};
    *out = (hsp_table_rules){.d = columns->d};
    int status = fill_rules(&q, out);
    if (status) hsp_table_rules_clear(out);
    return status;
}

int hsp_table_rules_mark(const hsp_options *o, const char *option, const hsp_schema *columns, const char *file,
                         bool *marked, hsp_error **err) {
    const request q = {.o = o, .columns = columns, .file = file, .option = option, .err = err};
    hsp_column_list list = hsp_column_list_of(o, option, 0);
    hsp_column_entry e;
    int status;
    while ((status = hsp_column_list_next(&list, &e, err)) > 0) {
        int64_t j = find_column(columns, e.name, e.name_length);
        if (j < 0) {
            status = fail_column(&q, e.name, e.name_length);
            break;
        }
        marked[j] = true;
    }
    hsp_column_list_free(&list);
    return status;
}

int hsp_table_rules_copy(const hsp_table_rules *r, hsp_table_rules *out, hsp_error **err) {
    *out = *r;
    out->kind = NULL;
    out->transform = NULL;
    out->cross = NULL;
    out->date_order = NULL;
    out->file = NULL;
    if (!HSP_COPY(out->kind, r->kind, r->d) && !HSP_COPY(out->transform, r->transform, r->d) &&
        !HSP_COPY(out->cross, r->cross, r->crosses) && !HSP_COPY(out->date_order, r->date_order, r->d) &&
        !hsp_copy_string(&out->file, r->file))
        return HSP_OK;
    hsp_table_rules_clear(out);
    return hsp_fail_memory(err);
}

void hsp_table_rules_clear(hsp_table_rules *r) {
    HSP_FREE(r->kind, r->transform, r->cross, r->date_order, r->file);
    *r = (hsp_table_rules){0};
}

const char *hsp_table_rules_asked(const hsp_options *o) {
    for (int64_t i = 0; i < hsp_option_table_size; i++)
        if (strcmp(hsp_option_table[i].group, "table") == 0 && hsp_options_is_set(o, hsp_option_table[i].name))
            return hsp_option_table[i].name;
    return NULL;
}
