/* Pictures inside a page. Cairo writes an SVG file for each theme; both are the same drawing in other colours. They are merged
 * into one element, whose colours are variables of the page's style sheet, so that the picture follows the reader's colour
 * scheme. Numbers are shortened to hundredths of a pixel, and identifiers are unique within the page. */
#ifndef HSP_PLOT_PAGE_INLINE_SVG_H
#define HSP_PLOT_PAGE_INLINE_SVG_H

#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/page/html.h"

enum { HSP_PAGE_COLOURS = 400 };

/* The pairs of colours that the pictures of a page use; number k is the variable --kN. */
typedef struct hsp_page_colours {
    int64_t count;
    hsp_colour light[HSP_PAGE_COLOURS], dark[HSP_PAGE_COLOURS];
} hsp_page_colours;

/* The number of a pair, which is added if it is new; -1: there is no more room. */
int64_t hsp_page_colour(hsp_page_colours *c, hsp_colour light, hsp_colour dark);
/* Appends it as a value of CSS: var(--kN), or the light colour. */
void hsp_page_colour_value(hsp_html *h, hsp_page_colours *c, hsp_colour light, hsp_colour dark);
/* Appends "--k0:#...;--k1:#...;" of the light or the dark colours. */
void hsp_page_colours_write(hsp_html *h, const hsp_page_colours *c, bool dark);

/* Appends what is inside the <svg> of the file `light`, with the colours of `dark` as their alternatives (of another drawing:
 * none). figure: the number of the picture in the page, for its identifiers. 0 or HSP_EMEMORY. */
int hsp_inline_svg(hsp_html *h, hsp_page_colours *c, const hsp_bytes *light, const hsp_bytes *dark, int64_t figure);

#endif
