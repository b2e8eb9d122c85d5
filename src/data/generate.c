#include "data/generate.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "base/text.h"
#include "data/data.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const uint64_t GENERATE_STREAM = 0x67656e; /* "gen" */

enum { BLOCK_ROWS = 4096 };

static int fail_kind(const char *kind, hsp_error **err) {
    hsp_text names = {0};
    for (const hsp_generator *g = hsp_generator_table; g->name; g++) {
        if (names.length > 0) hsp_text_add(&names, ", ");
        hsp_text_add(&names, g->name);
    }
    int rc = names.failed ? hsp_fail_memory(err)
                          : hsp_fail(err, HSP_EUSAGE, "there is no generator '%s': choose one of %s", kind, names.s);
    hsp_text_free(&names);
    return rc;
}

static int fail_fixed(const hsp_generator *g, const char *option, int64_t value, hsp_error **err) {
    return hsp_fail(err, HSP_EUSAGE, "'%s' has always %lld %s: leave --%s out", g->name, (long long)value, option, option);
}

/* Sizes that the machine could not hold are refused before the work begins. */
static int check_size(const hsp_generator *g, const hsp_recipe *r, hsp_error **err) {
    if (r->d > INT32_MAX || r->classes > INT32_MAX)
        return hsp_fail(err, HSP_EUSAGE, "more than 2147483647 features or classes: ask for fewer");
    double per_row = g->most > 0 ? (double)g->most * 8 : (double)r->d * 8;
    double bytes = (double)r->n * (per_row + 12) + (double)r->d * 32;
    if (g->any_classes) bytes += (double)r->classes * (double)r->d * 8;
    double limit = (double)hsp_memory_limit();
    if (limit > 0 && bytes > limit)
        return hsp_fail(err, HSP_EUSAGE,
                        "this would take %lld MB, more than there is memory: ask for fewer rows or features",
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
        return hsp_fail(err, HSP_EUSAGE, "'%s' has numbers to predict, not classes: leave --classes out", g->name);
    if (!g->any_classes && r->classes != 2) return fail_fixed(g, "classes", 2, err);
    int rc = check_size(g, r, err);
    if (rc) return rc;
    return g->begin && g->begin(r) ? hsp_fail_memory(err) : 0;
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
    s->name = hsp_alloc_zero(d, sizeof *s->name);
    s->column = hsp_alloc(d, sizeof *s->column);
    if (!s->target || !s->name || !s->column) goto memory;
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

static int label_of(const hsp_recipe *r, int64_t k, char *text) {
    return hsp_number_format_int(r->classes == 2 ? 1 - 2 * k : k + 1, text);
}

/* Six decimals, so that written files are short. */
static double rounded(double v) {
    return fabs(v) < 1e9 ? round(v * 1e6) / 1e6 : v;
}

static int fill_block(const hsp_generator *g, hsp_recipe *r, int64_t first, hsp_block *block) {
    int64_t end = first + BLOCK_ROWS < r->n ? first + BLOCK_ROWS : r->n, most = g->most > 0 ? g->most : r->d;
    for (int64_t i = first; i < end; i++) {
        char label[32];
        int64_t k = 0;
        if (hsp_block_reserve(block, most, sizeof label)) return HSP_EMEMORY;
        int64_t at = hsp_block_tail(block);
        int64_t count = g->row(r, i, block->value + at, block->dense ? NULL : block->id + at, &k);
        for (int64_t t = at; t < at + count; t++) block->value[t] = rounded(block->value[t]);
        int length = g->regression ? hsp_number_format(rounded(r->target), label) : label_of(r, k, label);
        hsp_block_close_row(block, count, label, length, i + 1);
    }
    return 0;
}

static int fill_builder(const hsp_generator *g, hsp_recipe *r, hsp_builder *b, hsp_error **err) {
    hsp_block block = {0};
    bool dense = strcmp(g->format, "csv") == 0;
    int rc = 0;
    for (int64_t i = 0; rc == 0 && i < r->n; i += BLOCK_ROWS) {
        hsp_block_reset(&block, dense, r->d);
        rc = fill_block(g, r, i, &block) ? hsp_fail_memory(err) : hsp_builder_add(b, &block, err);
        if (rc == 0 && hsp_cancel_take()) rc = hsp_fail(err, HSP_ECANCELLED, "interrupted: nothing was written");
    }
    hsp_block_free(&block);
    return rc;
}

int hsp_data_generate(const char *kind, const hsp_options *o, hsp_data **out, hsp_error **err) {
    *out = NULL;
    const hsp_generator *g = hsp_generator_find(kind);
    if (!g) return fail_kind(kind, err);
    hsp_recipe r = {0};
    hsp_schema schema = {0};
    hsp_builder *b = NULL;
    hsp_builder_rules rules = {.regression = g->regression, .file = "generated"};
    int rc = make_recipe(g, o, &r, err);
    if (rc == 0) rc = hsp_builder_new(&rules, &b, err);
    if (rc == 0) rc = fill_builder(g, &r, b, err);
    if (rc == 0) rc = make_schema(g, r.d, &schema, err);
    if (rc == 0)
        rc = hsp_builder_finish(b, &schema, out, err);
    else
        hsp_builder_free(b);
    hsp_free(r.state);
    return rc;
}
