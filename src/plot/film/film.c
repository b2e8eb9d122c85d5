/* hsp_film: checks what can be filmed, records the run and draws its frames one after the other. */
#include "halfspace_internal.h"
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
    bool objective; /* has an objective to show */
    const char *symbol; /* what an update adds to w ... */
    bool sloped;        /* ... if the loss has the slope -y x or 0 */
    const char *solver; /* whose updates are shown; NULL: --solver may choose it, or there is no choice */
} algorithm;

static const algorithm algorithms[] = {
    {"perceptron", "The perceptron, update by update", false, false, "+ \xCE\xB7 y x", false, NULL},
    {"sgd", "Stochastic gradient descent, update by update", false, true, "+ \xCE\xB7 y x", true, NULL},
    {"minibatch", "Mini-batch gradient descent, update by update", false, true,
     "+ \xCE\xB7/B \xCE\xA3 y x", true, NULL},
    {"gradient-descent", "Gradient descent, update by update", true, true,
     "+ \xCE\xB7/n \xCE\xA3 y x", true, "gradient"},
    {"svm", "Support vector machine by dual coordinate descent, update by update", false, true,
     "+ \xCE\x94\xCE\xB1 y x", false, "dual"},
    {"mlp", "A network, update by update", false, false, NULL, false, NULL},
};

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- options ---- */

static int find_algorithm(const hsp_options *o, const algorithm **out, hsp_error **err) {
    const char *name = hsp_options_given(o, "algorithm") ? hsp_options_get(o, "algorithm") : algorithms[0].name;
    for (size_t k = 0; name && k < sizeof algorithms / sizeof *algorithms; k++)
        if (strcmp(name, algorithms[k].name) == 0) *out = &algorithms[k];
    if (*out) return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE,
                    "%s has no updates to show: use -a perceptron, sgd, minibatch, gradient-descent, svm or mlp",
                    name && *name ? name : "the algorithm");
}

/* A film has one beginning. */
static int choose_start(hsp_film_run *f, const hsp_options *o, hsp_error **err) {
    const char *restarts = hsp_options_given(o, "restarts") ? hsp_options_get(o, "restarts") : "0";
    if (strcmp(restarts, "0") != 0)
        return hsp_fail(err, HSP_EUSAGE, "a film shows one start of a network: leave --restarts out, and choose it by --seed");
    return hsp_options_set(f->o, "restarts", "0", err);
}

/* Other solvers make no single updates, or those of another method than the title names. */
static int choose_solver(hsp_film_run *f, const algorithm *a, hsp_error **err) {
    const char *given = hsp_options_given(f->o, "solver") ? hsp_options_get(f->o, "solver") : NULL;
    if (!a->solver) return HSP_OK;
    if (given && strcmp(given, "auto") != 0 && strcmp(given, a->solver) != 0)
        return hsp_fail(err, HSP_EUSAGE, "a film of %s shows the updates of --solver %s: leave --solver out", a->name,
                        a->solver);
    return hsp_options_set(f->o, "solver", a->solver, err);
}

/* All options that were set, the algorithm, its solver, and a single start of a network. */
static int copy_options(hsp_film_run *f, const algorithm *a, const hsp_options *o, hsp_error **err) {
    int status = hsp_options_new(&f->o, err);
    for (int64_t i = 0; status == HSP_OK && i < hsp_option_count(); i++) {
        const char *name = hsp_option_field(i, "name");
        if (hsp_options_given(o, name)) status = hsp_options_set(f->o, name, hsp_options_get(o, name), err);
    }
    if (status == HSP_OK) status = hsp_options_set(f->o, "algorithm", a->name, err);
    if (status == HSP_OK && strcmp(a->name, "mlp") == 0) return choose_start(f, o, err);
    return status == HSP_OK ? choose_solver(f, a, err) : status;
}

static int check_data(const hsp_film_run *f, hsp_error **err) {
    hsp_array labels = {.size = sizeof labels};
    const char *positive = hsp_options_get(f->o, "positive");
    if (hsp_data_array(f->data, "labels", &labels, NULL))
        return hsp_fail(err, HSP_EUSAGE,
                        "an animation needs two classes, and the data have a numeric target: give other data");
    if (hsp_data_classes(f->data) > 2 && !(positive && *positive))
        return hsp_fail(err, HSP_EUSAGE,
                        "an animation needs two classes, and the data have %" PRId64
                        ": choose one against the rest with --positive",
                        hsp_data_classes(f->data));
    return HSP_OK;
}

/* ---- filming ---- */

static bool has_value(const hsp_film_run *f, const char *field, const char *value) {
    const char *text = hsp_model_field(f->model, field);
    return text && strcmp(text, value) == 0;
}

