/* The memory plan: how many bytes each part of a data set takes, and what plain arrays would take. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/data.h"
#include "kernel/form.h"
#include "option/options.h"

#include <math.h>

/* "12.3 MiB", three digits. Formatted as integers, since printf's decimals follow the locale. */
static void add_size(hsp_text *t, double bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int unit = 0;
    while (bytes >= 1023.95 && unit < 5) {
        bytes /= 1024;
        unit++;
    }
    long long tenths = (long long)(bytes * 10 + 0.5);
    if (unit == 0 || tenths >= 1000)
        hsp_text_format(t, "%lld %s", (tenths + 5) / 10, units[unit]);
    else
        hsp_text_format(t, "%lld.%lld %s", tenths / 10, tenths % 10, units[unit]);
}

static void add_part(hsp_text *t, const char *what, int64_t bytes) {
    if (bytes == 0) return;
    hsp_text_add(t, ", ");
    hsp_text_add(t, what);
    hsp_text_char(t, ' ');
    add_size(t, (double)bytes);
}

hsp_memory_parts hsp_data_memory(const hsp_data *data) {
    const hsp_matrix *m = &data->x;
    hsp_memory_parts p = {.values = m->stored * (int64_t)hsp_matrix_value_size(m)};
    if (!m->dense) {
        p.ids = m->stored * (int64_t)hsp_matrix_id_size(m);
        p.offsets = (m->n + 1) * (int64_t)sizeof *m->row;
    }
    if (m->table) p.values += 256 * (int64_t)sizeof *m->table;
    if (data->y) p.labels += m->n * (int64_t)sizeof *data->y;
    if (data->target) p.labels += m->n * (int64_t)sizeof *data->target;
    if (data->weight) p.labels += m->n * (int64_t)sizeof *data->weight;
    p.total = p.ids + p.values + p.offsets + p.labels;
    return p;
}

void hsp_data_memory_json(const hsp_data *data, hsp_json *j) {
    hsp_memory_parts p = hsp_data_memory(data);
    hsp_json_object(j, "memory");
    hsp_json_int(j, "ids", p.ids);
    hsp_json_int(j, "values", p.values);
    hsp_json_int(j, "offsets", p.offsets);
    hsp_json_int(j, "labels", p.labels);
    hsp_json_int(j, "total", p.total);
    hsp_json_object_end(j);
}

static const char *values_of(const hsp_matrix *m) {
    static const char *const words[HSP_DENSE_CODINGS] = {
        "values as double",          "values as float",           "values by dictionary",     "values all equal",
        "values as 16-bit integers", "values as 32-bit integers", "values as 64-bit integers"};
    return words[hsp_coding_adjacent(hsp_matrix_coding(m))];
}

int hsp_data_plan(const hsp_data *data, hsp_text *t) {
    const hsp_matrix *m = &data->x;
    hsp_memory_parts p = hsp_data_memory(data);
    double plain = m->dense ? 8.0 * (double)m->n * (double)m->d : 16.0 * (double)m->nonzeros + 8.0 * (double)m->n;
    plain += (double)p.labels;
    hsp_text_add(t, "memory: ");
    hsp_text_add(t, m->dense ? "dense" : "sparse");
    if (m->owner) hsp_text_add(t, hsp_data_place(data).file ? ", mapped from the file" : ", in the caller's memory");
    if (!m->dense)
        add_part(t, m->ids == HSP_IDS_16 ? "16-bit ids" : m->ids == HSP_IDS_32 ? "32-bit ids" : "64-bit ids", p.ids);
    if (hsp_matrix_coding(m) == HSP_CODING_ONE)
        hsp_text_add(t, ", values all equal");
    else
        add_part(t, values_of(m), p.values);
    add_part(t, "row offsets", p.offsets);
    add_part(t, "labels", p.labels);
    hsp_text_add(t, "; ");
    add_size(t, (double)p.total);
    hsp_text_add(t, " in all (");
    add_size(t, plain);
    hsp_text_add(t, m->dense ? " as doubles)" : " at 16 bytes a non-zero)");
    return t->failed ? HSP_EMEMORY : 0;
}

int hsp_data_check_columns(const hsp_data *data, const hsp_options *o, int64_t outputs, hsp_error **err) {
    enum { WORKING = 8 }; /* arrays of a number for each column besides the weights, in a usual fit */
    const double few = 2147483648, share = 256;
    const long long columns = (long long)data->x.d;
    int64_t given = o ? hsp_options_int(o, "max-memory", 0) : 0;
    double need = 8 * (double)data->x.d * (double)(outputs + WORKING);
    if (need <= 8 << 20 && !given) return HSP_OK; /* asking what the machine allows takes longer than a small fit */
    double allowed = given ? (double)given : 0.9 * (double)hsp_memory_limit(),
           worth = share * (double)hsp_data_memory(data).total;
    const long long MiB = (long long)ceil(need / 1048576);
    if (need > allowed)
        return hsp_fail_at(
            err, HSP_EMEMORY, hsp_data_place(data),
            "the weights of %lld columns need %lld MiB, more than the %lld MiB allowed: number the features without "
            "gaps, or raise --max-memory",
            columns, MiB, (long long)(allowed / 1048576));
    if (given || need <= few || need <= worth) return HSP_OK;
    return hsp_fail_at(
        err, HSP_EMEMORY, hsp_data_place(data),
        "the weights of %lld columns need %lld MiB, but there are only %lld numbers: number the features without "
        "gaps, or allow the memory with --max-memory %lldM",
        columns, MiB, (long long)data->x.nonzeros, MiB);
}
