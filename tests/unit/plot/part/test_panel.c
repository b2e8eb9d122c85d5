/* The basis of the charts: ranges, axes on either scale, positions, names that do not overlap, curves that stay small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "plot/draw/numeral.h"
#include "plot/part/curve.h"
#include "plot/part/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hsp_canvas *sheet(void) {
    hsp_canvas *c = NULL;
    assert_int_equal(hsp_canvas_new("a.svg", &hsp_style_light, &c, NULL), HSP_OK);
    return c;
}

static const hsp_spread spreads[] = {HSP_SPREAD_PADDED, HSP_SPREAD_EXACT, HSP_SPREAD_ZERO, HSP_SPREAD_LOG};
enum { SPREADS = sizeof spreads / sizeof *spreads };

static void ranges_leave_out_what_is_no_number(void **state) {
    (void)state;
    const double v[] = {NAN, 3, INFINITY, -2, 0, 0.5, -INFINITY};
    hsp_range r = hsp_range_of(v, 7, HSP_SPREAD_PADDED);
    assert_true(r.lo == -2 && r.hi == 3);
    r = hsp_range_of(v, 7, HSP_SPREAD_LOG);
    assert_true(r.lo == 0.5 && r.hi == 3);
    r = hsp_range_of(v, 1, HSP_SPREAD_PADDED); /* nothing: still a panel can be laid out */
    assert_false(r.lo <= r.hi);
    r = hsp_range_join(r, hsp_range_of(v, 2, HSP_SPREAD_PADDED));
    assert_true(r.lo == 3 && r.hi == 3);
}

/* One unit on both axes, or none where that would waste the frame. */
static void axes_have_one_unit(void **state) {
    (void)state;
    static const struct {
        double x, y;
        bool alike;
    } cases[] = {{1, 1, true}, {2, 1, true}, {1, 2, true}, {1, 100, false}, {1000, 1, false}, {1e300, 1e-300, false}};
    hsp_canvas *c = sheet();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hsp_panel p = {.x_name = "x", .y_name = "y", .x_range = {0, cases[k].x, 0}, .y_range = {0, cases[k].y, 0}};
        assert_int_equal(hsp_panel_lay_out_alike(&p, c, (hsp_area){20, 20, 600, 400}), cases[k].alike);
        double right = hsp_panel_x(&p, cases[k].x) - hsp_panel_x(&p, 0), up = hsp_panel_y(&p, 0) - hsp_panel_y(&p, cases[k].y);
        if (cases[k].alike) assert_true(fabs(right / cases[k].x - up / cases[k].y) < 0.02 * right / cases[k].x);
    }
    hsp_canvas_free(c);
}

/* Whatever the range: ticks ascend within the frame, their labels do not touch, the frame lies within its panel. */
static void check_panel(hsp_canvas *c, hsp_range x, hsp_range y, double w, double h) {
    hsp_panel p = {.title = "title", .x_name = "x", .y_name = "y", .x_range = x, .y_range = y, .grid = true};
    const hsp_area outer = {10, 20, w, h};
    hsp_panel_lay_out(&p, c, outer);
    hsp_panel_axes(&p, c);
    assert_true(p.frame.x >= outer.x && p.frame.y >= outer.y);
    assert_true(p.frame.x + p.frame.w <= outer.x + outer.w + 1 && p.frame.y + p.frame.h <= outer.y + outer.h + 1);
    const hsp_axis *axes[] = {&p.x, &p.y};
    const hsp_font small = {13, 400, 0};
    for (int a = 0; a < 2; a++) {
        assert_true(axes[a]->count >= 1);
        for (int i = 0; i < axes[a]->count; i++) {
            double at = hsp_axis_tick_place(axes[a], i);
            assert_true(at >= -1e-9 && at <= 1 + 1e-9);
            if (i > 0) assert_true(at > hsp_axis_tick_place(axes[a], i - 1));
        }
    }
    for (int i = 0; w > 300 && i + 1 < p.x.count; i++) {
        char left[HSP_NUMERAL], right[HSP_NUMERAL];
        hsp_axis_label(&p.x, i, left);
        hsp_axis_label(&p.x, i + 1, right);
        double gap = p.frame.w * (hsp_axis_tick_place(&p.x, i + 1) - hsp_axis_tick_place(&p.x, i));
        double taken = (hsp_canvas_measure(c, left, &small, 0) + hsp_canvas_measure(c, right, &small, 0)) / 2;
        assert_true(taken < gap);
    }
}

