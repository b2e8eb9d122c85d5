/* .hsd as a reader: the rows are used in place if possible, else copied row by row, for a model with another order of
 * columns. */
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/pool.h"
#include "base/text.h"
#include "data/block.h"
#include "data/data.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "option/options.h"
#include "read/csv.h"
#include "read/hsd.h"
#include "read/mapped.h"
#include "read/table_match.h"

#include <string.h>

struct hsp_reader {
    hsp_hsd *file;     /* owned */
    hsp_schema schema; /* of the rows that the reader yields */
    hsp_text assumed;
    const char *matched; /* static text for `assumed`: how columns were matched to the model's; NULL: they were not */
    bool sparse;         /* blocks are sparse: ids as in svmlight, base + column */
    bool same;           /* the columns need no change */
    int64_t *feature;    /* owned: the model's feature of each column, negative: left out; NULL: unchanged */
    int64_t skipped;     /* id that held weights when the model was trained; -1: none */
    int64_t at, piece;   /* the next row; rows in a piece */
};

/* ---- options that contradict the file ---- */

static bool is_number(const char *s, int64_t number) {
    int64_t v;
    const char *end = s + strlen(s);
    return hsp_number_parse_int(s, end, &v) == end && v == number;
}

static int check_target(const hsp_hsd *f, const char *asked, hsp_error **err) {
    const hsp_schema *s = &f->schema;
    if (!asked || hsp_schema_is_svmlight(s) || (s->target && strcmp(s->target, asked) == 0)) return 0;
    if (s->target_column > 0 && is_number(asked, s->target_column)) return 0;
    if (s->target_column == 0)
        return hsp_fail(err, HSP_EUSAGE, "%s was converted without a target: convert again with --target %s", f->name,
                        asked);
    char number[32];
    number[hsp_number_format_int(s->target_column, number)] = '\0';
    return hsp_fail(err, HSP_EUSAGE, "%s was converted with target '%s': convert again with --target %s", f->name,
                    s->target ? s->target : number, asked);
}

static int check_weight(const hsp_hsd *f, const char *asked, hsp_error **err) {
    const hsp_schema *s = &f->schema;
    int64_t number = s->weight_column - hsp_schema_is_svmlight(s);
    if (!asked || (s->weight && strcmp(s->weight, asked) == 0)) return 0;
    if (s->weight_column > 0 && is_number(asked, number)) return 0;
    return hsp_fail(err, HSP_EUSAGE, "%s was converted with%s weights: convert again with --weight %s", f->name,
                    f->weight ? " other" : "out", asked);
}

static int fail_option(const hsp_hsd *f, const char *option, const hsp_options *o, hsp_error **err) {
    return hsp_fail(err, HSP_EUSAGE, "%s was converted without --%s %s: convert again with this option", f->name, option,
                    hsp_options_text(o, option));
}

/* Whether the option of one character, or the word of one, differs from that of the file; 0: it has none. */
static bool differs(const hsp_options *o, const char *option, char stored) {
    const char *given = hsp_options_text(o, option);
    if (!hsp_options_is_set(o, option) || !given) return false;
    char mark = strcmp(given, "none") == 0 ? '\0' : strcmp(given, "space") == 0 ? ' ' : given[0];
    return mark != stored;
}

/* How the text of the CSV file was read that the file was made from. */
static int check_rules(const hsp_hsd *f, const hsp_options *o, hsp_error **err) {
    const hsp_csv_rules *r = &f->schema.rules;
    char decimal = r->marks.decimal ? r->marks.decimal : '.';
    if (hsp_options_int(o, "skip-lines", r->skip_lines) != r->skip_lines) return fail_option(f, "skip-lines", o, err);
    if (differs(o, "comment", r->comment)) return fail_option(f, "comment", o, err);
    if (differs(o, "decimal", decimal)) return fail_option(f, "decimal", o, err);
    if (differs(o, "thousands", r->marks.thousands)) return fail_option(f, "thousands", o, err);
    if (!hsp_options_is(o, "quotes", "auto") && hsp_options_is(o, "quotes", "no") != f->schema.unquoted)
        return fail_option(f, "quotes", o, err);
    return 0;
}

