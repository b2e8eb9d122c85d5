#include "plot/part/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROW = 640 };

/* Copies to `row` as much of a sentence as fits, up to a blank, or if one fits up to a dot between its parts. Returns the rest,
 * NULL if there is none. */
static const char *break_row(hsp_canvas *c, const char *text, const hsp_font *font, double room, char *row) {
    static const char dot[] = "  \xC2\xB7  ";
    size_t best = 0, whole = 0;
    snprintf(row, ROW, "%s", text);
    if (hsp_canvas_measure(c, row, font, 0) <= room) return NULL;
    for (size_t n = strcspn(text, " "); text[n] && n < ROW; n += 1 + strcspn(text + n + 1, " ")) {
        if (n == 0 || text[n - 1] == ' ') continue;
        snprintf(row, ROW, "%.*s", (int)n, text);
        if (hsp_canvas_measure(c, row, font, 0) > room) break;
        best = n;
        if (strncmp(text + n, dot, sizeof dot - 1) == 0) whole = n;
    }
    if (whole > 0) best = whole;
    snprintf(row, ROW, "%.*s", best > 0 ? (int)best : ROW - 1, text);
    if (best == 0) return NULL; /* one word that is too long */
    text += best;
    if (strncmp(text, dot, sizeof dot - 1) == 0) return text + sizeof dot - 1;
    return text + strspn(text, " ");
}

hsp_area hsp_sheet_head(hsp_canvas *c, const char *title, const char *first, const char *second) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font head = {s->title, 600, s->ink}, line = {s->text, 400, s->quiet};
    const char *const lines[] = {first, second};
    const double roomy = 340; /* from this height on a sentence may take two rows */
    double x = s->margin, room = s->width - 2 * s->margin, y = s->margin + 0.8 * s->title;
    if (s->aside) return hsp_sheet_room(s);
    hsp_canvas_sentence(c, title, &head, (hsp_place2){x, y}, room);
    y += 0.4 * s->text;
    for (int i = 0; i < 2; i++) {
        if (!lines[i] || !lines[i][0]) continue;
        const char *rest = lines[i];
        char row[ROW];
        for (int more = s->height < roomy ? 0 : s->height > 2 * s->width ? 3 : 1; more > 0 && rest; more--) {
            rest = break_row(c, rest, &line, room, row);
            y += 1.5 * s->text;
            hsp_canvas_sentence(c, row, &line, (hsp_place2){x, y}, room);
        }
        if (!rest) continue;
        y += 1.5 * s->text;
        hsp_canvas_sentence(c, rest, &line, (hsp_place2){x, y}, room);
    }
    y += 1.5 * s->text;
    return (hsp_area){x, y, room, s->height - s->margin - y};
}

hsp_area hsp_sheet_cell(hsp_area f, int rows, int columns, double gap, int i) {
    double w = (f.w - gap * (columns - 1)) / columns, h = (f.h - gap * (rows - 1)) / rows;
    return (hsp_area){f.x + (w + gap) * (i % columns), f.y + (h + gap) * (i / columns), w, h};
}

void hsp_sheet_grid(hsp_area f, int n, double aspect, int *rows, int *columns) {
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

hsp_area hsp_sheet_room(const hsp_style *s) {
    double top = s->margin + (s->aside ? 0 : 0.8 * s->title + 4.9 * s->text);
    return (hsp_area){s->margin, top, s->width - 2 * s->margin, s->height - s->margin - top};
}
