/* Reports equal columns: equal numbers, numbers that equal a level of a category, and categories that differ only in the
 * names of their levels. Levels that coincide by chance, as rare ones do, are not reported. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/schema.h"
#include "inspect/checkup.h"
#include "table/kind.h"
#include "table/spelling.h"

#include <stdlib.h>
#include <string.h>

enum { SUPPORT = 10 };    /* rows in which equal columns must be nonzero, unless most rows are */
enum { MOST_TYPED = 50 }; /* maximum number of columns that a user would type after an option */

/* A category regardless of the names of its levels, identified by the sorted first twins of its features: by their hash,
 * and by all of them if two hashes are equal. */
typedef struct category {
    uint64_t hash;
    int64_t c, features;
} category;

static int by_number(const void *a, const void *b) {
    int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
    return p < q ? -1 : p > q;
}

static int by_hash(const void *a, const void *b) {
    const category *p = a, *q = b;
    if (p->hash != q->hash) return p->hash < q->hash ? -1 : 1;
    if (p->features != q->features) return p->features < q->features ? -1 : 1;
    return p->c < q->c ? -1 : p->c > q->c;
}

static const hsp_table_column *column(const hsp_checkup *u, int64_t c) {
    return &u->encoding->column[c];
}

/* Writes the first twins of column c's features to out, sorted. */
static void twins_of(const hsp_checkup *u, int64_t c, int64_t *out) {
    int64_t n = column(u, c)->features;
    memcpy(out, u->twin + column(u, c)->first, (size_t)n * sizeof *out);
    qsort(out, (size_t)n, sizeof *out, by_number);
}

static uint64_t hash_of(const int64_t *v, int64_t n) {
    uint64_t h = 1469598103934665603u; /* FNV-1a, a number at a time */
    for (int64_t i = 0; i < n; i++) h = (h ^ (uint64_t)v[i]) * 1099511628211u;
    return h;
}

/* Suggests to ignore all columns of the finding but the first. */
static void ignore_later(const hsp_checkup *u, hsp_finding *f) {
    if (!u->schema->format || strcmp(u->schema->format, "csv") != 0 || f->columns < 2 || f->columns > MOST_TYPED) return;
    hsp_text_add(&f->fix, "--ignore ");
    for (int64_t i = 1; i < f->columns; i++) {
        if (i > 1) hsp_text_char(&f->fix, ',');
        hsp_type_column(&f->fix, u->schema, f->column[i]);
    }
}

static void describe_members(hsp_checkup *u, hsp_finding *f, const char *words) {
    hsp_findings_say_columns(&u->findings);
    hsp_text_format(&f->text, " %s in all %lld rows", words, (long long)u->data->x.n);
    ignore_later(u, f);
}

/* ---- categories ---- */

/* Of list[0 .. n-1], which have equal hashes, reports those equal to the first. twins: room for the features of two. */
static void report_equal(hsp_checkup *u, const category *list, int64_t n, int64_t *twins) {
    int64_t width = list[0].features;
    hsp_finding *f = NULL;
    twins_of(u, list[0].c, twins);
    for (int64_t i = 1; i < n; i++) {
        twins_of(u, list[i].c, twins + width);
        if (memcmp(twins, twins + width, (size_t)width * sizeof *twins) != 0) continue;
        if (!f) {
            f = hsp_findings_add(&u->findings, HSP_SEVERITY_WARNING, "duplicate-columns");
            hsp_findings_column(&u->findings, list[0].c);
        }
        hsp_findings_column(&u->findings, list[i].c);
    }
    if (f) describe_members(u, f, "are the same category with other level names");
}

static int check_categories(hsp_checkup *u) {
    int64_t count = 0, widest = 1;
    category *list = hsp_alloc(u->columns > 0 ? u->columns : 1, sizeof *list);
    for (int64_t c = 0; c < u->columns; c++)
        if (hsp_kind_one_hot(hsp_checkup_kind(u, c)) && column(u, c)->features > widest) widest = column(u, c)->features;
    int64_t *twins = hsp_alloc(2 * widest, sizeof *twins);
    if (list && twins) {
        for (int64_t c = 0; c < u->columns; c++) {
            if (!hsp_kind_one_hot(hsp_checkup_kind(u, c)) || column(u, c)->features < 2) continue;
            twins_of(u, c, twins);
            list[count++] = (category){hash_of(twins, column(u, c)->features), c, column(u, c)->features};
        }
        qsort(list, (size_t)count, sizeof *list, by_hash);
        for (int64_t i = 0, end; i < count; i = end) {
            for (end = i + 1; end < count && list[end].hash == list[i].hash && list[end].features == list[i].features;)
                end++;
            if (end - i > 1) report_equal(u, list + i, end - i, twins);
        }
    }
    int status = list && twins ? HSP_OK : HSP_EMEMORY;
    HSP_FREE(list, twins);
    return status;
}

