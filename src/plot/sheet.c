#include "plot/sheet.h"

#include <math.h>

hsp_frame hsp_sheet_head(hsp_canvas *c, const char *title, const char *first, const char *second) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font head = {s->title, 600, s->ink}, line = {s->text, 400, s->quiet};
    const char *const lines[] = {first, second};
    double x = s->margin, room = s->width - 2 * s->margin, y = s->margin + 0.8 * s->title;
    hsp_canvas_sentence(c, title, &head, (hsp_place2){x, y}, room);
    y += 0.4 * s->text;
    for (int i = 0; i < 2; i++) {
        if (!lines[i] || !lines[i][0]) continue;
        y += 1.5 * s->text;
        hsp_canvas_sentence(c, lines[i], &line, (hsp_place2){x, y}, room);
    }
    y += 1.5 * s->text;
    return (hsp_frame){x, y, room, s->height - s->margin - y};
}

hsp_frame hsp_sheet_cell(hsp_frame f, int rows, int columns, double gap, int i) {
    double w = (f.w - gap * (columns - 1)) / columns, h = (f.h - gap * (rows - 1)) / rows;
    return (hsp_frame){f.x + (w + gap) * (i % columns), f.y + (h + gap) * (i / columns), w, h};
}

void hsp_sheet_grid(hsp_frame f, int n, double aspect, int *rows, int *columns) {
    double best = INFINITY;
    *rows = 1;
    *columns = n < 1 ? 1 : n;
    for (int k = 1; k <= n; k++) {
        int r = (n + k - 1) / k;
        double off = fabs(log((f.w / k) / (f.h / r) / aspect)) + 0.05 * (r * k - n); /* empty cells cost a little */
        if (off >= best) continue;
        best = off;
        *rows = r;
        *columns = k;
    }
}
