/* The chart `weights`: the largest weights as signed bars with the names of their features or, with the option image, all
 * weights as an image for each class. */
#include "plot/chart/weight_view.h"
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/sentence.h"

#include <stdio.h>

static int take_weights(const hsp_chart_input *in, hsp_weights *w, hsp_error **err) {
    hsp_array a = {.size = sizeof a}, b = {.size = sizeof b}, sd = {.size = sizeof sd};
    int status = hsp_model_array(in->model[0], "weights", &a, err);
    if (status == HSP_OK) status = hsp_model_array(in->model[0], "intercepts", &b, err);
    if (status != HSP_OK) return status;
    hsp_model_array(in->model[0], "feature-sds", &sd, NULL);
    *w = (hsp_weights){
        .in = in, .m = in->model[0], .w = a.data, .b = b.data, .sd = sd.data, .outputs = a.shape[0], .d = a.shape[1]};
    w->sign = hsp_model_positive(w->m) == 1 ? -1 : 1;
    if (w->d > 0) return HSP_OK;
    return hsp_fail(err, HSP_EINPUT, "the model has no features to draw: train another model");
}

hsp_colour hsp_weights_colour(const hsp_weights *w, const hsp_style *s, double t) {
    return hsp_style_diverging(s, w->sign * t);
}

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    hsp_weights w;
    char first[HSP_SENTENCE], second[HSP_SENTENCE];
    const char *image = hsp_options_get(in->o, "image");
    int status = take_weights(in, &w, err);
    if (status != HSP_OK) return status;
    if (image && hsp_options_given(in->o, "top"))
        return hsp_fail(err, HSP_EUSAGE,
                        "--top has no effect with --image, which shows all weights: leave one of them out");
    if (image && *image) status = hsp_weights_lay_image(&w, image, err);
    if (status != HSP_OK) return status;
    const char *algorithm = hsp_model_field(w.m, "algorithm");
    char d[HSP_NUMERAL];
    const char *bars = image && *image ? "weights in original units"
                       : w.sd          ? "bars show weight x sd of the feature"
                                       : "bars show weights, as the model has no standard deviations";
    snprintf(first, HSP_SENTENCE, "%s, %s feature%s%s, %s", algorithm ? algorithm : "", hsp_sentence_count((double)w.d, d),
             w.d == 1 ? "" : "s", w.outputs > 1 ? " for each class" : "", bars);
    /* What the signs mean. */
    char one[HSP_SHORT], other[HSP_SHORT], b[HSP_NUMERAL];
    hsp_numeral_round(w.b[0], 4, b);
    int64_t positive = hsp_model_positive(w.m);
    if (w.outputs > 1) {
        snprintf(second, HSP_SENTENCE, "blue favours the class, orange the others");
    } else if (positive < 0) {
        snprintf(second, HSP_SENTENCE, "blue raises the prediction, orange lowers it; intercept %s", b);
    } else {
        hsp_sentence_name(hsp_model_class_name(w.m, positive), one);
        hsp_sentence_name(hsp_model_class_name(w.m, 1 - positive), other);
        snprintf(second, HSP_SENTENCE, "%s favours %s, %s favours %s; intercept %s", w.sign > 0 ? "blue" : "orange", one,
                 w.sign > 0 ? "orange" : "blue", other, b);
    }
    if (image && *image) return hsp_weights_images(&w, c, first, second);
    return hsp_weights_bars(&w, c, first, second);
}

const hsp_chart hsp_chart_weights = {
    .name = "weights",
    .help = "largest weights with the names of their features, or all weights as images",
    .takes = "MODEL",
    .uses = "--top --image",
    .draw = draw,
};
