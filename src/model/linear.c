#include "model/model.h"
#include "table/encoding.h"
#include "table/expand.h"
#include "table/kind.h"

/* Crosses of levels are indicators, which no numeric column enters. */
static bool crosses_numbers(const hsp_encoding *e, const hsp_expansion *x) {
    for (int64_t t = 0; t < 2 * x->crosses; t++)
        if (e->column[x->cross[t / 2][t % 2]].kind->numbers > 0) return true;
    return false;
}

int hsp_model_is_linear(const hsp_model *m) {
    /* With several maps the class of the largest probability need not have the largest score. */
    if (m->network || m->calibration.maps > 1) return 0;
    const hsp_encoding *e = m->prepare.encoding;
    const hsp_expansion *x = e ? e->expansion : NULL;
    bool numeric = false, bent = x && (x->degree > 1 || x->fourier > 0 || crosses_numbers(e, x));
    for (int64_t j = 0; e && j < e->raw.d; j++) {
        numeric = numeric || e->column[j].kind == &hsp_kind_numeric;
        bent = bent || e->column[j].transform;
    }
    return !(bent && numeric);
}
