#include "plot/page/inline_svg.h"

#include "plot/draw/picture_bytes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- colours ---- */

int64_t hsp_page_colour(hsp_page_colours *c, hsp_colour light, hsp_colour dark) {
    for (int64_t k = 0; k < c->count; k++)
        if (c->light[k] == light && c->dark[k] == dark) return k;
    if (c->count == HSP_PAGE_COLOURS) return -1;
    c->light[c->count] = light;
    c->dark[c->count] = dark;
    return c->count++;
}

void hsp_page_colour_value(hsp_html *h, hsp_page_colours *c, hsp_colour light, hsp_colour dark) {
    char value[32];
    int64_t k = light == dark ? -1 : hsp_page_colour(c, light, dark);
    if (k < 0)
        snprintf(value, sizeof value, "#%06x", (unsigned)light);
    else
        snprintf(value, sizeof value, "var(--k%" PRId64 ")", k);
    hsp_html_raw(h, value);
}

void hsp_page_colours_write(hsp_html *h, const hsp_page_colours *c, bool dark) {
    char value[48];
    for (int64_t k = 0; k < c->count; k++) {
        snprintf(value, sizeof value, "--k%" PRId64 ":#%06x;", k, (unsigned)(dark ? c->dark[k] : c->light[k]));
        hsp_html_raw(h, value);
    }
}

/* ---- the drawing as it is rewritten ---- */

typedef struct svg_span {
    const char *s;
    int64_t n;
} svg_span;

typedef struct rewriting {
    hsp_html *h;
    hsp_page_colours *colours;
    int64_t figure;
    hsp_colour *dark; /* owned: the colours of the other theme in the order of the file */
    int64_t darks, dark_capacity, next;
    bool paired;  /* there is one for each colour */
    svg_span *id; /* owned: identifiers in the order in which they appear, texts borrowed */
    int64_t ids, id_capacity;
} rewriting;

static bool is_same(svg_span a, const char *text) {
    return (size_t)a.n == strlen(text) && memcmp(a.s, text, (size_t)a.n) == 0;
}

/* The length of "rgb(31%,44%,71%)" at s, and its colour; 0: there is none. */
static int64_t parse_colour(const char *s, hsp_colour *out) {
    const char *at = s + 4;
    double part;
    if (strncmp(s, "rgb(", 4) != 0) return 0;
    *out = 0;
    for (int i = 0; i < 3; i++) {
        at += strspn(at, " ,");
        size_t n = strspn(at, "0123456789.");
        if (hsp_parse_number(at, n, &part)) return 0;
        *out = *out << 8 | (hsp_colour)(fmin(fmax(part, 0), 100) * 2.55 + 0.5);
        at += n + (at[n] == '%');
    }
    at += strspn(at, " ");
    return *at == ')' ? at + 1 - s : 0;
}

/* Colour after colour of a file: where the next one stands, or NULL. */
static const char *find_colour(const char *from, hsp_colour *out, int64_t *length) {
    for (const char *at = strstr(from, "rgb("); at; at = strstr(at + 1, "rgb(")) {
        *length = parse_colour(at, out);
        if (*length > 0) return at;
    }
    return NULL;
}

static int collect_dark_colours(rewriting *w, const char *light, const char *dark) {
    hsp_colour colour;
    int64_t length, lights = 0;
    for (const char *at = dark; (at = find_colour(at, &colour, &length)); at += length) {
        if (hsp_reserve((void **)&w->dark, &w->dark_capacity, w->darks + 1, sizeof *w->dark)) return HSP_EMEMORY;
        w->dark[w->darks++] = colour;
    }
    for (const char *at = light; (at = find_colour(at, &colour, &length)); at += length) lights++;
    w->paired = lights == w->darks;
    return HSP_OK;
}

static void write_colour(rewriting *w, hsp_colour light) {
    hsp_colour dark = w->paired && w->next < w->darks ? w->dark[w->next] : light;
    w->next++;
    hsp_page_colour_value(w->h, w->colours, light, dark);
}