static void panels_fit_any_range(void **state) {
    (void)state;
    static const double ends[][2] = {{0, 1},         {0, 0},           {1, 1},          {-3, 7},
                                     {1e-9, 1e9},    {1e12, 1e12 + 1}, {-1e300, 1e300}, {5e-324, 1},
                                     {0.999, 1.001}, {123456, 123457}, {1e-5, 3e-5},    {INFINITY, -INFINITY}};
    hsp_canvas *c = sheet();
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (int s = 0; s < SPREADS; s++) {
            hsp_range r = {ends[i][0], ends[i][1], spreads[s]};
            if (r.spread == HSP_SPREAD_LOG && !(r.lo > 0)) r.lo = r.hi = NAN; /* as hsp_range_of leaves it */
            check_panel(c, r, (hsp_range){0, 1, HSP_SPREAD_PADDED}, 600, 400);
            check_panel(c, (hsp_range){0, 1, HSP_SPREAD_PADDED}, r, 600, 400);
            check_panel(c, r, r, 180, 150);
        }
    hsp_canvas_free(c);
}

static void logarithms_have_round_ticks(void **state) {
    (void)state;
    hsp_axis a;
    char label[HSP_NUMERAL];
    hsp_axis_fit_log(&a, 0.01, 100, 10);
    assert_int_equal(a.count, 5);
    hsp_axis_label(&a, 0, label);
    assert_string_equal(label, "0.01");
    hsp_axis_label(&a, 4, label);
    assert_string_equal(label, "100");
    hsp_axis_fit_log(&a, 1e-8, 1, 20);
    hsp_axis_label(&a, 0, label);
    assert_string_equal(label, "10\xE2\x81\xBB\xE2\x81\xB8");
    hsp_axis_fit_log(&a, 2, 9, 10); /* less than a power of ten: 2 and 5 as well */
    assert_true(a.count >= 2);
    hsp_axis_fit_log(&a, 1, 10, 10);
    assert_true(fabs(hsp_axis_place(&a, sqrt(10)) - 0.5) < 1e-12);
    assert_true(hsp_axis_place(&a, 0) < -1 && hsp_axis_place(&a, -5) < -1);
}

static void places_are_never_beyond_reach(void **state) {
    (void)state;
    hsp_canvas *c = sheet();
    hsp_panel p = {.x_range = {0, 1, HSP_SPREAD_EXACT}, .y_range = {1, 10, HSP_SPREAD_LOG}};
    hsp_panel_lay_out(&p, c, (hsp_area){0, 0, 400, 300});
    static const double wild[] = {1e308, -1e308, INFINITY, -INFINITY, NAN, 0, -1};
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        hsp_place2 at = hsp_panel_place(&p, wild[i], wild[i]);
        assert_true(isfinite(at.x) && isfinite(at.y) && fabs(at.x) < 1e6 && fabs(at.y) < 1e6);
    }
    assert_true(fabs(hsp_panel_x(&p, 1) - (p.frame.x + p.frame.w)) < 1e-9);
    hsp_canvas_free(c);
}

/* ---- names ---- */

static void names_do_not_overlap(void **state) {
    (void)state;
    hsp_canvas *c = sheet();
    unsigned random = 7;
    for (int n = 1; n <= 40; n++) {
        hsp_tag tag[40];
        for (int i = 0; i < n; i++) {
            random = random * 1103515245 + 12345;
            tag[i] = (hsp_tag){.y = 100 + (random >> 16) % (n % 2 ? 300 : 20), .text = "name", .weight = i};
        }
        int64_t lost = hsp_tags_draw(c, tag, n, 500, 512, 90, 410, 100);
        double height = 1.22 * hsp_canvas_style(c)->small - 0.01;
        int64_t kept = 0;
        for (int i = 0; i < n; i++) {
            if (tag[i].dropped) continue;
            kept++;
            assert_true(tag[i].at >= 90 && tag[i].at <= 410);
            for (int j = 0; j < i; j++)
                if (!tag[j].dropped) {
                    assert_true(fabs(tag[i].at - tag[j].at) >= height);
                    if (tag[i].y < tag[j].y) assert_true(tag[i].at < tag[j].at); /* the order stays */
                    if (tag[i].y > tag[j].y) assert_true(tag[i].at > tag[j].at);
                }
        }
        assert_int_equal(kept + lost, n);
        if (n <= 20) assert_int_equal(lost, 0);
        for (int i = 0; i < n; i++) /* what is dropped weighs less than what is kept */
            for (int j = 0; j < n; j++)
                if (tag[i].dropped && !tag[j].dropped) assert_true(tag[i].weight < tag[j].weight);
    }
    hsp_canvas_free(c);
}

