#include "data/generate.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/data.h"
#include "option/options.h"
#include "option/unknown_name.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const uint64_t GENERATE_STREAM = 0x67656e; /* "gen" */

enum { BLOCK_ROWS = 4096, BLOCK_VALUES = 32768 }; /* most rows and values of a block */

static const char *generator_at(int64_t i) {
    return hsp_generator_table[i].name;
}

static int fail_fixed(const hsp_generator *g, const char *option, int64_t value, hsp_error **err) {
    return hsp_fail(err, HSP_EUSAGE, "'%s' always has %lld %s: leave --%s out", g->name, (long long)value, option, option);
}

/* Fails early if the data would not fit into memory. `rows`: how many are in memory at once. */
static int check_size(const hsp_generator *g, const hsp_recipe *r, int64_t rows, hsp_error **err) {
    if (r->d > INT32_MAX || r->classes > INT32_MAX)
        return hsp_fail(err, HSP_EUSAGE, "more than 2147483647 features or classes: use fewer");
    double per_row = g->most > 0 ? (double)g->most * 8 : (double)r->d * 8;
    double bytes = (double)rows * (per_row + 12) + (double)r->d * 32;
    if (g->any_classes) bytes += (double)r->classes * (double)r->d * 8;
    double limit = (double)hsp_memory_limit();
    if (limit > 0 && bytes > limit)
        return hsp_fail(err, HSP_EUSAGE, "this needs %lld MB, more memory than there is: use fewer rows or features",
                        (long long)(bytes / 1e6));
    return 0;
}

static int make_recipe(const hsp_generator *g, const hsp_options *o, hsp_recipe *r, hsp_error **err) {
    *r = (hsp_recipe){.n = hsp_options_int(o, "rows", 100),
                      .d = hsp_options_int(o, "features", g->features),
                      .classes = hsp_options_int(o, "classes", 2),
                      .noise = hsp_options_real(o, "noise", g->noise),
                      .rng = hsp_rng_new((uint64_t)hsp_options_int(o, "seed", 1), GENERATE_STREAM)};
    if (!g->any_features && r->d != g->features) return fail_fixed(g, "features", g->features, err);
    if (g->regression && hsp_options_is_set(o, "classes"))
        return hsp_fail(err, HSP_EUSAGE, "'%s' has a numeric target, not classes: leave --classes out", g->name);
    if (!g->any_classes && r->classes != 2) return fail_fixed(g, "classes", 2, err);
    return check_size(g, r, 1, err);
}

/* As if read from a file with a header x1,x2,...,label (y for regression), or from an svmlight file that counts from 1. */
static int make_schema(const hsp_generator *g, int64_t d, hsp_schema *s, hsp_error **err) {
    bool csv = strcmp(g->format, "csv") == 0;
    *s = (hsp_schema){.d = d, .base = csv ? 0 : 1};
    s->format = hsp_strdup(g->format);
    if (!s->format) goto memory;
    if (!csv) return 0;
    s->header = true;
    s->delimiter = ',';
    s->file_columns = s->target_column = d + 1;
    s->target = hsp_strdup(g->regression ? "y" : "label");
    if (!s->target || !HSP_ALLOC_ZERO(s->name, d) || !HSP_ALLOC(s->column, d)) goto memory;
    for (int64_t j = 0; j < d; j++) {
        char name[32];
        name[0] = 'x';
        int length = hsp_number_format_int(j + 1, name + 1);
        s->name[j] = hsp_strndup(name, (size_t)length + 1);
        if (!s->name[j]) goto memory;
        s->column[j] = j + 1;
    }
    return 0;
memory:
    hsp_schema_clear(s);
    return hsp_fail_memory(err);
}

int hsp_generation_begin(hsp_generation *g, const char *kind, const hsp_options *o, hsp_error **err) {
    *g = (hsp_generation){.kind = hsp_generator_find(kind), .least = INFINITY, .greatest = -INFINITY};
    if (!g->kind) return hsp_fail_unknown_name("generator", kind, generator_at, err);
    int status = make_recipe(g->kind, o, &g->recipe, err);
    if (status) return status;
    if (!g->kind->regression && !HSP_ALLOC_ZERO(g->rows_of, g->recipe.classes)) return hsp_fail_memory(err);
    return g->kind->begin && g->kind->begin(&g->recipe) ? hsp_fail_memory(err) : 0;
}

