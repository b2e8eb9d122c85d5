/* hsp_film: what can be filmed, and the moments of its run drawn one after the other. */
#include "halfspace_plot.h"
#include "plot/boundary/slice.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/film/animation.h"
#include "plot/film/recorded_run.h"
#include "plot/part/sentence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HOLD = 200 }; /* hundredths of a second for the last frame */

typedef struct algorithm {
    const char *name, *title;
    bool whole;     /* an update is an epoch */
    bool objective; /* worth a word */
} algorithm;

static const algorithm algorithms[] = {
    {"perceptron", "The perceptron, update by update", false, false},
    {"sgd", "Stochastic gradient descent, update by update", false, true},
    {"minibatch", "Mini-batch gradient descent, update by update", false, true},
    {"gradient-descent", "Gradient descent, update by update", true, true},
    {"svm", "Support vector machine by dual coordinate descent, update by update", false, true},
};

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- options ---- */

static int find_algorithm(const hsp_options *o, const algorithm **out, hsp_error **err) {
    const char *name = hsp_options_get(o, "algorithm");
    for (size_t k = 0; name && k < sizeof algorithms / sizeof *algorithms; k++)
        if (strcmp(name, algorithms[k].name) == 0) *out = &algorithms[k];
    if (*out) return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE,
                    "%s has no updates to film: choose -a perceptron, sgd, minibatch, gradient-descent or svm",
                    name && *name ? name : "the algorithm");
}

/* All that was set, and for svm the solver that moves by single rows. */
static int copy_options(hsp_film_run *f, const algorithm *a, const hsp_options *o, hsp_error **err) {
    int status = hsp_options_new(&f->o, err);
    for (int64_t i = 0; status == HSP_OK && i < hsp_option_count(); i++) {
        const char *name = hsp_option_field(i, "name");
        if (hsp_options_given(o, name)) status = hsp_options_set(f->o, name, hsp_options_get(o, name), err);
    }
    if (status != HSP_OK || strcmp(a->name, "svm") != 0 || hsp_options_given(o, "solver")) return status;
    return hsp_options_set(f->o, "solver", "dual", err);
}

static int check_data(const hsp_film_run *f, hsp_error **err) {
    hsp_array labels = {.size = sizeof labels};
    const char *positive = hsp_options_get(f->o, "positive");
    if (hsp_data_array(f->data, "labels", &labels, NULL))
        return hsp_fail(err, HSP_EUSAGE,
                        "a film shows two classes, and these data have numbers to predict: draw other data");
    if (hsp_data_classes(f->data) > 2 && !(positive && *positive))
        return hsp_fail(err, HSP_EUSAGE,
                        "a film shows two classes, and these data have %" PRId64
                        ": name one with --positive, against the rest",
                        hsp_data_classes(f->data));
    return HSP_OK;
}

/* ---- filming ---- */

static const char *plane_note(const hsp_film_run *f) {
    const char *method = hsp_study_text(f->plane.study, "method", 0);
    if (!method) return "";
    if (strcmp(method, "influence") == 0)
        return "the two features that matter most; the others as the rows there have them";
    if (strcmp(method, "chosen") == 0 && f->d > 2) return "the other features are held at their means";
    if (strcmp(method, "lda") == 0) return "the discriminant plane; features as the rows there have them";
    if (strcmp(method, "pca") == 0) return "the plane of the principal components; features as the rows there have them";
    return "";
}

/* What is told of the plane: room for it. */
typedef struct words {
    char note[HSP_SENTENCE], letter[2][HSP_NUMERAL];
} words;

static hsp_film_cast cast_of(const hsp_film_run *f, const char *own_title, words *told) {
    const char *title = hsp_options_get(f->o, "title"), *u = hsp_study_text(f->plane.study, "axes", 0);
    const char *v = hsp_study_text(f->plane.study, "axes", 1);
    int64_t rows = 0;
    for (int64_t k = 0; k < f->moments; k++) rows += f->moment[k].row >= 0;
    hsp_film_cast cast = {
        .title = title && *title ? title : own_title,
        .n = f->n,
        .u = f->plane.u,
        .v = f->plane.v,
        .truth = f->plane.truth,
        .dimensions = hsp_study_number(f->plane.study, "dimensions") > 1 ? 2 : 1,
        .axis = {u ? hsp_slice_axis(u, told->letter[0]) : "", v ? hsp_slice_axis(v, told->letter[1]) : ""},
        .class_name = {hsp_model_class_name(f->model, 0), hsp_model_class_name(f->model, 1)},
        .positive = (int)hsp_model_positive(f->model),
        .rows = rows > 0,
        .exact = f->d <= 2,
        .wrong = f->wrong,
        .moment = f->moment,
        .moments = f->moments,
        .updates = f->total};
    /* Two features that are all there is tell right from wrong by the side on which a row is seen: there they stay in place. */
    const char *plane = plane_note(f);
    if (cast.dimensions > 1 && !cast.exact) hsp_slice_spread(f->plane.u, f->plane.v, f->n, cast.spread);
    bool moved = cast.spread[0] > 0 || cast.spread[1] > 0;
    snprintf(told->note, HSP_SENTENCE, "%s%s%s", plane, *plane && moved ? "; " : "",
             moved ? "equal points moved apart" : "");
    cast.note = told->note;
    return cast;
}

