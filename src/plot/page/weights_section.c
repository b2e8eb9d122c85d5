/* The weights that matter: |w| times the standard deviation of the feature, so that units do not count. */
#include "plot/draw/numeral.h"
#include "plot/page/page.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { TOP = 15, CLASSES = 8 };

typedef struct effects {
    const double *w, *sd; /* outputs x d; d, or NULL: the model has none */
    int64_t outputs, d;
    int64_t feature[TOP], shown, nonzero;
    double size[TOP]; /* the largest |w| sd over the outputs */
} effects;

static bool applies(const hsp_page *p) {
    hsp_array w = {.size = sizeof w};
    return hsp_model_array(p->model, "weights", &w, NULL) == HSP_OK && w.data && w.shape[1] > 0;
}

/* w sd, which may overflow. */
static double effect_of(const effects *e, int64_t k, int64_t j) {
    double v = e->w[k * e->d + j] * (e->sd ? e->sd[j] : 1);
    return fmax(-DBL_MAX, fmin(v, DBL_MAX));
}

/* The features with the largest effects, the first of equals first. */
static void find_largest(effects *e) {
    for (int64_t j = 0; j < e->d; j++) {
        double size = 0;
        for (int64_t k = 0; k < e->outputs; k++) size = fmax(size, fabs(effect_of(e, k, j)));
        e->nonzero += size > 0;
        if (!(size > 0) || (e->shown == TOP && size <= e->size[TOP - 1])) continue;
        int64_t at = e->shown < TOP ? e->shown++ : TOP - 1;
        for (; at > 0 && e->size[at - 1] < size; at--) {
            e->size[at] = e->size[at - 1];
            e->feature[at] = e->feature[at - 1];
        }
        e->size[at] = size;
        e->feature[at] = j;
    }
}

static void write_feature(const hsp_page *p, hsp_html *h, int64_t j) {
    char label[HSP_LABEL_SIZE];
    hsp_html_raw(h, "<tr><th scope=\"row\">");
    hsp_html_name(h, hsp_model_feature_label(p->model, j, label));
    hsp_html_raw(h, "</th>");
}

/* A bar from the middle to the left (negative) or the right, as long as its share of the largest. */
static void write_bar(hsp_html *h, double v, double most) {
    char cell[120];
    long long tenths = llround(500 * fmin(fabs(v) / most, 1));
    snprintf(cell, sizeof cell, "<td class=\"signed\"><span class=\"%s\" style=\"width:%lld.%lld%%\"></span></td>",
             v < 0 ? "minus" : "plus", tenths / 10, tenths % 10);
    hsp_html_raw(h, cell);
}

static void write_one_output(const hsp_page *p, const effects *e, hsp_html *h) {
    char size[HSP_NUMERAL], weight[HSP_NUMERAL];
    hsp_html_raw(h,
                 "<thead><tr><th scope=\"col\">feature</th><td class=\"signed\"></td><th scope=\"col\" class=\"n\">weight "
                 "\xC3\x97 sd</th><th scope=\"col\" class=\"n\">weight</th></tr></thead>\n<tbody>\n");
    for (int64_t i = 0; i < e->shown; i++) {
        int64_t j = e->feature[i];
        double v = effect_of(e, 0, j);
        write_feature(p, h, j);
        write_bar(h, v, e->size[0]);
        hsp_html_write(h, "<td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n", hsp_html_number(v, 3, size),
                       hsp_html_number(e->w[j], 3, weight));
    }
}

static void write_few_classes(const hsp_page *p, const effects *e, hsp_html *h) {
    char size[HSP_NUMERAL], cell[80];
    hsp_html_raw(h, "<thead><tr><th scope=\"col\">feature</th>");
    for (int64_t k = 0; k < e->outputs; k++) {
        hsp_html_raw(h, "<th scope=\"col\" class=\"n\">");
        hsp_html_name(h, hsp_model_class_name(p->model, k));
        hsp_html_raw(h, "</th>");
    }
    hsp_html_raw(h, "</tr></thead>\n<tbody class=\"matrix\">\n");
    for (int64_t i = 0; i < e->shown; i++) {
        write_feature(p, h, e->feature[i]);
        for (int64_t k = 0; k < e->outputs; k++) {
            double v = effect_of(e, k, e->feature[i]);
            snprintf(cell, sizeof cell, "<td class=\"n %c%d\">", v < 0 ? 'm' : 's', (int)ceil(10 * fabs(v) / e->size[0]));
            hsp_html_raw(h, cell);
            hsp_html_write(h, "%s</td>", hsp_html_number(v, 2, size));
        }
        hsp_html_raw(h, "</tr>\n");
    }
}

