#include "plot/chart.h"

#include <stdio.h>
#include <string.h>

static int unknown(const char *kind, hsp_error **err) {
    char names[400] = "";
    size_t at = 0;
    for (const hsp_chart *const *c = hsp_chart_table; *c && at < sizeof names; c++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "", (*c)->name);
    return hsp_plot_fail(err, HSP_EUSAGE, "there is no chart '%.60s': choose one of %s", kind ? kind : "", names);
}

int hsp_plot(const char *kind, const hsp_model *m, const hsp_data *data, const char *path, hsp_error **err) {
    const hsp_chart_input in = {m, data};
    hsp_canvas *canvas = NULL;
    const hsp_chart *const *c = hsp_chart_table;
    while (*c && (!kind || strcmp((*c)->name, kind) != 0)) c++;
    if (!*c) return unknown(kind, err);
    if (!path) return hsp_plot_fail(err, HSP_EUSAGE, "there is no file to draw to: name one in .png, .svg or .pdf");
    if ((*c)->needs_model && !m) return hsp_plot_fail(err, HSP_EUSAGE, "the chart '%s' needs a model: give one", kind);
    if ((*c)->needs_data && !data) return hsp_plot_fail(err, HSP_EUSAGE, "the chart '%s' needs data: give some", kind);
    int code = hsp_canvas_new(path, &hsp_style_light, &canvas, err);
    if (code == HSP_OK) code = (*c)->draw(&in, canvas, err);
    if (code == HSP_OK) code = hsp_canvas_write(canvas, path, err);
    hsp_canvas_free(canvas);
    return code;
}

/* Names and help are ours and need no escapes in JSON. */
int hsp_plot_list(char **json, hsp_error **err) {
    size_t size = 3;
    for (const hsp_chart *const *c = hsp_chart_table; *c; c++) size += strlen((*c)->name) + strlen((*c)->help) + 32;
    *json = hsp_plot_alloc((int64_t)size, 1); /* the core's hsp_free is free() */
    if (!*json) return hsp_plot_fail_memory(err);
    size_t at = (size_t)snprintf(*json, size, "[");
    for (const hsp_chart *const *c = hsp_chart_table; *c; c++)
        at += (size_t)snprintf(*json + at, size - at, "%s{\"name\":\"%s\",\"help\":\"%s\"}",
                               c == hsp_chart_table ? "" : ",", (*c)->name, (*c)->help);
    snprintf(*json + at, size - at, "]");
    return HSP_OK;
}
