#include "write/number_tally.h"

#include "data/labels.h"
#include "option/options.h"
#include "read/csv.h"

#include <math.h>

hsp_number_tally hsp_number_tally_begin(const hsp_options *o, const hsp_raw_file *f, bool strict) {
    hsp_number_tally t = {.strict = strict};
    t.targets.known = hsp_options_is(o, "task", "regression");
    t.weights.known = f->table.schema.weight_column > 0;
    return t;
}

/* A running mean: a sum might overflow. */
static void add_number(hsp_number_range *r, double v) {
    double n = (double)++r->n;
    r->least = r->n == 1 ? v : fmin(r->least, v);
    r->greatest = r->n == 1 ? v : fmax(r->greatest, v);
    r->mean += v / n - r->mean / n;
    r->sum += v;
    r->zero += v == 0;
}

static int read_target(const hsp_raw_file *f, const hsp_raw_row *row, double *v, hsp_error **err) {
    if (row->unlabelled) return hsp_raw_fail_label(f, row, "--task regression", err);
    hsp_place place = hsp_csv_place(&f->cursor, row->label.s - row->label.quoted);
    return hsp_target_parse(row->label.s, row->label.n, f->table.layout.columns > 0, place, v, err);
}

static int read_weight(const hsp_raw_file *f, const hsp_raw_row *row, double *v, hsp_error **err) {
    const hsp_csv_view *w = &row->weight;
    if (w->s && hsp_csv_is_number(w->s, w->n, v) && isfinite(*v) && *v >= 0) return 0;
    return hsp_csv_fail_weight(&f->table, &f->cursor, w, f->table.schema.weight_column - 1, err);
}

int hsp_number_tally_add(hsp_number_tally *t, const hsp_raw_file *f, const hsp_raw_row *row, hsp_error **err) {
    static int (*const read[])(const hsp_raw_file *, const hsp_raw_row *, double *, hsp_error **) = {read_target,
                                                                                                     read_weight};
    hsp_number_range *range[] = {&t->targets, &t->weights};
    for (int i = 0; i < 2; i++) {
        double v = 0;
        if (!range[i]->known) continue;
        int status = read[i](f, row, &v, t->strict ? err : NULL);
        if (status < 0 && t->strict) return status;
        range[i]->known = status == 0;
        if (status == 0) add_number(range[i], v);
    }
    return 0;
}

int hsp_number_tally_finish(const hsp_number_tally *t, const hsp_raw_file *f, hsp_error **err) {
    const hsp_number_range *w = &t->weights;
    if (!t->strict || !w->known || w->n == 0 || w->zero < w->n) return 0;
    return hsp_fail_file(err, f->cursor.file, "all rows have weight 0: give at least one row a positive weight");
}

void hsp_number_tally_report(const hsp_number_tally *t, const hsp_raw_file *f, hsp_json *j) {
    const hsp_number_range *y = &t->targets, *w = &t->weights;
    if (y->known && y->n > 0) {
        hsp_json_object(j, "targets");
        hsp_json_number(j, "min", y->least);
        hsp_json_number(j, "max", y->greatest);
        hsp_json_number(j, "mean", y->mean);
        hsp_json_object_end(j);
    } else {
        hsp_json_null(j, "targets");
    }
    if (!w->known) {
        hsp_json_null(j, "weights");
        return;
    }
    hsp_json_object(j, "weights");
    hsp_json_string(j, "column", f->table.schema.weight);
    hsp_json_number(j, "sum", w->sum);
    hsp_json_int(j, "zero", w->zero);
    hsp_json_object_end(j);
}
