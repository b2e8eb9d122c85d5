#include "plot/page/page_figure.h"

#include "plot/draw/canvas.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"

#include <inttypes.h>
#include <stdio.h>

/* Draws the chart in one theme; *out: the canvas with the finished file. */
static int draw_theme(const hsp_page *p, const hsp_page_figure *f, const hsp_style *style, hsp_canvas **out,
                      const hsp_bytes **file, hsp_error **err) {
    const hsp_model *model = p->model;
    const char *const name = "";
    const hsp_chart_input in = {.models = model ? 1 : 0,
                                .model = &model,
                                .name = &name,
                                .data = hsp_page_held(p),
                                .data_name = "",
                                .studies = f->study ? 1 : 0,
                                .study = &f->study,
                                .o = p->plain,
                                .hooks = &p->watch.hooks};
    int status = hsp_canvas_new("page.svg", style, out, err);
    if (status == HSP_OK) status = f->chart->draw(&in, *out, err);
    return status == HSP_OK ? hsp_canvas_finish(*out, file, err) : status;
}

static hsp_style style_of(const hsp_style *theme, const hsp_page_figure *f, hsp_aside *aside) {
    hsp_style style = *theme;
    style.width = f->width;
    style.height = f->height;
    style.margin = 2;
    style.aside = aside;
    return style;
}

/* The names of the curves, in their colours. */
static void write_key(hsp_page *p, const hsp_aside *light, const hsp_aside *dark) {
    hsp_html *h = &p->body;
    hsp_html_raw(h, "<ul class=\"key\">");
    for (int64_t i = 0; i < light->lines; i++) {
        hsp_html_write(h, "<li><span class=\"%s\" style=\"color:", light->line[i].dashed ? "dashed" : "solid");
        hsp_page_colour_value(h, &p->colours, light->line[i].colour, dark->line[i].colour);
        hsp_html_raw(h, "\"></span>");
        hsp_html_name(h, light->line[i].name);
        if (light->line[i].figure[0]) hsp_html_write(h, " <b>%s</b>", light->line[i].figure);
        hsp_html_raw(h, "</li>");
    }
    if (hsp_model_outputs(p->model) > light->lines)
        hsp_html_raw(h, "<li class=\"quiet\">the other classes, none worse, have no name here</li>");
    hsp_html_raw(h, "</ul>\n");
}

static void write_caption(hsp_page *p, const hsp_page_figure *f, int64_t number) {
    hsp_html *h = &p->body;
    char id[32];
    snprintf(id, sizeof id, "figure-%" PRId64, number);
    hsp_html_write(h, "<figcaption id=\"%s\"><strong>%s.</strong> ", id, f->title);
    f->caption(p, f->study, h);
    hsp_html_raw(h, "</figcaption>\n");
}

static void begin_svg(hsp_html *h, const hsp_page_figure *f, int64_t number) {
    char tag[200];
    snprintf(tag, sizeof tag,
             "<svg role=\"img\" aria-labelledby=\"figure-%" PRId64 "\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">",
             number, (int)f->width, (int)f->height, (int)f->width, (int)f->height);
    hsp_html_raw(h, tag);
}

int hsp_page_figure_write(hsp_page *p, const hsp_page_figure *f, hsp_error **err) {
    hsp_aside light = {0}, dark = {0};
    const hsp_style styles[] = {style_of(&hsp_style_light, f, &light), style_of(&hsp_style_dark, f, &dark)};
    hsp_canvas *canvas[2] = {NULL, NULL};
    const hsp_bytes *file[2] = {NULL, NULL};
    hsp_html *h = &p->body;
    int64_t number = ++p->figures;
    int status = HSP_OK;
    for (int i = 0; i < 2 && status == HSP_OK; i++) status = draw_theme(p, f, &styles[i], &canvas[i], &file[i], err);
    if (status == HSP_OK) {
        hsp_html_raw(h, "<figure>\n");
        write_caption(p, f, number);
        begin_svg(h, f, number);
        status = hsp_inline_svg(h, &p->colours, file[0], file[1], number);
        hsp_html_raw(h, "</svg>\n");
        if (f->key && light.lines > 0 && light.lines == dark.lines) write_key(p, &light, &dark);
        hsp_html_raw(h, "</figure>\n");
    }
    for (int i = 0; i < 2; i++) hsp_canvas_free(canvas[i]);
    return status;
}