/* The grounds and a frame of the middle: every colour that there will be. */
static hsp_colour *sample_of(hsp_film_sheet *s, int64_t *n) {
    int64_t one = (int64_t)s->w * s->h;
    *n = (HSP_FILM_GROUNDS + 1) * one;
    hsp_colour *sample = hsp_alloc_zero(*n, sizeof *sample);
    const hsp_colour *frame = sample ? hsp_film_sheet_draw(s, s->cast->moments / 2) : NULL;
    for (int k = 0; frame && k < HSP_FILM_GROUNDS; k++)
        memcpy(sample + k * one, s->ground[k], (size_t)one * sizeof *sample);
    if (frame) memcpy(sample + HSP_FILM_GROUNDS * one, frame, (size_t)one * sizeof *sample);
    if (frame) return sample;
    hsp_free(sample);
    return NULL;
}

static int shoot(hsp_film_sheet *s, const hsp_encoder *e, void *state, int64_t fps, hsp_error **err) {
    int64_t shown = 0, n = s->cast->moments;
    for (int64_t i = 0; i < n; i++) {
        if (hsp_cancel_consume())
            return hsp_fail(err, HSP_ECANCELLED, "interrupted before all frames were drawn: the film was not written");
        int64_t until = ((i + 1) * 100 + fps / 2) / fps;
        const hsp_colour *pixel = hsp_film_sheet_draw(s, i);
        if (!pixel) return hsp_plot_fail_memory(err);
        int status = e->frame(state, pixel, i + 1 < n ? (int)(until - shown) : HOLD, err);
        if (status != HSP_OK) return status;
        shown = until;
    }
    return e->end(state, err);
}

static int film_it(const hsp_film_run *f, const char *title, const hsp_encoder *e, const char *path, const hsp_style *style,
                   hsp_error **err) {
    words told;
    hsp_film_cast cast = cast_of(f, title, &told);
    hsp_film_sheet sheet;
    hsp_animation_plan plan = {.path = path, .frames = f->moments};
    const char *fps = hsp_options_get(f->o, "fps");
    double rate = 8;
    if (fps) hsp_parse_number(fps, strlen(fps), &rate);
    void *state = hsp_alloc_zero(1, (size_t)e->state_size);
    hsp_colour *sample = NULL;
    int status = hsp_film_sheet_open(&sheet, &cast, style, e->scale, err);
    if (status == HSP_OK) sample = sample_of(&sheet, &plan.samples);
    if (status == HSP_OK && (!state || !sample)) status = hsp_plot_fail_memory(err);
    plan.width = sheet.w;
    plan.height = sheet.h;
    plan.sample = sample;
    if (status == HSP_OK) {
        status = e->begin(state, &plan, err);
        if (status == HSP_OK) status = shoot(&sheet, e, state, (int64_t)rate, err);
        e->free(state);
    }
    hsp_film_sheet_close(&sheet);
    HSP_FREE(sample, state);
    return status;
}

/* seconds: of training, and of filming. */
static void write_report(const hsp_film_run *f, const hsp_encoder *e, const hsp_style *style, const double seconds[2],
                         hsp_text *report) {
    hsp_json j = {.out = report};
    hsp_json_object(&j, NULL);
    hsp_json_int(&j, "rows", f->n);
    hsp_json_int(&j, "features", f->d);
    hsp_json_int(&j, "frames", f->moments);
    hsp_json_int(&j, "updates", f->total);
    hsp_json_string(&j, "format", e->name);
    hsp_json_int(&j, "width", (int)(style->width * e->scale));
    hsp_json_int(&j, "height", (int)(style->height * e->scale));
    hsp_json_number(&j, "train_seconds", seconds[0]);
    hsp_json_number(&j, "film_seconds", seconds[1]);
    hsp_json_raw(&j, "training", f->training);
    hsp_json_object_end(&j);
}

int hsp_film(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, const char *path, char **report,
             hsp_error **err) {
    hsp_film_run f = {.data = data, .hooks = hooks};
    const algorithm *a = NULL;
    const hsp_encoder *encoder = NULL;
    hsp_style style;
    double frames = 120, begun = seconds_now(), seconds[2];
    enum { REPORT_MOST = 400 }; /* bytes of a report beside that of training */
    hsp_text written = {0};
    if (report) *report = NULL;
    const char *text = hsp_options_get(o, "frames");
    if (text) hsp_parse_number(text, strlen(text), &frames);
    int status = find_algorithm(o, &a, err);
    if (status == HSP_OK) status = hsp_encoder_find(path, &encoder, err);
    if (status == HSP_OK) status = hsp_style_choose(o, &style, err);
    if (status == HSP_OK) status = copy_options(&f, a, o, err);
    if (status == HSP_OK) status = check_data(&f, err);
    if (status == HSP_OK) {
        f.whole = a->whole;
        f.objective = a->objective;
        status = hsp_film_run_record(&f, (int64_t)frames, err);
    }
    seconds[0] = seconds_now() - begun;
    /* The memory of the report is made before the film, so that nothing can fail after it. */
    int64_t longest = status == HSP_OK ? (int64_t)strlen(f.training) + REPORT_MOST : 0;
    if (status == HSP_OK && hsp_reserve((void **)&written.s, &written.capacity, longest, 1))
        status = hsp_plot_fail_memory(err);
    if (status == HSP_OK) status = film_it(&f, a->title, encoder, path, &style, err);
    seconds[1] = seconds_now() - begun - seconds[0];
    if (status == HSP_OK && report) {
        write_report(&f, encoder, &style, seconds, &written);
        *report = written.s;
        written.s = NULL;
    }
    hsp_text_free(&written);
    hsp_film_run_clear(&f);
    return status == HSP_EMEMORY ? hsp_plot_fail_memory(err) : status;
}