static bool is_given(const hsp_options *o, const char *option) {
    return hsp_options_is_set(o, option) && !hsp_options_is(o, option, "auto");
}

/* Fails with an option that is for another format than that of the file that this one was made from. */
static int check_formats(const hsp_hsd *f, bool csv, const hsp_options *o, hsp_error **err) {
    static const char *const texts[] = {"header", "delimiter", "skip-lines", "comment", "quotes", "decimal", "thousands"};
    static const char *const columns[] = {"ignore", "target"};
    bool svmlight = hsp_schema_is_svmlight(&f->schema);
    const char *wrong = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !csv && !wrong; i++)
        if (is_given(o, texts[i])) wrong = texts[i];
    for (size_t i = 0; i < sizeof columns / sizeof *columns && svmlight && !wrong; i++)
        if (is_given(o, columns[i])) wrong = columns[i];
    if (!svmlight && !wrong && is_given(o, "base")) wrong = "base";
    if (!wrong && is_given(o, "numeric-levels")) wrong = "numeric-levels";
    return wrong ? hsp_fail(err, HSP_EUSAGE, "--%s has no effect on %s, which was made from %s: leave it out", wrong,
                            f->name, csv ? "a CSV file" : svmlight ? "an svmlight file" : "arrays")
                 : 0;
}

/* Options of text files that were not in force when the file was made. */
static int check_options(const hsp_hsd *f, const hsp_options *o, hsp_error **err) {
    const hsp_schema *s = &f->schema;
    const char *delimiter = hsp_options_text(o, "delimiter");
    bool csv = s->format && strcmp(s->format, "csv") == 0;
    int status = check_formats(f, csv, o, err);
    if (!status && csv) status = check_rules(f, o, err);
    if (status) return status;
    if (hsp_options_text(o, "labels")) return fail_option(f, "labels", o, err);
    const char *missing = hsp_options_text(o, "missing-values");
    if (missing && (!s->missing || strcmp(s->missing, missing) != 0)) return fail_option(f, "missing-values", o, err);
    if (!hsp_schema_is_svmlight(s) && hsp_options_text(o, "ignore")) return fail_option(f, "ignore", o, err);
    if (csv && !hsp_options_is(o, "header", "auto") && !hsp_options_is(o, "header", s->header ? "yes" : "no"))
        return fail_option(f, "header", o, err);
    if (csv && strcmp(delimiter, "auto") != 0 && hsp_csv_delimiter(delimiter) != s->delimiter)
        return fail_option(f, "delimiter", o, err);
    if (hsp_schema_is_svmlight(s) && !hsp_options_is(o, "base", "auto") && !hsp_options_is(o, "base", s->base ? "1" : "0"))
        return fail_option(f, "base", o, err);
    status = check_target(f, hsp_options_text(o, "target"), err);
    return status ? status : check_weight(f, hsp_options_text(o, "weight"), err);
}

/* ---- columns for a model ---- */

/* The number of features before a column of the file that this was made from. */
static int64_t features_before(const hsp_hsd *f, int64_t column) {
    int64_t before = 0;
    const hsp_schema *s = &f->schema;
    for (int64_t j = 0; j < s->d; j++) before += s->column[j] < column;
    return before;
}

