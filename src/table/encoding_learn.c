/* Learns the encoding of a table: the profiles of the columns, their kinds, then each column. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "data/table_frame.h"
#include "table/choose_kind.h"
#include "table/encoding.h"
#include "table/expand.h"
#include "table/fill.h"
#include "table/spelling.h"

#include <math.h>
#include <string.h>

typedef struct encoding_task {
    hsp_encoding *e;
    const hsp_frame *f;
    hsp_profile *p;
    int threads;
    hsp_text note;
    char *unfilled;    /* owned; lenient: the error about missing cells, used if there is no other */
    void **gathered;   /* owned: of each column, by its kind */
    bool *wants;       /* owned: whether the kind of each column gathers */
    int *status;       /* owned: of each column */
    hsp_error **error; /* owned: of each column */
} encoding_task;

/* With lenient rules turns an error about the cells into text and frees it; passes any other error on. */
static int error_to_text(const encoding_task *l, int status, hsp_error *made, char **text, hsp_error **err) {
    if (status != HSP_EINPUT || !l->e->rules.lenient) {
        hsp_error_pass(err, made);
        return status;
    }
    *text = hsp_strdup(hsp_error_message(made));
    hsp_error_free(made);
    return *text ? HSP_OK : hsp_fail_memory(err);
}

/* Training fails with the first error. */
static int set_refusal(hsp_encoding *e, const char *text, hsp_error **err) {
    return !e->refusal && hsp_copy_string(&e->refusal, text) ? hsp_fail_memory(err) : HSP_OK;
}

/* Leaves out column j, which is of no kind, if the rules are lenient. */
static int leave_out(encoding_task *l, int64_t j, int status, hsp_error *made, hsp_error **err) {
    hsp_table_column *c = &l->e->column[j];
    status = error_to_text(l, status, made, &c->trouble, err);
    if (status) return status;
    if (c->kind) hsp_column_forget(c);
    c->kind = &hsp_kind_ignored;
    c->features = 0;
    c->fills = c->indicator = false;
    l->e->incomplete = true;
    return set_refusal(l->e, c->trouble, err);
}

static hsp_column_cells cells_of(const encoding_task *l, int64_t j) {
    return (hsp_column_cells){.f = l->f,
                              .j = j,
                              .name = l->e->column[j].name,
                              .p = &l->p[j],
                              .r = &l->e->rules,
                              .threads = l->threads,
                              .gathered = l->gathered ? l->gathered[j] : NULL};
}

static int choose_kinds(encoding_task *l, hsp_error **err) {
    hsp_encoding *e = l->e;
    int status = HSP_OK;
    for (int64_t j = 0; !status && j < e->raw.d; j++) {
        hsp_table_column *c = &e->column[j];
        const hsp_column_cells cells = cells_of(l, j);
        const hsp_kind *kind = e->rules.kind[j];
        hsp_error *made = NULL;
        c->asked = kind != NULL;
        if (!kind) status = hsp_choose_kind(&cells, &l->note, &kind, &made);
        if (!status)
            c->kind = kind;
        else
            status = leave_out(l, j, status, made, err);
    }
    return status;
}

/* Cuts the notes to the first 20. */
static void shorten_notes(hsp_text *note) {
    enum { MOST = 20 };
    int64_t lines = 0, end = 0;
    for (int64_t i = 0; i < note->length; i++) {
        if (note->s[i] != '\n') continue;
        if (++lines == MOST) end = i;
    }
    if (lines <= MOST) return;
    note->length = end;
    hsp_text_format(note, "\n%lld more columns have such warnings: use `halfspace inspect` to list them",
                    (long long)(lines + 1 - MOST));
}

/* Adds the notes on what was learnt, and stores all of them. */
static int store_notes(encoding_task *l, hsp_error **err) {
    hsp_encoding *e = l->e;
    for (int64_t j = 0; j < e->raw.d && e->rules.min_count == 1; j++) {
        const hsp_table_column *c = &e->column[j];
        const hsp_column_cells cells = cells_of(l, j);
        if (c->asked || !hsp_kind_one_hot(c->kind)) continue;
        hsp_note_levels(&cells, c->features - (l->p[j].missing > 0), &l->note);
    }
    shorten_notes(&l->note);
    int status = hsp_note_header(l->f, l->p, &l->note, err);
    if (status) return status;
    if (l->note.failed) return hsp_fail_memory(err);
    return l->note.length > 0 ? hsp_text_take(&l->note, &e->note, err) : HSP_OK;
}

static bool is_earlier(const hsp_profile *a, const hsp_profile *b) {
    const hsp_profile_place *x = &a->first_missing, *y = &b->first_missing;
    return x->file_number != y->file_number ? x->file_number < y->file_number : x->line < y->line;
}