/* "f3-12": identifier 12 of picture 3. Cairo's own count through the process, so a page would differ from the next. */
static void write_id(rewriting *w, svg_span name) {
    char value[48];
    int64_t k = 0;
    while (k < w->ids && !(w->id[k].n == name.n && memcmp(w->id[k].s, name.s, (size_t)name.n) == 0)) k++;
    if (k == w->ids) {
        if (hsp_reserve((void **)&w->id, &w->id_capacity, w->ids + 1, sizeof *w->id)) {
            w->h->failed = true;
            return;
        }
        w->id[w->ids++] = name;
    }
    snprintf(value, sizeof value, "f%" PRId64 "-%" PRId64, w->figure, k);
    hsp_html_raw(w->h, value);
}

/* ---- values of attributes ---- */

/* A number to hundredths, without trailing zeros. */
static void write_number(hsp_html *h, svg_span text) {
    char value[48];
    double v;
    if (hsp_parse_number(text.s, (size_t)text.n, &v) || fabs(v) > 1e9) {
        hsp_html_raw_n(h, text.s, text.n);
        return;
    }
    long long hundredths = llround(v * 100), size = hundredths < 0 ? -hundredths : hundredths;
    int n = snprintf(value, sizeof value, "%s%lld", hundredths < 0 ? "-" : "", size / 100);
    if (size % 100)
        n += snprintf(value + n, sizeof value - (size_t)n, size % 10 ? ".%02lld" : ".%lld",
                      size % 10 ? size % 100 : size % 100 / 10);
    hsp_html_raw_n(h, value, n);
}

/* Numbers and the letters of a path, with blanks only where two numbers meet. */
static void write_numbers(hsp_html *h, svg_span value) {
    static const char digits[] = "0123456789.+-eE";
    const char *at = value.s, *end = value.s + value.n;
    bool number = false;
    while (at < end) {
        const char *begin = at;
        while (at < end && strchr(digits, *at) && *at) at++;
        if (at > begin) {
            if (number) hsp_html_raw(h, " ");
            write_number(h, (svg_span){begin, at - begin});
            number = true;
            continue;
        }
        if (*at != ' ' && *at != ',' && *at != '\n') {
            hsp_html_raw_n(h, at, 1);
            number = false;
        }
        at++;
    }
}

/* Text with the colours and the references of this page. */
static void write_paint(rewriting *w, svg_span value) {
    const char *at = value.s, *end = value.s + value.n;
    while (at < end) {
        hsp_colour colour;
        int64_t length = parse_colour(at, &colour);
        if (length > 0) {
            write_colour(w, colour);
            at += length;
        } else if (end - at > 5 && strncmp(at, "url(#", 5) == 0) {
            const char *close = memchr(at, ')', (size_t)(end - at));
            if (!close) close = end;
            hsp_html_raw(w->h, "url(#");
            write_id(w, (svg_span){at + 5, close - at - 5});
            at = close;
        } else {
            hsp_html_raw_n(w->h, at++, 1);
        }
    }
}

/* Whether a property has the value that it has without being set. Cairo sets all of them on every element that it draws. */
static bool is_initial(svg_span name, svg_span value) {
    static const char *const initial[][2] = {{"fill-opacity", "1"},
                                             {"stroke-opacity", "1"},
                                             {"fill-rule", "nonzero"},
                                             {"stroke-miterlimit", "10"},
                                             {"stroke-linecap", "butt"},
                                             {"clip-rule", "nonzero"},
                                             {"transform", "matrix(1,0,0,1,0,0)"},
                                             {"transform", "matrix(1, 0, 0, 1, 0, 0)"}};
    for (size_t i = 0; i < sizeof initial / sizeof *initial; i++)
        if (is_same(name, initial[i][0]) && is_same(value, initial[i][1])) return true;
    return false;
}

static svg_span trimmed(const char *begin, const char *end) {
    while (begin < end && *begin == ' ') begin++;
    while (end > begin && end[-1] == ' ') end--;
    return (svg_span){begin, end - begin};
}