static void lonely_names_stay_where_they_wish(void **state) {
    (void)state;
    hsp_canvas *c = sheet();
    hsp_tag tag[3] = {{.y = 100, .text = "a"}, {.y = 200, .text = "b"}, {.y = 300, .text = "c"}};
    assert_int_equal(hsp_tags_draw(c, tag, 3, 0, 10, 50, 400, 50), 0);
    for (int i = 0; i < 3; i++) assert_true(tag[i].at == tag[i].y);
    hsp_canvas_free(c);
}

/* ---- curves ---- */

static int64_t size_of_curve(int64_t n, bool steps) {
    hsp_canvas *c = sheet();
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
    for (int64_t i = 0; i < n; i++) {
        x[i] = (double)i / (double)n;
        y[i] = i == n / 2 ? (double)NAN : sin(50 * x[i]) + 0.1 * sin(1e4 * x[i]);
    }
    hsp_panel p = {.x_range = {0, 1, HSP_SPREAD_EXACT}, .y_range = {-1.2, 1.2, HSP_SPREAD_EXACT}};
    hsp_panel_lay_out(&p, c, (hsp_area){0, 0, 900, 600});
    const hsp_curve v = {.n = n, .x = x, .y = y, .pen = {0, 2, 0, 1}, .steps = steps};
    assert_int_equal(hsp_curve_draw(&p, c, &v), HSP_OK);
    char name[] = "/tmp/halfspace-curve-XXXXXX.svg";
    int fd = mkstemps(name, 4);
    assert_true(fd >= 0);
    assert_int_equal(hsp_canvas_write(c, name, NULL), HSP_OK);
    FILE *f = fopen(name, "r");
    fseek(f, 0, SEEK_END);
    int64_t size = ftell(f);
    fclose(f);
    remove(name);
    free(x);
    free(y);
    hsp_canvas_free(c);
    return size;
}

static void curves_of_a_million_points_stay_small(void **state) {
    (void)state;
    assert_true(size_of_curve(1000, false) > 5000);
    assert_true(size_of_curve(1000000, false) < 2000000);
    assert_true(size_of_curve(1000000, true) < 2000000);
    size_of_curve(1, true);
}

static bool is_red(const uint32_t *pixel, int width, hsp_place2 at) {
    return pixel[(int)at.y * width + (int)at.x] == 0xFF0000;
}

/* A dot on the edge of the frame is drawn whole; a dot beyond it is not drawn. */
static void dots_are_whole_or_not_there(void **state) {
    (void)state;
    hsp_canvas *c = NULL;
    const double x[] = {0, 0.5, 1}, y[] = {0, 1, 1.1};
    int width, height;
    assert_int_equal(hsp_canvas_new_image(&hsp_style_light, 1, &c, NULL), HSP_OK);
    hsp_panel p = {.x_range = {0, 1, HSP_SPREAD_EXACT}, .y_range = {0, 1, HSP_SPREAD_EXACT}};
    hsp_panel_lay_out(&p, c, (hsp_area){100, 100, 600, 400});
    for (int i = 0; i < 3; i++) { /* each by itself, so that there is no line */
        const hsp_curve v = {.n = 1, .x = x + i, .y = y + i, .pen = {0xFF0000, 10, 0, 1}, .dots = true};
        assert_int_equal(hsp_curve_draw(&p, c, &v), HSP_OK);
    }
    const uint32_t *pixel = hsp_canvas_pixels(c, &width, &height);
    for (int i = 0; i < 3; i++)
        for (int side = 0; side < 4; side++) {
            hsp_place2 at = hsp_panel_place(&p, x[i], y[i]);
            at.x += side == 0 ? 11 : side == 1 ? -11 : 0;
            at.y += side == 2 ? 11 : side == 3 ? -11 : 0;
            assert_true(is_red(pixel, width, at) == (i < 2));
        }
    hsp_canvas_free(c);
}

