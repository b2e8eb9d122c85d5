#include "prepare/label_case.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "table/spelling.h"

#include <string.h>

enum { PAIRS_SHOWN = 3, PAIRS_MAPPED = 8 };

/* The classes by their labels in lower case. */
typedef struct case_groups {
    hsp_intern *lower; /* owned: the labels in lower case */
    int64_t *rows;     /* owned: of each class */
    int64_t *group;    /* owned: of each class, its label in `lower` */
    int64_t *usual;    /* owned: of each group, the class with the most rows */
} case_groups;

static void clear_groups(case_groups *g) {
    hsp_intern_free(g->lower);
    HSP_FREE(g->rows, g->group, g->usual);
}

static void add_lower(hsp_text *t, const char *s) {
    hsp_text_clear(t);
    for (; *s; s++) hsp_text_char(t, *s >= 'A' && *s <= 'Z' ? (char)(*s + ('a' - 'A')) : *s);
}

static int add_class(case_groups *g, const char *label, int64_t k, hsp_text *lower) {
    int64_t before = hsp_intern_count(g->lower);
    add_lower(lower, label);
    if (lower->failed) return HSP_EMEMORY;
    int64_t at = hsp_intern_add(g->lower, lower->s, lower->length, NULL);
    if (at < 0) return HSP_EMEMORY;
    g->group[k] = at;
    if (at == before || g->rows[k] > g->rows[g->usual[at]]) g->usual[at] = k;
    return HSP_OK;
}

static int group_classes(const hsp_data *data, case_groups *g) {
    int64_t classes = data->classes.count;
    hsp_text lower = {0};
    if (!HSP_ALLOC(g->rows, classes) || !HSP_ALLOC(g->group, classes) || !HSP_ALLOC(g->usual, classes) ||
        hsp_intern_new(&g->lower, NULL))
        return HSP_EMEMORY;
    hsp_data_class_counts(data, g->rows);
    int status = HSP_OK;
    for (int64_t k = 0; !status && k < classes; k++)
        if (data->classes.name[k][0]) status = add_class(g, data->classes.name[k], k, &lower);
    hsp_text_free(&lower);
    return status;
}

/* Whether the label can be typed in --map-label. */
static bool can_map(const char *label) {
    return hsp_can_type(label, (int64_t)strlen(label)) && !strchr(label, '=');
}

/* Adds the classes that differ from the usual spelling of their group; *count: how many there are. */
static void describe_pairs(const hsp_data *data, const case_groups *g, hsp_text *wrong, hsp_text *map, int64_t *count) {
    bool typed = true;
    *count = 0;
    for (int64_t k = 0; k < data->classes.count; k++) {
        int64_t usual = g->usual[g->group[k]];
        const char *name = data->classes.name[k], *other = data->classes.name[usual];
        char piece[HSP_EXCERPT], known[HSP_EXCERPT];
        if (usual == k) continue;
        typed = typed && can_map(name) && can_map(other) && *count < PAIRS_MAPPED;
        if (typed) hsp_text_format(map, "%s%s=%s", *count > 0 ? "," : "", name, other);
        if ((*count)++ >= PAIRS_SHOWN) continue;
        hsp_text_format(wrong, "%s'%s' (%lld row%s) and '%s' (%lld)", *count > 1 ? ", " : "labels ",
                        hsp_excerpt(piece, name, (int64_t)strlen(name)), (long long)g->rows[k], g->rows[k] == 1 ? "" : "s",
                        hsp_excerpt(known, other, (int64_t)strlen(other)), (long long)g->rows[usual]);
    }
    if (*count > PAIRS_SHOWN) hsp_text_format(wrong, " and %lld more", (long long)(*count - PAIRS_SHOWN));
    if (!typed) hsp_text_clear(map);
}

int hsp_label_case_describe(const hsp_data *data, hsp_text *wrong, hsp_text *remedy) {
    case_groups g = {0};
    hsp_text map = {0};
    int64_t count = 0;
    if (!data->y || data->classes.count < 2) return 0;
    int status = group_classes(data, &g);
    if (!status) describe_pairs(data, &g, wrong, &map, &count);
    if (!status && count > 0) {
        hsp_text_add(wrong, " differ only in case");
        if (map.length > 0)
            hsp_text_format(remedy, "use --map-label '%s' if they are the same", map.s);
        else
            hsp_text_add(remedy, "give them one spelling if they are the same");
    }
    if (wrong->failed || remedy->failed || map.failed) status = HSP_EMEMORY;
    hsp_text_free(&map);
    clear_groups(&g);
    return status ? status : count > 0;
}
