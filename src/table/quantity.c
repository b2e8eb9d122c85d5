/* Which features are quantities, whose unit is the user's choice. */
#include "table/encoding.h"
#include "table/expand.h"

static void mark_column(const hsp_table_column *c, bool *quantity) {
    bool measured = !c->kind->levels;
    for (int64_t k = 0; k < c->features; k++) quantity[c->first + k] = measured && k < hsp_column_numbers(c);
}

/* Marks the products of x, in the order of its features: with a quantity as a factor, a product has a unit too. */
static void mark_expansion(const hsp_encoding *e, const hsp_expansion *x, bool *quantity) {
    bool *out = quantity + x->first;
    for (int64_t t = 0; t < x->crosses; t++) {
        const hsp_table_column *a = &e->column[x->cross[t][0]], *b = &e->column[x->cross[t][1]];
        for (int64_t i = 0; i < a->features; i++)
            for (int64_t k = 0; k < b->features; k++) *out++ = quantity[a->first + i] || quantity[b->first + k];
    }
    for (int64_t i = 0; x->degree > 1 && i < x->numbers; i++)
        for (int64_t k = i; k < x->numbers; k++) *out++ = quantity[x->number[i]] || quantity[x->number[k]];
    for (int64_t i = 0; i < x->fourier; i++) *out++ = false;
}

void hsp_encoding_mark_quantities(const hsp_encoding *e, bool *quantity) {
    for (int64_t j = 0; j < e->raw.d; j++) mark_column(&e->column[j], quantity);
    if (e->expansion) mark_expansion(e, e->expansion, quantity);
}