static void styles_are_chosen_by_options(void **state) {
    (void)state;
    hsp_options *o = NULL;
    hsp_style s;
    static const char *const wrong[] = {"",         "960",     "960x",      "x640",      "0x640",  "960x640x3",
                                        "-960x640", "1e3x640", "99999x640", "960 x 640", "100x100"};
    assert_int_equal(hsp_options_new(&o, NULL), HSP_OK);
    assert_int_equal(hsp_style_choose(o, &s, NULL), HSP_OK);
    assert_true(s.width == 960 && s.height == 640 && s.paper == hsp_style_light.paper);
    hsp_options_set(o, "theme", "dark", NULL);
    hsp_options_set(o, "size", "500x400", NULL);
    assert_int_equal(hsp_style_choose(o, &s, NULL), HSP_OK);
    assert_true(s.width == 500 && s.height == 400 && s.paper == hsp_style_dark.paper);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hsp_error *err = NULL;
        if (hsp_options_set(o, "size", wrong[i], NULL)) continue; /* refused before */
        assert_int_equal(hsp_style_choose(o, &s, &err), HSP_EUSAGE);
        assert_non_null(strstr(hsp_error_message(err), "960x640"));
        hsp_error_free(err);
    }
    hsp_options_free(o);
}

/* Classes and text contrast with the paper in either theme: a contrast ratio as WCAG defines it. */
static double luminance(hsp_colour c) {
    double sum = 0;
    static const double part[] = {0.2126, 0.7152, 0.0722};
    for (int k = 0; k < 3; k++) {
        double v = (double)(c >> (16 - 8 * k) & 255) / 255;
        sum += part[k] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(hsp_colour a, hsp_colour b) {
    double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

static void colours_are_seen_on_their_paper(void **state) {
    (void)state;
    const hsp_style *const themes[] = {&hsp_style_light, &hsp_style_dark};
    for (int t = 0; t < 2; t++) {
        const hsp_style *s = themes[t];
        assert_true(contrast(s->ink, s->paper) > 12);
        assert_true(contrast(s->quiet, s->paper) > 4.5);
        for (int64_t k = 0; k < 16; k++) assert_true(contrast(hsp_style_class_colour(s, k), s->paper) > 1.5);
        for (int i = 0; i <= 10; i++) assert_true(contrast(hsp_style_ordered(s, i / 10.0), s->paper) > 1.9);
        assert_int_equal(hsp_style_diverging(s, 0), s->paper);
        assert_int_equal(hsp_style_sequential(s, 0), s->paper);
        for (int i = -10; i <= 10; i++) {
            hsp_colour ground = hsp_style_diverging(s, i / 10.0);
            assert_true(contrast(hsp_style_text_on(s, ground), ground) > 2.8);
        }
    }
}

static void grids_hold_their_cells(void **state) {
    (void)state;
    const hsp_area f = {0, 0, 900, 500};
    for (int n = 1; n <= 30; n++) {
        int rows, columns;
        hsp_sheet_grid(f, n, 1.4, &rows, &columns);
        assert_true(rows * columns >= n && (rows - 1) * columns < n);
        for (int i = 0; i < n; i++) {
            hsp_area cell = hsp_sheet_cell(f, rows, columns, 10, i);
            assert_true(cell.w > 0 && cell.h > 0 && cell.x + cell.w <= 900.01 && cell.y + cell.h <= 500.01);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_leave_out_what_is_no_number),
        cmocka_unit_test(axes_have_one_unit),
        cmocka_unit_test(panels_fit_any_range),
        cmocka_unit_test(logarithms_have_round_ticks),
        cmocka_unit_test(places_are_never_beyond_reach),
        cmocka_unit_test(names_do_not_overlap),
        cmocka_unit_test(lonely_names_stay_where_they_wish),
        cmocka_unit_test(curves_of_a_million_points_stay_small),
        cmocka_unit_test(dots_are_whole_or_not_there),
        cmocka_unit_test(styles_are_chosen_by_options),
        cmocka_unit_test(colours_are_seen_on_their_paper),
        cmocka_unit_test(grids_hold_their_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