void hsp_generation_end(hsp_generation *g) {
    HSP_FREE(g->recipe.state, g->rows_of);
    *g = (hsp_generation){0};
}

int hsp_generation_label(const hsp_generation *g, int64_t k, char *text) {
    return hsp_number_format_int(g->recipe.classes == 2 ? 1 - 2 * k : k + 1, text);
}

/* Six decimals keep files short. */
static double round_value(double v) {
    return fabs(v) < 1e9 ? round(v * 1e6) / 1e6 : v;
}

/* Writes the target of the last row as text and updates the statistics. A running mean cannot overflow. */
static int write_target(hsp_generation *g, char *text) {
    double y = round_value(g->recipe.target), n = (double)(g->made + 1);
    g->least = fmin(g->least, y);
    g->greatest = fmax(g->greatest, y);
    g->target += y / n - g->target / n;
    return hsp_number_format(y, text);
}

int hsp_generation_next(hsp_generation *g, hsp_block *block) {
    int64_t n = g->recipe.n, most = g->kind->most > 0 ? g->kind->most : g->recipe.d, rows = BLOCK_VALUES / most;
    rows = rows < 1 ? 1 : rows > BLOCK_ROWS ? BLOCK_ROWS : rows;
    if (rows > n - g->made) rows = n - g->made;
    hsp_block_reset(block, strcmp(g->kind->format, "csv") == 0, g->recipe.d);
    for (int64_t i = 0; i < rows; i++) {
        if (hsp_block_reserve(block, most, 32)) return HSP_EMEMORY;
        char label[32];
        int64_t k = 0, at = hsp_block_tail(block);
        double *value = block->value + at;
        int64_t count = g->kind->row(&g->recipe, g->made, value, block->dense ? NULL : block->id + at, &k);
        for (int64_t t = 0; t < count; t++) {
            if (!g->kind->as_made) value[t] = round_value(value[t]);
            g->nonzeros += value[t] != 0;
        }
        int length = g->kind->regression ? write_target(g, label) : hsp_generation_label(g, k, label);
        if (g->rows_of) g->rows_of[k]++;
        g->made++;
        hsp_block_close_row(block, count, label, length, g->made);
    }
    return rows > 0;
}

static int fill_builder(hsp_generation *g, hsp_builder *b, hsp_error **err) {
    hsp_block block = {0};
    int status = 0, more;
    while (status == 0 && (more = hsp_generation_next(g, &block)) != 0) {
        status = more < 0 ? hsp_fail_memory(err) : hsp_builder_add(b, &block, err);
        if (status == 0 && hsp_cancel_take()) status = hsp_fail(err, HSP_ECANCELLED, "interrupted: nothing was written");
    }
    hsp_block_free(&block);
    return status;
}

int hsp_generation_collect(hsp_generation *g, hsp_data **out, hsp_error **err) {
    *out = NULL;
    hsp_schema schema = {0};
    hsp_builder *b = NULL;
    hsp_builder_rules rules = {.regression = g->kind->regression, .file = "generated"};
    int status = check_size(g->kind, &g->recipe, g->recipe.n, err);
    if (status == 0) status = hsp_builder_new(&rules, &b, err);
    if (status == 0) status = fill_builder(g, b, err);
    if (status == 0) status = make_schema(g->kind, g->recipe.d, &schema, err);
    if (status == 0) return hsp_builder_finish(b, &schema, out, err);
    hsp_builder_free(b);
    return status;
}

int hsp_data_generate(const char *kind, const hsp_options *o, hsp_data **out, hsp_error **err) {
    *out = NULL;
    hsp_generation g = {0};
    int status = hsp_generation_begin(&g, kind, o, err);
    if (status == 0) status = hsp_generation_collect(&g, out, err);
    hsp_generation_end(&g);
    return status;
}