/* Whether rows count alike, and w is in the units in which it was updated. */
static bool is_plain(const hsp_film_run *f) {
    hsp_array weights = {.size = sizeof weights};
    const char *class_weight = hsp_options_get(f->o, "class-weight");
    bool weighted = hsp_data_array(f->data, "weights", &weights, NULL) == HSP_OK && weights.data;
    return has_value(f, "scale", "none") && !weighted && !(class_weight && *class_weight);
}

/* What an update adds to w, in the symbols of the notes. */
static const char *change_of(const hsp_film_run *f, const algorithm *a) {
    bool none = has_value(f, "penalty", "none"), hinge = has_value(f, "loss", "hinge") || has_value(f, "loss", "perceptron");
    if (!is_plain(f)) return "+ the change";
    if (a->symbol && (!a->objective || !a->sloped || (none && hinge))) return a->symbol;
    return none || has_value(f, "penalty", "l2") ? "\xE2\x88\x92 \xCE\xB7 \xE2\x88\x87" : "+ the change";
}

static const char *plane_note(const hsp_film_run *f) {
    const char *method = hsp_report_text_at(f->plane.study, "method", 0);
    if (!method) return "";
    if (strcmp(method, "influence") == 0) return "the two most important features; the others predicted from them";
    if (strcmp(method, "chosen") == 0 && f->columns > 2) return "the other features are held at their means";
    if (strcmp(method, "lda") == 0) return "the discriminant plane";
    if (strcmp(method, "pca") == 0) return "the plane of the principal components";
    return "";
}

/* What a scene borrows. */
typedef struct scene_parts {
    char note[HSP_SENTENCE], letter[2][HSP_NUMERAL];
    hsp_film_curve curve;
} scene_parts;

static hsp_film_scene scene_of(const hsp_film_run *f, const algorithm *a, scene_parts *parts) {
    const char *title = hsp_options_get(f->o, "title"), *u = hsp_report_text_at(f->plane.study, "axes", 0);
    const char *v = hsp_report_text_at(f->plane.study, "axes", 1);
    int64_t rows = 0;
    for (int64_t k = 0; k < f->frames; k++) rows += f->frame[k].row >= 0 || f->frame[k].batch_count > 0;
    hsp_film_scene scene = {
        .title = title && *title ? title : a->title,
        .n = f->n,
        .u = f->plane.u,
        .v = f->plane.v,
        .truth = f->plane.truth,
        .dimensions = hsp_report_number(f->plane.study, "dimensions") > 1 ? 2 : 1,
        .axis = {u ? hsp_slice_axis(u, parts->letter[0]) : "", v ? hsp_slice_axis(v, parts->letter[1]) : ""},
        .class_name = {hsp_model_class_name(f->model, 0), hsp_model_class_name(f->model, 1)},
        .positive = (int)hsp_model_positive(f->model),
        .rate = strcmp(a->name, "svm") == 0 ? "\xCE\x94\xCE\xB1" : "\xCE\xB7",
        .change = change_of(f, a),
        .rows = rows > 0,
        .batch = f->keeping.batch,
        .exact = f->columns <= 2,
        .wrong = f->wrong,
        .frame = f->frame,
        .frames = f->frames,
        .updates = f->total};
    parts->curve = (hsp_film_curve){.model = f->model,
                                    .data = f->curved ? f->data : NULL,
                                    .columns = f->columns,
                                    .parameters = f->keeping.weights,
                                    .stride = f->d + 1,
                                    .lift = f->plane.lift};
    if (f->network || f->curved) scene.curve = &parts->curve;
    /* With two features the side of the boundary shows whether a row is right: there no row may be moved. */
    const char *plane = plane_note(f);
    if (scene.dimensions > 1 && !scene.exact) hsp_slice_spread(f->plane.u, f->plane.v, f->n, scene.spread);
    bool moved = scene.spread[0] > 0 || scene.spread[1] > 0;
    snprintf(parts->note, HSP_SENTENCE, "%s%s%s", plane, *plane && moved ? "; " : "",
             moved ? "equal points drawn side by side" : "");
    if (scene.exact) snprintf(parts->note, HSP_SENTENCE, " "); /* space for the weights of each frame */
    scene.note = parts->note;
    return scene;
}