/* Fails if cells are missing and no rule says what to do. A missing text is an empty text. */
static int check_missing(const encoding_task *l, hsp_error **err) {
    const hsp_encoding *e = l->e;
    int64_t first = -1, all = 0, columns = 0;
    char name[HSP_EXCERPT];
    if (e->rules.missing != HSP_MISSING_ERROR) return HSP_OK;
    for (int64_t j = 0; j < e->raw.d; j++) {
        const hsp_kind *kind = e->column[j].kind;
        if (kind->left_out || kind->reads_text || l->p[j].missing == 0) continue;
        all += l->p[j].missing;
        columns++;
        if (first < 0 || is_earlier(&l->p[j], &l->p[first])) first = j;
    }
    if (first < 0) return HSP_OK;
    hsp_excerpt(name, e->column[first].name, (int64_t)strlen(e->column[first].name));
    const hsp_profile_place *at = &l->p[first].first_missing;
    return hsp_fail_at(err, HSP_EINPUT, (hsp_place){at->file ? at->file : e->rules.file, at->line, 0},
                       "column '%s' has a missing value (%lld in all, in %lld column%s): fill them with --missing mean, "
                       "median or indicator, or drop the rows with --missing drop",
                       name, (long long)all, (long long)columns, columns == 1 ? "" : "s");
}

/* The same, but lenient rules fill such cells. */
static int handle_missing(encoding_task *l, hsp_error **err) {
    hsp_error *made = NULL;
    int status = check_missing(l, &made);
    if (!status) return HSP_OK;
    status = error_to_text(l, status, made, &l->unfilled, err);
    if (status) return status;
    l->e->rules.missing = HSP_MISSING_MEAN;
    l->e->unasked = true;
    return HSP_OK;
}

/* ---- columns ---- */

static void learn_column(void *ctx, int64_t j) {
    const encoding_task *l = ctx;
    hsp_table_column *c = &l->e->column[j];
    const hsp_column_cells cells = cells_of(l, j);
    c->features = c->kind->numbers;
    if (!l->status[j] && c->kind->learn) l->status[j] = c->kind->learn(&cells, c, &l->error[j]);
    if (l->gathered[j]) c->kind->drop_gathered(l->gathered[j]);
    l->gathered[j] = NULL;
}

static void gather_column(const encoding_task *l, int64_t j, const hsp_frame *rows) {
    const hsp_column_cells cells = cells_of(l, j);
    if (l->wants[j] && !l->status[j])
        l->status[j] = l->e->column[j].kind->gather(&cells, rows, &l->gathered[j], &l->error[j]);
}

static void learn_small(void *ctx, int64_t j) {
    const encoding_task *l = ctx;
    if (l->e->column[j].kind->reads_text) return;
    gather_column(l, j, l->f);
    learn_column(ctx, j);
}

/* Rows of a visit, from which all columns gather. */
typedef struct gather_visit {
    const encoding_task *l;
    const hsp_frame *rows;
} gather_visit;

static void gather_small(void *ctx, int64_t j) {
    const gather_visit *v = ctx;
    if (!v->l->e->column[j].kind->reads_text) gather_column(v->l, j, v->rows);
}

static int gather_rows(void *ctx, const hsp_frame *rows, hsp_error **err) {
    const encoding_task *l = ctx;
    gather_visit v = {l, rows};
    (void)err;
    hsp_pool_run(l->e->raw.d, l->threads, gather_small, &v);
    for (int64_t j = 0; j < l->e->raw.d; j++) {
        if (l->e->column[j].kind->reads_text) gather_column(l, j, rows);
        if (l->status[j]) return 1;
    }
    return 0;
}

/* The numbers of columns whose median or ranks are learnt are kept until then. */
static int check_budget(const encoding_task *l, hsp_error **err) {
    int64_t bytes = 0, columns = 0;
    for (int64_t j = 0; j < l->e->raw.d; j++) {
        if (!l->wants[j] || !l->e->column[j].kind->as_is) continue;
        bytes += l->p[j].numbers * (int64_t)sizeof(double);
        columns++;
    }
    if (bytes <= l->f->rows->budget) return HSP_OK;
    return hsp_fail(
        err, HSP_EMEMORY,
        "the numbers of %lld column%s, which --missing median and --transform need at once, take %lld MiB: raise "
        "--max-memory, or use --missing mean and fewer transforms",
        (long long)columns, columns == 1 ? "" : "s", (long long)(bytes >> 20));
}

/* Rows that are not in memory are read once for all columns, which are then learnt in turn: some read them again, for an
 * error. */
static int gather_all(encoding_task *l, hsp_error **err) {
    bool any = false;
    for (int64_t j = 0; j < l->e->raw.d; j++) any = any || l->wants[j];
    int status = any ? check_budget(l, err) : HSP_OK;
    if (!status && any) status = hsp_frame_each(l->f, gather_rows, l, err);
    for (int64_t j = 0; !status && j < l->e->raw.d; j++)
        if (!l->e->column[j].kind->reads_text) learn_column(l, j);
    return status;
}