static void write_style(rewriting *w, svg_span value) {
    const char *at = value.s, *end = value.s + value.n;
    bool first = true;
    while (at < end) {
        const char *stop = memchr(at, ';', (size_t)(end - at));
        if (!stop) stop = end;
        const char *colon = memchr(at, ':', (size_t)(stop - at));
        if (colon) {
            svg_span name = trimmed(at, colon), set = trimmed(colon + 1, stop);
            if (!is_initial(name, set)) {
                if (!first) hsp_html_raw(w->h, ";");
                hsp_html_raw_n(w->h, name.s, name.n);
                hsp_html_raw(w->h, ":");
                write_paint(w, set);
                first = false;
            }
        }
        at = stop + 1;
    }
}

/* ---- elements ---- */

static bool is_listed(svg_span name, const char *const *names) {
    for (; *names; names++)
        if (is_same(name, *names)) return true;
    return false;
}

static void write_attribute(rewriting *w, svg_span name, svg_span value) {
    static const char *const numbers[] = {"d", "x", "y", "width", "height", "points", "r", "cx", "cy", NULL};
    static const char *const links[] = {"xlink:href", "href", NULL};
    bool link = is_listed(name, links);
    if ((name.n >= 5 && memcmp(name.s, "xmlns", 5) == 0) || is_initial(name, value)) return;
    hsp_html_raw(w->h, " ");
    hsp_html_raw_n(w->h, link ? "href" : name.s, link ? 4 : name.n);
    hsp_html_raw(w->h, "=\"");
    if (is_same(name, "id")) {
        write_id(w, value);
    } else if (link && value.n > 0 && value.s[0] == '#') {
        hsp_html_raw(w->h, "#");
        write_id(w, (svg_span){value.s + 1, value.n - 1});
    } else if (is_listed(name, numbers)) {
        write_numbers(w->h, value);
    } else if (is_same(name, "style")) {
        write_style(w, value);
    } else {
        write_paint(w, value);
    }
    hsp_html_raw(w->h, "\"");
}

/* The element whose tag begins at `at`; returns what follows the tag. */
static const char *write_tag(rewriting *w, const char *at) {
    size_t n = 1 + strcspn(at + 1, " />\n");
    if (at[1] == '/') n = strcspn(at, ">");
    hsp_html_raw_n(w->h, at, (int64_t)n);
    at += n;
    for (;;) {
        at += strspn(at, " \n");
        if (!*at || *at == '>' || *at == '/') break;
        size_t length = strcspn(at, "=");
        const char *quote = at[length] ? at + length + 1 : NULL,
                   *close = quote && *quote == '"' ? strchr(quote + 1, '"') : NULL;
        if (!close) break; /* not what Cairo writes */
        write_attribute(w, (svg_span){at, (int64_t)length}, (svg_span){quote + 1, close - quote - 1});
        at = close + 1;
    }
    const char *end = strchr(at, '>');
    if (!end) return at + strlen(at);
    hsp_html_raw_n(w->h, at, end + 1 - at);
    return end + 1;
}

/* From the end of the tag <svg ...> to its end tag. */
static void write_content(rewriting *w, const char *file) {
    const char *at = strstr(file, "<svg");
    at = at ? strchr(at, '>') : NULL;
    if (!at) return;
    for (at++; *at && strncmp(at, "</svg", 5) != 0;) {
        if (*at == '<')
            at = write_tag(w, at);
        else
            at++; /* blanks between elements: the drawing has no text */
    }
}

static char *text_of(const hsp_bytes *b) {
    return hsp_strndup(b->data ? (const char *)b->data : "", (size_t)b->size);
}

int hsp_inline_svg(hsp_html *h, hsp_page_colours *c, const hsp_bytes *light, const hsp_bytes *dark, int64_t figure) {
    rewriting w = {.h = h, .colours = c, .figure = figure};
    char *one = text_of(light), *other = text_of(dark);
    int status = one && other ? collect_dark_colours(&w, one, other) : HSP_EMEMORY;
    if (status == HSP_OK) write_content(&w, one);
    HSP_FREE(one, other, w.dark, w.id);
    return status == HSP_OK && h->failed ? HSP_EMEMORY : status;
}
