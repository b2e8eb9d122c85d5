/* The sentences above the chart `boundary`. */
#include "plot/boundary/boundary.h"
#include "plot/draw/numeral.h"
#include "plot/part/sentence.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DOT "  \xC2\xB7  "

const char *hsp_caption_axis(const hsp_slice *s, int a) {
    return s->name[a] ? s->name[a] : s->letter[a];
}

void hsp_caption_points(const hsp_slice *s, char *line) {
    char number[HSP_NUMERAL];
    hsp_sentence_format(line, "%s point%s", hsp_numeral_decimal(s->n, 0, number), s->n == 1 ? "" : "s");
}

void hsp_caption_count(const hsp_slice *s, char *line) {
    char correct[HSP_NUMERAL], share[HSP_NUMERAL];
    hsp_caption_points(s, line);
    if (!s->truth) {
        hsp_sentence_add(line, " without labels, coloured by the prediction");
        return;
    }
    hsp_sentence_format(line, ", %s correct (%s)", hsp_numeral_decimal(s->correct, 0, correct),
                        hsp_numeral_share(s->correct, s->n, share));
}

void hsp_caption_correct(const hsp_slice *s, char *line) {
    char number[HSP_NUMERAL];
    int64_t wrong = s->n - s->correct;
    if (!s->truth) return;
    if (wrong == 0)
        hsp_sentence_add(line, s->n == 1 ? "correct" : "all correct");
    else
        hsp_sentence_format(line, "%s mistake%s", hsp_numeral_decimal(wrong, 0, number), wrong == 1 ? "" : "s");
}

static void plane_of_numbers(const hsp_slice *s, const hsp_report *study, char *line) {
    double u = hsp_report_number(study, "share_u"), v = hsp_report_number(study, "share_v");
    bool features = strcmp(s->method, "features") == 0, chosen = strcmp(s->method, "chosen") == 0;
    char d[HSP_NUMERAL], share_u[HSP_NUMERAL], share_v[HSP_NUMERAL];
    if (features || (chosen && s->d <= 2)) return;
    const char *what = s->regions ? "columns" : "features";
    hsp_numeral_decimal(s->d, 0, d);
    if (strcmp(s->method, "pca") == 0) {
        hsp_sentence_format(line, DOT "principal components of %s %s", d, what);
        if (!isfinite(u) || !isfinite(v)) return;
        hsp_sentence_format(line, " with the largest variance (%s and %s)",
                            hsp_numeral_share((int64_t)(u * 1e9), 1000000000, share_u),
                            hsp_numeral_share((int64_t)(v * 1e9), 1000000000, share_v));
    } else if (strcmp(s->method, "lda") == 0) {
        hsp_sentence_format(line, DOT "the discriminant plane of %s %s", d, what);
    } else if (chosen) {
        hsp_sentence_format(line, DOT "two %s of %s, the other%s", what, d,
                            s->d == 3 ? " at its mean" : "s at their means");
    } else {
        hsp_sentence_format(line, DOT "the two most important of %s %s, the other%s predicted from them", d, what,
                            s->d == 3 ? "" : "s");
    }
}

/* "; city = Paris, sex = f": the columns that are not numeric, at their most frequent values. */
static void add_held(const hsp_slice *s, char *line) {
    int64_t n = hsp_report_count(s->regions, "held");
    for (int64_t k = 0; k < n && k < 3; k++)
        hsp_sentence_format(line, "%s%s", k == 0 ? DOT "" : ", ", hsp_report_text_at(s->regions, "held", k));
    if (n > 3) hsp_sentence_format(line, ", %lld more columns at their most frequent values", (long long)(n - 3));
}

void hsp_caption_plane(const hsp_slice *s, const hsp_report *study, char *line) {
    plane_of_numbers(s, study, line);
    if (s->regions) add_held(s, line);
}

void hsp_caption_spread(const hsp_slice *s, char *line) {
    if (s->spread[0] > 0 || s->spread[1] > 0) hsp_sentence_add(line, DOT "equal points drawn side by side");
}

/* ---- the equation ---- */