static int allocate_columns(encoding_task *l, hsp_error **err) {
    int64_t d = l->e->raw.d;
    if (!HSP_ALLOC_ZERO(l->status, d + 1) || !HSP_ALLOC_ZERO(l->error, d + 1) || !HSP_ALLOC_ZERO(l->gathered, d + 1) ||
        !HSP_ALLOC_ZERO(l->wants, d + 1))
        return hsp_fail_memory(err);
    for (int64_t j = 0; j < d; j++) {
        const hsp_kind *kind = l->e->column[j].kind;
        const hsp_column_cells cells = cells_of(l, j);
        l->wants[j] = kind->wants_rows && kind->wants_rows(&cells);
    }
    return HSP_OK;
}

/* Learns columns concurrently, but texts, which are most of the work, one after the other with all threads. */
static int learn_columns(encoding_task *l, hsp_error **err) {
    int64_t d = l->e->raw.d;
    int status = allocate_columns(l, err);
    if (!status && l->f->rows) status = gather_all(l, err);
    if (!status && !l->f->rows) hsp_pool_run(d, l->threads, learn_small, l);
    for (int64_t j = 0; !status && j < d; j++) {
        if (l->e->column[j].kind->reads_text) {
            if (!l->f->rows) gather_column(l, j, l->f);
            learn_column(l, j);
        }
        if (!l->status[j]) continue;
        status = leave_out(l, j, l->status[j], l->error[j], err);
        l->error[j] = NULL;
    }
    for (int64_t j = 0; l->error && l->gathered && j < d; j++) {
        hsp_error_free(l->error[j]);
        if (l->gathered[j]) l->e->column[j].kind->drop_gathered(l->gathered[j]);
    }
    HSP_FREE(l->error, l->status, l->gathered, l->wants);
    l->gathered = NULL;
    return status;
}

static int profile_columns(encoding_task *l, hsp_error **err) {
    int64_t d = l->e->raw.d;
    bool *text = hsp_alloc(d + 1, sizeof *text), *levels = hsp_alloc(d + 1, sizeof *levels);
    int status = text && levels ? HSP_OK : hsp_fail_memory(err);
    if (!status) {
        for (int64_t j = 0; j < d; j++) {
            const hsp_kind *asked = l->e->rules.kind[j];
            text[j] = asked && (asked->reads_text || asked->left_out);
            levels[j] = asked && !asked->as_is;
        }
        /* In a column with words, numbers may be levels. */
        for (int64_t k = 0; k < l->f->blocks; k++)
            for (int64_t t = 0; t < l->f->block[k].word_count; t++) levels[l->f->block[k].word[t].column] = true;
        const hsp_table_rules *r = &l->e->rules;
        const hsp_profile_request q = {.f = l->f,
                                       .text = text,
                                       .levels = l->f->rows ? NULL : levels,
                                       .canonical = !r->as_spelt,
                                       .exact = hsp_fill_allowed(r) && r->missing != HSP_MISSING_MEDIAN};
        status = hsp_profile_table(&q, l->threads, &l->p, err);
    }
    HSP_FREE(text, levels);
    return status;
}

static double largest_number(const encoding_task *l, int64_t j) {
    const hsp_profile *p = &l->p[j];
    const hsp_table_column *c = &l->e->column[j];
    if (!c->kind->as_is || p->numbers == 0 || hsp_column_numbers(c) == 0) return 1;
    double least = c->transform ? hsp_transform_apply(c->transform, p->least) : p->least;
    double greatest = c->transform ? hsp_transform_apply(c->transform, p->greatest) : p->greatest;
    return fmax(fabs(least), fabs(greatest));
}

static int fail_product(const encoding_task *l, const char *option, int64_t j, int64_t k, hsp_error **err) {
    char a[HSP_EXCERPT], b[HSP_EXCERPT], value[32];
    const char *own = l->e->column[j].name, *other = l->e->column[k].name;
    hsp_format_number(largest_number(l, j), value);
    hsp_excerpt(a, own, (int64_t)strlen(own));
    if (j == k)
        return hsp_fail_at(err, HSP_EINPUT, (hsp_place){l->e->rules.file, 0, 0},
                           "column '%s' holds numbers as large as %s, whose squares are out of range: use other units, or "
                           "leave %s out",
                           a, value, option);
    return hsp_fail_at(err, HSP_EINPUT, (hsp_place){l->e->rules.file, 0, 0},
                       "column '%s' holds numbers as large as %s, whose products with those of '%s' are out of range: use "
                       "other units, or leave %s out",
                       a, value, hsp_excerpt(b, other, (int64_t)strlen(other)), option);
}