static int match_table(hsp_reader *r, const hsp_schema *known, hsp_error **err) {
    const hsp_hsd *f = r->file;
    const hsp_schema *s = &f->schema;
    bool labelled = f->y || f->target, placed = s->column != NULL;
    hsp_table t = {.columns = s->d + labelled + (f->weight != NULL), .target = -1, .weight = -1, .file = f->name};
    int64_t target = placed && s->target_column > 0 ? features_before(f, s->target_column) : s->d;
    int64_t weight = placed && s->weight_column > 0 ? features_before(f, s->weight_column) : s->d;
    bool weight_first = s->weight_column < s->target_column;
    if (labelled) t.target = target + (f->weight && (weight < target || (weight == target && weight_first)));
    if (f->weight) t.weight = weight + (labelled && (target < weight || (weight == target && !weight_first)));
    int64_t *role = hsp_alloc(t.columns, sizeof *role);
    r->feature = hsp_alloc(s->d, sizeof *r->feature);
    if (s->name) t.name = hsp_alloc_zero(t.columns, sizeof *t.name);
    int status = role && r->feature && (!s->name || t.name) ? 0 : hsp_fail_memory(err);
    int64_t j = 0;
    for (int64_t c = 0; c < t.columns && t.name; c++) {
        const char *name = c == t.target ? s->target : c == t.weight ? s->weight : s->name[j++];
        t.name[c] = name ? name : "";
    }
    if (status == 0) status = hsp_table_match(&t, known, role, err);
    j = 0;
    r->same = s->d == known->d;
    for (int64_t c = 0; c < t.columns && status == 0; c++) {
        if (c == t.target || c == t.weight) continue;
        r->same = r->same && role[c] == j;
        r->feature[j++] = role[c];
    }
    r->matched = s->name && known->name          ? ", columns matched by name"
                 : hsp_schema_is_svmlight(known) ? ", columns matched to the model's ids by position"
                                                 : NULL;
    HSP_FREE(role, t.name);
    return status;
}

/* The model's target must not be a feature here: then the labels are something else. */
static int check_labels(const hsp_hsd *f, const hsp_schema *known, hsp_error **err) {
    const hsp_schema *s = &f->schema;
    if (!known->target || !s->target || !s->name || strcmp(known->target, s->target) == 0) return 0;
    for (int64_t j = 0; j < s->d; j++)
        if (strcmp(s->name[j], known->target) == 0)
            return hsp_fail_file(
                err, f->name, "converted with target '%s', but the model has target '%s': convert again with --target %s",
                s->target, known->target, known->target);
    return 0;
}

/* Rows that came from svmlight keep their ids. */
static void match_ids(hsp_reader *r, const hsp_schema *known) {
    const hsp_matrix *x = &r->file->x;
    hsp_schema *s = &r->schema;
    bool same = hsp_schema_is_svmlight(known);
    if (!same) r->matched = ", ids matched to the model's columns by position";
    int64_t shift = same ? s->base - known->base : 0; /* from column to feature */
    if (same && known->weight_column > 0 && known->weight_column != s->weight_column) r->skipped = known->weight_column - 1;
    if (same) s->base = known->base;
    s->d = x->d + shift > known->d ? x->d + shift : known->d;
    r->same = shift == 0 && r->skipped < 0 && (!x->dense || s->d == x->d);
}

static int match_columns(hsp_reader *r, const hsp_schema *known, hsp_error **err) {
    const hsp_hsd *f = r->file;
    r->sparse = hsp_schema_is_svmlight(&f->schema);
    r->same = true;
    r->skipped = -1;
    int status = hsp_schema_copy(&f->schema, &r->schema, err);
    if (status || !known) return status;
    if (r->sparse) {
        match_ids(r, known);
        return 0;
    }
    status = check_labels(f, known, err);
    if (status == 0) status = match_table(r, known, err);
    if (status || r->same) return status;
    hsp_schema_clear(&r->schema); /* the rows get the model's columns */
    return hsp_schema_copy(known, &r->schema, err);
}