/* The backgrounds and a frame from the middle: all colours of the film. The caller frees it; NULL: no memory. */
static hsp_colour *sample_of(hsp_film_sheet *s, int64_t *n) {
    int64_t one = (int64_t)s->w * s->h;
    *n = (HSP_FILM_GROUNDS + 1) * one;
    hsp_colour *sample = hsp_alloc_zero(*n, sizeof *sample);
    const hsp_colour *frame = sample ? hsp_film_sheet_draw(s, s->scene->frames / 2) : NULL;
    for (int k = 0; frame && k < HSP_FILM_GROUNDS; k++)
        memcpy(sample + k * one, s->ground[k], (size_t)one * sizeof *sample);
    if (frame) memcpy(sample + HSP_FILM_GROUNDS * one, frame, (size_t)one * sizeof *sample);
    if (frame) return sample;
    hsp_free(sample);
    return NULL;
}

static int draw_frames(hsp_film_sheet *s, const hsp_encoder *e, void *state, int64_t fps, hsp_error **err) {
    int64_t shown = 0, n = s->scene->frames, pixels = (int64_t)s->w * s->h;
    hsp_colour *before = hsp_alloc_zero(pixels, sizeof *before);
    int status = before ? HSP_OK : HSP_EMEMORY;
    for (int64_t i = 0; status == HSP_OK && i < n; i++) {
        int64_t until = ((i + 1) * 100 + fps / 2) / fps;
        bool stopped = hsp_cancel_consume();
        const hsp_colour *pixel = stopped ? NULL : hsp_film_sheet_draw(s, i);
        if (stopped)
            status = hsp_fail(err, HSP_ECANCELLED, "interrupted before all frames were drawn: no file was written");
        else
            status = pixel ? e->frame(state, pixel, i > 0 ? before : NULL, i + 1 < n ? (int)(until - shown) : HOLD, err)
                           : HSP_EMEMORY;
        if (status == HSP_OK) memcpy(before, pixel, (size_t)pixels * sizeof *pixel);
        shown = until;
    }
    hsp_free(before);
    return status == HSP_OK ? e->end(state, err) : status;
}

static int write_film(const hsp_film_run *f, const algorithm *a, const hsp_encoder *e, const char *path,
                      const hsp_style *style, hsp_error **err) {
    scene_parts parts;
    hsp_film_scene scene = scene_of(f, a, &parts);
    hsp_film_sheet sheet;
    hsp_animation_plan plan = {.path = path, .frames = f->frames};
    const char *fps = hsp_options_get(f->o, "fps");
    double rate = 8;
    if (fps) hsp_parse_number(fps, strlen(fps), &rate);
    void *state = hsp_alloc_zero(1, (size_t)e->state_size);
    hsp_colour *sample = NULL;
    int status = hsp_film_sheet_open(&sheet, &scene, style, e->scale, err);
    if (status == HSP_OK) sample = sample_of(&sheet, &plan.samples);
    if (status == HSP_OK && (!state || !sample)) status = HSP_EMEMORY;
    plan.width = sheet.w;
    plan.height = sheet.h;
    plan.sample = sample;
    if (status == HSP_OK) {
        status = e->begin(state, &plan, err);
        if (status == HSP_OK) status = draw_frames(&sheet, e, state, (int64_t)rate, err);
        e->free(state);
    }
    hsp_film_sheet_close(&sheet);
    HSP_FREE(sample, state);
    return status;
}

static int make_report(const hsp_film_run *f, const hsp_encoder *e, const hsp_style *style, double train_seconds,
                       hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_int(&j, "rows", f->n);
    hsp_json_int(&j, "features", f->features);
    hsp_json_int(&j, "frames", f->frames);
    hsp_json_int(&j, "updates", f->total);
    hsp_json_string(&j, "format", e->name);
    hsp_json_int(&j, "width", (int)(style->width * e->scale));
    hsp_json_int(&j, "height", (int)(style->height * e->scale));
    hsp_json_number(&j, "train_seconds", train_seconds);
    hsp_json_report(&j, "training", f->training);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}

int hsp_film(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, const char *path, hsp_report **report,
             hsp_error **err) {
    hsp_film_run f = {.data = data, .hooks = hooks};
    const algorithm *a = NULL;
    const hsp_encoder *encoder = NULL;
    hsp_style style;
    double frames = 120, begun = seconds_now();
    hsp_report *made = NULL;
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
    /* The report is made before the film, so that nothing can fail after it. */
    if (status == HSP_OK) status = make_report(&f, encoder, &style, seconds_now() - begun, &made, err);
    if (status == HSP_OK) status = write_film(&f, a, encoder, path, &style, err);
    if (status == HSP_OK && report) {
        *report = made;
        made = NULL;
    }
    hsp_report_free(made);
    hsp_film_run_clear(&f);
    return status == HSP_EMEMORY ? hsp_plot_fail_memory(err) : status;
}