/* Appends "+ 0.12 x", or "+ 0.12" without a name; the first term has no plus, and a factor of 1 is left out. */
static void add_term(char *line, double v, bool first, const char *times, const char *name) {
    char number[HSP_NUMERAL];
    hsp_numeral_round(fabs(v), 3, number);
    hsp_sentence_add(line, first ? (v < 0 ? "\xE2\x88\x92" : "") : v < 0 ? " \xE2\x88\x92 " : " + ");
    if (!name)
        hsp_sentence_add(line, number);
    else if (strcmp(number, "1") == 0)
        hsp_sentence_add(line, name);
    else
        hsp_sentence_format(line, "%s%s%s", number, times, name);
}

/* Short names of features are used in the equation. If one is long, both are called u and v: x with a number would read like
 * a column of that name. */
static bool short_names(const hsp_slice *s) {
    for (int a = 0; a < s->dimensions; a++)
        if (s->name[a] && strlen(s->name[a]) > 28) return false;
    return true;
}

/* "regions of the model's prediction; 5 features of 2 columns" */
static void describe_features(const hsp_slice *s, char *line) {
    char d[HSP_NUMERAL], c[HSP_NUMERAL];
    int64_t features = (int64_t)hsp_report_number(s->regions, "model_features");
    hsp_sentence_add(line, "each region is where the model predicts its class");
    if (features == s->d) return;
    hsp_sentence_format(line, DOT "%s feature%s made of %s numeric column%s", hsp_numeral_decimal(features, 0, d),
                        features == 1 ? "" : "s", hsp_numeral_decimal(s->d, 0, c), s->d == 1 ? "" : "s");
}

/* Two classes: g(x) = 0.12 x1 + 0.09 x2 - 0.3, with an "about" if g depends on other features too. More: the rule that
 * assigns the regions. */
void hsp_caption_equation(const hsp_slice *s, char *line) {
    if (s->regions) {
        describe_features(s, line);
        return;
    }
    if (s->positive < 0) {
        hsp_sentence_add(line, "each region is where its class has the largest score");
        return;
    }
    const hsp_slice_score *g = &s->score[s->positive];
    if (strcmp(s->method, "pca") == 0 || strcmp(s->method, "lda") == 0) {
        hsp_sentence_add(line, "regions show the expected score at each point");
        return;
    }
    if (!isfinite(g->w[0]) || !isfinite(g->w[1]) || !isfinite(g->b)) return;
    bool first = true, named = short_names(s);
    hsp_sentence_add(line, s->exact ? "g(x) = " : "g(x) \xE2\x89\x88 ");
    for (int j = 0; j < s->dimensions; j++) {
        const char *letter = named ? s->letter[j] : j == 0 ? "u" : "v", *name = named ? s->name[j] : NULL;
        if (g->w[j] == 0) continue;
        char apart[HSP_SHORT];
        if (name) hsp_sentence_cut(name, 28, apart);
        add_term(line, g->w[j], first, name ? " \xC2\xB7 " : "\xE2\x80\xAF", name ? apart : letter);
        first = false;
    }
    if (g->b != 0 || first) add_term(line, g->b, first, NULL, NULL);
    if (!named) hsp_sentence_add(line, s->dimensions == 1 ? ", u to the right" : ", u to the right, v upwards");
}

void hsp_caption_absence(const hsp_slice *s, const hsp_regions *r, char *line) {
    bool flat = true;
    if (r->curved && r->borders == 0 && r->count > 0)
        hsp_sentence_format(line, DOT "the prediction is the same everywhere in view: %s", s->class_name[r->owner[0]]);
    if (r->curved || r->count != 1) return;
    for (int64_t k = 1; k < s->classes; k++)
        flat = flat && s->score[k].w[0] == s->score[0].w[0] && s->score[k].w[1] == s->score[0].w[1];
    hsp_sentence_add(line, flat ? DOT "no boundary: the prediction is always " : DOT "the boundary lies outside the view");
    if (flat) hsp_sentence_add(line, s->class_name[r->owner[0]]);
}