/* ---- numbers ---- */

/* Reports numbers that are 1 where a category has a level, and 0 elsewhere. */
static void report_level(hsp_checkup *u, hsp_finding *f, int64_t level) {
    char buf[32];
    for (int64_t i = 1; i < f->columns; i++)
        hsp_text_format(&f->text, "%s'%s'",
                        i > 1            ? ", "
                        : f->columns > 2 ? "columns "
                                         : "column ",
                        hsp_schema_feature(u->schema, f->column[i], buf));
    hsp_text_format(&f->text, " %s 1 exactly where %s in all %lld rows", f->columns > 2 ? "are" : "is",
                    hsp_schema_feature(&u->data->schema, level, buf), (long long)u->data->x.n);
    ignore_later(u, f);
}

/* Reports the group of twins order[from .. to-1]. */
static void report_group(hsp_checkup *u, int64_t from, int64_t to) {
    int64_t numbers = 0, level = -1;
    for (int64_t i = from; i < to; i++) {
        numbers += u->role[u->order[i]] == HSP_ROLE_NUMBER;
        if (u->role[u->order[i]] == HSP_ROLE_LEVEL && level < 0) level = u->order[i];
    }
    if (numbers == 0 || (numbers == 1 && level < 0) || !hsp_checkup_supported(u, u->order[from], SUPPORT)) return;
    hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_WARNING, "duplicate-columns");
    if (level >= 0) hsp_findings_column(&u->findings, u->owner[level]);
    for (int64_t i = from; i < to; i++)
        if (u->role[u->order[i]] == HSP_ROLE_NUMBER) hsp_findings_column(&u->findings, u->owner[u->order[i]]);
    if (level < 0)
        describe_members(u, f, "are equal");
    else
        report_level(u, f, level);
}

/* Reports the groups beyond those listed one by one, in one finding. */
static void report_more(hsp_checkup *u, int64_t from, int64_t groups) {
    hsp_severity severity = u->summary ? HSP_SEVERITY_WARNING : HSP_SEVERITY_NOTE;
    hsp_finding *f = hsp_findings_add(&u->findings, severity, "duplicate-columns");
    for (int64_t i = from; i < u->paired; i++) {
        int64_t j = u->order[i];
        bool told = u->role[j] == HSP_ROLE_NUMBER && u->twin[j] != j && hsp_checkup_supported(u, j, SUPPORT);
        if (told) hsp_findings_column(&u->findings, u->owner[j]);
    }
    hsp_text_format(&f->text, "%lld more groups of equal columns; all but the first of each group: ", (long long)groups);
    hsp_findings_say_columns(&u->findings);
    hsp_findings_ignore(&u->findings);
}

/* Whether the group that begins at `from` has at least two numbers; *to: where it ends. */
static bool group_of_numbers(const hsp_checkup *u, int64_t from, int64_t *to) {
    int64_t numbers = u->role[u->order[from]] == HSP_ROLE_NUMBER, end = from + 1;
    for (; end < u->paired && u->twin[u->order[end]] != u->order[end]; end++)
        numbers += u->role[u->order[end]] == HSP_ROLE_NUMBER;
    *to = end;
    return numbers > 1 && hsp_checkup_supported(u, u->order[from], SUPPORT);
}

/* With very many columns, usually words of texts, all groups are reported in one finding. */
int hsp_check_duplicates(hsp_checkup *u, hsp_error **err) {
    int64_t told = u->summary ? 0 : HSP_CHECKUP_LISTED, rest = -1, groups = 0;
    for (int64_t i = 0, end; i < u->paired; i = end) {
        bool numbers = group_of_numbers(u, i, &end);
        int64_t before = u->findings.count;
        if (told < HSP_CHECKUP_LISTED) {
            report_group(u, i, end);
            told += u->findings.count > before;
        } else if (numbers) {
            if (rest < 0) rest = i;
            groups++;
        }
    }
    if (groups > 0) report_more(u, rest, groups);
    if (u->encoding && check_categories(u)) return hsp_fail_memory(err);
    return HSP_OK;
}