static int describe_assumed(hsp_reader *r, hsp_error **err) {
    const hsp_hsd *f = r->file;
    const hsp_schema *s = &f->schema;
    hsp_text *t = &r->assumed;
    char piece[HSP_EXCERPT];
    hsp_text_format(t, "hsd, converted from %s", s->format ? s->format : "memory");
    if (r->sparse) hsp_text_format(t, ", base %d", s->base);
    if (r->matched) hsp_text_add(t, r->matched);
    if (!f->y && !f->target)
        hsp_text_add(t, ", no labels");
    else if (s->target)
        hsp_text_format(t, ", target '%s'", hsp_excerpt(piece, s->target, (int64_t)strlen(s->target)));
    else if (s->target_column > 0)
        hsp_text_format(t, ", target column %lld", (long long)s->target_column);
    if (f->weight) hsp_text_add(t, ", weights");
    hsp_text_format(t, ", %lld feature%s, %lld row%s", (long long)r->schema.d, r->schema.d == 1 ? "" : "s",
                    (long long)f->x.n, f->x.n == 1 ? "" : "s");
    return t->failed ? hsp_fail_memory(err) : 0;
}

/* ---- the reader ---- */

static void close_reader(hsp_reader *r) {
    hsp_hsd_close(r->file);
    hsp_schema_clear(&r->schema);
    hsp_text_free(&r->assumed);
    HSP_FREE(r->feature, r);
}

/* Determines the columns; does not read the rows. */
static int open_mapped(hsp_map *map, const char *name, const hsp_options *o, const hsp_schema *known, hsp_reading *g,
                       hsp_error **err) {
    hsp_reader *r = g->reader = hsp_alloc_zero(1, sizeof *r);
    if (!r) return hsp_fail_memory(err);
    g->schema = &r->schema;
    g->assumed = &r->assumed;
    int status = hsp_hsd_open(map, name, &r->file, err);
    if (status == 0) status = check_options(r->file, o, err);
    if (status == 0) status = match_columns(r, known, err);
    return status == 0 ? describe_assumed(r, err) : status;
}

static int threads_of(const hsp_options *o) {
    return hsp_pool_threads(hsp_options_int(o, "threads", 0));
}

static int open_reader(hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_reading *g, hsp_error **err) {
    hsp_map *map = NULL;
    int status = hsp_stream_map(stream, &map, err);
    if (status == 0) status = open_mapped(map, hsp_stream_name(stream), o, known, g, err);
    hsp_map_close(map);
    if (status < 0) return status;
    hsp_reader *r = g->reader;
    r->piece = hsp_block_rows(1 + (r->sparse ? r->file->x.stored / r->file->x.n : r->schema.d));
    status = hsp_hsd_check(r->file, threads_of(o), err);
    if (status < 0 || !r->file->target || known || hsp_options_is_set(o, "task") || hsp_options_is(o, "task", "regression"))
        return status;
    return hsp_fail(err, HSP_EUSAGE, "%s has a numeric target: use --task regression", r->file->name);
}

static int cut(hsp_reader *r, hsp_chunk *chunk, hsp_error **err) {
    (void)err;
    return hsp_chunk_cut_rows(chunk, &r->at, r->file->x.n, r->piece);
}

/* Writes the entries of a row with their ids. Returns their number, or -1 when an id is below the model's first. */
static int64_t put_entries(const hsp_reader *r, hsp_row row, uint32_t *id, double *value) {
    int64_t base = r->file->schema.base, count = 0;
    for (int64_t t = 0; t < row.count; t++) {
        int64_t at = base + hsp_row_id(row, t);
        double v = hsp_row_value(row, t);
        if (v == 0 || at == r->skipped) continue;
        if (at < r->schema.base) return -1;
        id[count] = (uint32_t)at;
        value[count++] = v;
    }
    return count;
}

static void put_dense(const hsp_reader *r, hsp_row row, double *value) {
    for (int64_t j = 0; j < r->schema.d; j++) value[j] = 0;
    for (int64_t t = 0; t < row.count; t++) {
        int64_t j = hsp_row_id(row, t);
        if (!r->same) j = r->feature[j];
        if (j >= 0) value[j] = hsp_row_value(row, t);
    }
}