/* Fails if products of the largest numbers overflow. */
static int check_products(const encoding_task *l, hsp_error **err) {
    const hsp_table_rules *r = &l->e->rules;
    for (int64_t j = 0; r->degree > 1 && j < l->e->raw.d; j++)
        if (!isfinite(largest_number(l, j) * largest_number(l, j))) return fail_product(l, "--degree 2", j, j, err);
    for (int64_t t = 0; t < r->crosses; t++) {
        int64_t a = r->cross[t][0], b = r->cross[t][1];
        if (isfinite(largest_number(l, a) * largest_number(l, b))) continue;
        return largest_number(l, a) > largest_number(l, b) ? fail_product(l, "--cross", a, b, err)
                                                           : fail_product(l, "--cross", b, a, err);
    }
    return HSP_OK;
}

/* If columns were left out for other reasons, options that need them are not reported as errors. */
static int learn_expansion(encoding_task *l, hsp_error **err) {
    hsp_encoding *e = l->e;
    hsp_error *made = NULL;
    char *text = NULL;
    int status = check_products(l, &made);
    if (status) {
        status = error_to_text(l, status, made, &text, err);
        if (!status) status = set_refusal(e, text, err);
        hsp_free(text);
        return status;
    }
    status = hsp_expansion_learn(e, l->f, l->threads, &e->expansion, &made);
    if (status == HSP_EUSAGE && e->refusal) {
        hsp_error_free(made);
        return HSP_OK;
    }
    if (status) hsp_error_pass(err, made);
    return status;
}

static int fail_empty(const hsp_encoding *e, hsp_error **err) {
    const hsp_place where = {e->rules.file, 0, 0};
    const hsp_table_column *text = hsp_encoding_text(e);
    if (!text)
        return hsp_fail_at(
            err, HSP_EINPUT, where,
            "no column is left as a feature, as all are empty or like an id: name one with --categorical or --text");
    char name[HSP_EXCERPT];
    hsp_excerpt(name, text->name, (int64_t)strlen(text->name));
    if (e->rules.min_count > 1)
        return hsp_fail_at(err, HSP_EINPUT, where,
                           "column '%s' is text, and no %s occurs in %lld or more texts: use a smaller --min-count", name,
                           e->rules.characters ? "character n-gram" : "word", (long long)e->rules.min_count);
    bool single = e->rules.gram_least == 1;
    const char *lacks = e->rules.characters ? "no text is as long as --ngrams: use a smaller number"
                        : !single           ? "no text has as many words as --ngrams: use a smaller number"
                                  : "it has no word of two or more letters or digits: use --text-unit char --ngrams 1 for "
                                    "characters, or --categorical for whole texts";
    return hsp_fail_at(err, HSP_EINPUT, where, "column '%s' is text, and %s", name, lacks);
}

static int check_features(encoding_task *l, hsp_error **err) {
    hsp_encoding *e = l->e;
    hsp_error *made = NULL;
    char *text = NULL;
    if (e->d > 0 || e->raw.d == 0) return HSP_OK;
    int status = fail_empty(e, &made);
    status = error_to_text(l, status, made, &text, err);
    if (!status) status = set_refusal(e, text, err);
    e->incomplete = true;
    hsp_free(text);
    return status;
}

static int learn_table(encoding_task *l, hsp_error **err) {
    hsp_encoding *e = l->e;
    int status = profile_columns(l, err);
    if (!status) status = choose_kinds(l, err);
    if (!status) status = handle_missing(l, err);
    if (!status) status = learn_columns(l, err);
    if (!status) status = store_notes(l, err);
    if (!status) status = hsp_encoding_keep_orders(e, err);
    if (!status) status = hsp_encoding_lay_out(e, err);
    if (!status) status = learn_expansion(l, err);
    if (!status) status = hsp_encoding_lay_out(e, err);
    if (!status) status = check_features(l, err);
    if (!status && l->unfilled) status = set_refusal(e, l->unfilled, err);
    hsp_profiles_free(l->p, e->raw.d);
    hsp_text_free(&l->note);
    hsp_free(l->unfilled);
    return status;
}

int hsp_encoding_learn(const hsp_frame *f, const hsp_table_rules *r, int threads, hsp_encoding **out, hsp_error **err) {
    encoding_task l = {.f = f, .threads = threads};
    *out = NULL;
    hsp_place where = {r->file, 0, 0};
    if (f->n == 0) return hsp_fail_at(err, HSP_EINPUT, where, "no rows: give a file with data");
    int status = hsp_encoding_new(&f->schema, &l.e, err);
    if (!status) status = hsp_table_rules_copy(r, &l.e->rules, err);
    if (!status) status = learn_table(&l, err);
    if (status)
        hsp_encoding_release(l.e);
    else
        *out = l.e;
    return status;
}