/* Of many classes the one that a feature favours most, or disfavours most. */
static void write_many_classes(const hsp_page *p, const effects *e, hsp_html *h) {
    char size[HSP_NUMERAL];
    hsp_html_raw(h, "<thead><tr><th scope=\"col\">feature</th><th scope=\"col\" class=\"n\">weight \xC3\x97 sd</th><th "
                    "scope=\"col\">class</th></tr></thead>\n<tbody>\n");
    for (int64_t i = 0; i < e->shown; i++) {
        int64_t j = e->feature[i], most = 0;
        for (int64_t k = 1; k < e->outputs; k++)
            if (fabs(effect_of(e, k, j)) > fabs(effect_of(e, most, j))) most = k;
        write_feature(p, h, j);
        hsp_html_write(h, "<td class=\"n\">%s</td><td>", hsp_html_number(effect_of(e, most, j), 3, size));
        hsp_html_name(h, hsp_model_class_name(p->model, most));
        hsp_html_raw(h, "</td></tr>\n");
    }
}

static void write_meaning(const hsp_page *p, const effects *e, hsp_html *h) {
    hsp_html_write(
        h, "<p>Features by the size of %s. ",
        e->sd ? "their weight times their standard deviation: how much a typical change of the feature moves the score"
              : "their weight, as the model has no standard deviations");
    int64_t positive = hsp_model_positive(p->model);
    if (p->regression) {
        hsp_html_raw(h, "A positive weight raises the prediction. ");
    } else if (e->outputs == 1) {
        hsp_html_raw(h, "A positive weight favours ");
        hsp_html_quoted(h, hsp_model_class_name(p->model, positive));
        hsp_html_raw(h, ", a negative one ");
        hsp_html_quoted(h, hsp_model_class_name(p->model, 1 - positive));
        hsp_html_raw(h, ". ");
    } else {
        hsp_html_raw(h, "A positive weight favours the class. ");
    }
    hsp_html_raw(h, "Weights of correlated features share their effect, so a small one need not mean that the feature is "
                    "useless.</p>\n");
}

static int write(hsp_page *p, hsp_error **err) {
    hsp_array w = {.size = sizeof w}, sd = {.size = sizeof sd};
    effects e = {0};
    hsp_html *h = &p->body;
    char shown[HSP_NUMERAL], all[HSP_NUMERAL];
    int status = hsp_model_array(p->model, "weights", &w, err);
    if (status != HSP_OK) return status;
    hsp_model_array(p->model, "feature-sds", &sd, NULL);
    e.w = w.data;
    e.sd = sd.data;
    e.outputs = w.shape[0];
    e.d = w.shape[1];
    find_largest(&e);
    if (e.shown == 0) {
        hsp_html_raw(h, "<p>All weights are 0: the model predicts the same for every row.</p>\n");
        return HSP_OK;
    }
    write_meaning(p, &e, h);
    hsp_page_table_begin(h, "Largest weights", "weights-table");
    if (e.outputs == 1)
        write_one_output(p, &e, h);
    else if (e.outputs <= CLASSES)
        write_few_classes(p, &e, h);
    else
        write_many_classes(p, &e, h);
    hsp_page_table_end(h);
    hsp_html_write(h, "<p class=\"quiet\">%s of %s non-zero weights%s</p>\n", hsp_html_number((double)e.shown, 15, shown),
                   hsp_html_number((double)e.nonzero, 15, all), e.outputs > 1 ? ", by feature" : "");
    return HSP_OK;
}

const hsp_page_section hsp_page_weights = {
    .id = "weights", .title = "Weights that matter", .applies = applies, .write = write};