static const char *label_of(const hsp_hsd *f, int64_t i, int64_t *length, char *buf) {
    *length = 0;
    if (f->target) {
        *length = hsp_number_format(f->target[i], buf);
        return buf;
    }
    if (!f->y) return NULL;
    const char *name = f->classes.name[f->y[i]];
    *length = (int64_t)strlen(name);
    return name;
}

static void parse(const hsp_reader *r, hsp_parcel *p, int64_t line, hsp_error **err) {
    const hsp_hsd *f = r->file;
    hsp_block *b = &p->block;
    hsp_block_reset(b, !r->sparse, r->schema.d);
    b->weighted = f->weight != NULL;
    p->lines = p->chunk.rows;
    p->fault = 0;
    for (int64_t k = 0; k < p->chunk.rows; k++) {
        int64_t i = p->chunk.row + k, length, count = r->schema.d;
        hsp_row row = hsp_matrix_row(&f->x, i);
        char buf[32];
        const char *label = label_of(f, i, &length, buf);
        if (hsp_block_reserve(b, r->sparse ? row.count : count, length)) {
            p->fault = hsp_fail_memory(err);
            return;
        }
        int64_t tail = hsp_block_tail(b);
        if (r->sparse)
            count = put_entries(r, row, b->id + tail, b->value + tail);
        else
            put_dense(r, row, b->value + tail);
        if (count < 0) {
            p->fault = hsp_fail_file(
                err, r->file->name,
                "row %lld has feature 0, but the model's features are numbered from 1: convert again with --base 1",
                (long long)(i + 1));
            return;
        }
        if (f->weight) b->weight[b->rows] = f->weight[i];
        hsp_block_close_row(b, count, label, length, line + k);
    }
}

/* ---- the rows in place ---- */

static const char *next_label(void *ctx, int64_t i, int64_t *length, char *buf) {
    return label_of(ctx, i, length, buf);
}

/* Makes the labels those of the model or of --map-label. */
static int relabel(const hsp_reader *r, const hsp_options *o, const hsp_read_for *model, hsp_data *data, hsp_error **err) {
    const hsp_hsd *f = r->file;
    bool labelled = f->y || f->target;
    bool asked = hsp_options_is_set(o, "task") ? hsp_options_is(o, "task", "regression") : f->target != NULL;
    bool regression = model ? model->regression : asked;
    const hsp_builder_rules rules = hsp_read_rules(o, model, regression, f->name);
    const hsp_classes *known = rules.classes;
    if (!labelled && known) {
        hsp_classes_clear(&data->classes);
        return hsp_classes_copy(known, &data->classes, err);
    }
    bool same = regression == (f->target != NULL) && (!known || hsp_classes_same(known, &f->classes));
    if (!labelled || (same && !rules.map_label)) return 0;
    return hsp_data_relabel(&(hsp_label_source){f->x.n, next_label, r->file}, &rules, data, err);
}

static int load_rows(const hsp_reader *r, const hsp_options *o, const hsp_read_for *model, hsp_data **out,
                     hsp_error **err) {
    if (!r->same) return 0;
    int status = hsp_hsd_load(r->file, threads_of(o), out, err);
    if (status < 0) return status;
    hsp_data *data = *out;
    data->x.d = r->schema.d; /* a model may have more columns than the entries use */
    hsp_schema_clear(&data->schema);
    hsp_free(data->assumed);
    data->assumed = hsp_strdup(r->assumed.s);
    status = data->assumed ? hsp_schema_copy(&r->schema, &data->schema, err) : hsp_fail_memory(err);
    if (status == 0) status = relabel(r, o, model, data, err);
    if (status == 0) return 1;
    hsp_data_free(data);
    *out = NULL;
    return status;
}

const hsp_reader_kind hsp_reader_hsd = {
    .name = "hsd",
    .help = "binary data, written by `halfspace convert` or --cache; opened without parsing",
    .suffixes = ".hsd",
    .open = open_reader,
    .begins = hsp_hsd_begins,
    .open_mapped = open_mapped,
    .load = load_rows,
    .cut = cut,
    .parse = parse,
    .free = close_reader,
};
