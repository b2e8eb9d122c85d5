/* The optional arrays of a model: their names and the shape that each must have. */
#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

typedef enum extent { ONE, ANY, CLASSES, FEATURES, OUTPUTS, CLASSES_BY_FEATURES } extent;

typedef struct extra_rule {
    const char *name;
    extent rows, columns;
} extra_rule;

static const extra_rule rules[] = {
    {"class-mass", CLASSES, ONE},
    {"class-means", CLASSES, FEATURES},
    {"class-covariances", CLASSES_BY_FEATURES, FEATURES},
    {"second-moment", FEATURES, FEATURES},
    {"cross-moment", OUTPUTS, FEATURES},
    {"directions", ANY, FEATURES},
    {"direction-offsets", ANY, ONE},
    {"feature-means", FEATURES, ONE},
    {"feature-sds", FEATURES, ONE},
    {"update-state", OUTPUTS, ANY},
};

static const extra_rule *rule_of(const char *name) {
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (strcmp(rules[i].name, name) == 0) return &rules[i];
    }
    return NULL;
}

static bool extent_fits(const hsp_model *m, extent e, int64_t n) {
    int64_t classes = m->prepare.classes.count, d = m->prepare.schema.d, product;
    switch (e) {
    case ONE:
        return n == 1;
    case ANY:
        return n >= 1;
    case CLASSES:
        return classes > 0 && n == classes;
    case FEATURES:
        return n == d;
    case OUTPUTS:
        return n == m->outputs;
    case CLASSES_BY_FEATURES:
        return classes > 0 && !__builtin_mul_overflow(classes, d, &product) && n == product;
    }
    return false;
}

/* Each direction has an offset: whichever array is added second must match the first. */
static bool pair_fits(const hsp_model *m, const char *name, int64_t rows) {
    const hsp_extra *other = strcmp(name, "directions") == 0          ? hsp_model_extra(m, "direction-offsets")
                             : strcmp(name, "direction-offsets") == 0 ? hsp_model_extra(m, "directions")
                                                                      : NULL;
    return !other || other->rows == rows;
}

bool hsp_model_extra_fits(const hsp_model *m, const char *name, int64_t rows, int64_t columns) {
    const extra_rule *rule = rule_of(name);
    return rule && !hsp_model_extra(m, name) && extent_fits(m, rule->rows, rows) &&
           extent_fits(m, rule->columns, columns) && pair_fits(m, name, rows);
}

int hsp_model_add_extra(hsp_model *m, const char *name, int64_t rows, int64_t columns, double *data, hsp_error **err) {
    int status = 0;
    if (!hsp_model_extra_fits(m, name, rows, columns)) {
        status = hsp_fail(err, HSP_EINTERNAL, "a model cannot have an array '%s' of %lld x %lld: please report this bug",
                          name, (long long)rows, (long long)columns);
    }
    for (int64_t i = 0; !status && i < rows * columns; i++) {
        if (!isfinite(data[i])) status = hsp_fail(err, HSP_EINTERNAL, "a number of '%s' is not finite", name);
    }
    hsp_extra *extras = status ? NULL : hsp_resize(m->extras, m->extra_count + 1, sizeof *extras);
    if (!status && !extras) status = hsp_fail_memory(err);
    if (status) {
        hsp_free(data);
        return status;
    }
    m->extras = extras;
    m->extras[m->extra_count++] = (hsp_extra){rule_of(name)->name, rows, columns, data};
    return 0;
}

const hsp_extra *hsp_model_extra(const hsp_model *m, const char *name) {
    for (int64_t i = 0; i < m->extra_count; i++) {
        if (strcmp(m->extras[i].name, name) == 0) return &m->extras[i];
    }
    return NULL;
}

bool hsp_model_extra_is_vector(const hsp_extra *x) {
    return rule_of(x->name)->columns == ONE;
}
