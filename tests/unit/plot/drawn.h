/* Pictures as SVG text, for tests of their elements. */
#ifndef HSP_TESTS_DRAWN_H
#define HSP_TESTS_DRAWN_H

#include "halfspace_plot.h"

#include "plot/plot_files.h"
#include "plot/refused.h"

/* ---- pictures ---- */

/* Options from name, value, ..., NULL. */
static inline hsp_options *options_of(const char *const *pairs) {
    hsp_options *o = NULL;
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    for (; pairs && pairs[0]; pairs += 2) assert_int_equal(hsp_options_set(o, pairs[0], pairs[1], NULL), 0);
    return o;
}

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The figure as SVG text, to be freed; frees the figure. */
static inline char *svg_of(hsp_figure *f) {
    hsp_error *err = NULL;
    int code = hsp_figure_draw(f, in_folder("a.svg"), NULL, &err);
    if (err) print_error("%s\n", hsp_error_message(err));
    assert_int_equal(code, 0);
    hsp_figure_free(f);
    char *text = contents(in_folder("a.svg"), NULL);
    unlink(in_folder("a.svg"));
    return text;
}

static inline int64_t count_of(const char *text, const char *part) {
    int64_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) count++;
    return count;
}

/* Strokes of a width, as either version of Cairo writes them. */
__attribute__((unused)) static int64_t strokes(const char *svg, const char *width) {
    char style[64], attribute[64];
    snprintf(style, sizeof style, "stroke-width:%s;", width);
    snprintf(attribute, sizeof attribute, "stroke-width=\"%s\"", width);
    return count_of(svg, style) + count_of(svg, attribute);
}

/* Shapes filled with a colour. */
__attribute__((unused)) static int64_t fills(const char *svg, unsigned colour) {
    int64_t count = 0;
    double part[3];
    for (int i = 0; i < 3; i++) part[i] = (double)(colour >> (16 - 8 * i) & 255);
    for (const char *at = strstr(svg, "fill"); at; at = strstr(at + 1, "fill")) { /* percentages of any number of digits */
        double r[3];
        if (strncmp(at, "fill:rgb(", 9) != 0 && strncmp(at, "fill=\"rgb(", 10) != 0) continue;
        const char *open = strchr(at, '(') + 1;
        for (int i = 0; i < 3; i++) {
            r[i] = strtod(open, NULL) * 2.55;
            open += strcspn(open, ",)") + 1;
        }
        bool same = true;
        for (int i = 0; i < 3; i++) same = same && r[i] > part[i] - 0.6 && r[i] < part[i] + 0.6;
        count += same;
    }
    return count;
}

/* Every corner of every path that is not a glyph lies on the sheet, or no farther off it than the width of a mark. */
__attribute__((unused)) static void expect_on_sheet(const char *svg, double width, double height) {
    const char *body = strstr(svg, "</defs>");
    if (!body) body = svg;
    for (const char *at = strstr(body, " d=\"M "); at; at = strstr(at + 1, " d=\"M ")) {
        double x = strtod(at + 6, NULL);
        const char *next = strchr(at + 6, ' ');
        assert_non_null(next);
        double y = strtod(next, NULL);
        if (!(x > -10 && x < width + 10 && y > -10 && y < height + 10)) print_error("%f %f is off the sheet\n", x, y);
        assert_true(x > -10 && x < width + 10 && y > -10 && y < height + 10);
    }
}

/* SVG text without the numbers of images, which Cairo counts through the process. */
static inline void drop_image_numbers(char *svg) {
    char *to = svg;
    for (const char *from = svg; *from;) {
        bool image = strncmp(from, "image", 5) == 0;
        for (int k = 0; k < (image ? 5 : 1); k++) *to++ = *from++;
        while (image && *from >= '0' && *from <= '9') from++;
    }
    *to = '\0';
}

/* Both files, which are removed, hold the same picture. */
static inline void assert_same_picture(const char *a, const char *b) {
    size_t n = 0, m = 0;
    char *one = contents(a, &n), *two = contents(b, &m);
    if (strstr(a, ".svg")) {
        drop_image_numbers(one);
        drop_image_numbers(two);
        n = strlen(one);
        m = strlen(two);
    }
    assert_int_equal(n, m);
    assert_memory_equal(one, two, n);
    free(one);
    free(two);
    unlink(a);
    unlink(b);
}

/* Draws by a call with one allocation failing, then with all from it on, for each allocation in turn: an error and no file,
 * or the whole picture. The number of allocations. */
__attribute__((unused)) static int64_t expect_whole_or_none(int (*draw)(const void *job, const char *file, hsp_error **err),
                                                            const void *job, const char *kind) {
    char names[2][20];
    snprintf(names[0], sizeof names[0], "m.%s", kind);
    snprintf(names[1], sizeof names[1], "whole.%s", kind);
    const char *file = in_folder(names[0]), *whole = in_folder(names[1]);
    bool reached = false;
    int64_t calls = 0;
    for (; !reached; calls++) {
        for (int once = 0; once < 2; once++) {
            hsp_error *err = NULL;
            allowed = calls;
            refused_once = once;
            int status = draw(job, file, &err);
            if (!once) reached = allowed > 0;
            allowed = -1;
            assert_true(status == HSP_OK || status == HSP_EMEMORY);
            assert_true((status == HSP_OK) == (err == NULL));
            assert_int_equal(access(file, F_OK) == 0, status == HSP_OK);
            hsp_error_free(err);
            if (status != HSP_OK) continue;
            assert_int_equal(draw(job, whole, NULL), HSP_OK);
            assert_same_picture(file, whole);
        }
        assert_true(calls < 1000);
    }
    return calls;
}

/* The arguments of hsp_plot. */
typedef struct plot_job {
    const char *kind;
    const hsp_model *m;
    const hsp_data *data;
    const hsp_options *o;
} plot_job;

static inline int draw_job(const void *job, const char *file, hsp_error **err) {
    const plot_job *j = job;
    return hsp_plot(j->kind, j->m, j->data, j->o, file, err);
}

static inline int draw_figure(const void *job, const char *file, hsp_error **err) {
    return hsp_figure_draw(*(hsp_figure *const *)job, file, NULL, err);
}

/* Frees the figure. */
__attribute__((unused)) static void expect_memory_to_matter(hsp_figure *f) {
    assert_true(expect_whole_or_none(draw_figure, &f, "svg") > 8);
    hsp_figure_free(f);
}

/* Drawing is refused with these words, and no file is left. Frees the figure. */
__attribute__((unused)) static void expect_refused(hsp_figure *f, int code, const char *words) {
    hsp_error *err = NULL;
    assert_int_equal(hsp_figure_draw(f, in_folder("b.svg"), NULL, &err), code);
    assert_non_null(err);
    if (!strstr(hsp_error_message(err), words)) print_error("%s\n", hsp_error_message(err));
    assert_non_null(strstr(hsp_error_message(err), words));
    assert_null(strchr(hsp_error_message(err), '\n'));
    assert_true(access(in_folder("b.svg"), F_OK) != 0);
    hsp_error_free(err);
    hsp_figure_free(f);
}

/* A model of the data; training must succeed. */
__attribute__((unused)) static hsp_model *fitted(const hsp_data *data, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_model *m = NULL;
    hsp_error *err = NULL;
    int code = hsp_train(data, o, NULL, &m, NULL, &err);
    if (err) print_error("%s\n", hsp_error_message(err));
    assert_int_equal(code, 0);
    assert_non_null(m);
    hsp_options_free(o);
    return m;
}

#endif
