/* The writer of HTML. Markup is always a literal of this program; whatever comes from data passes one escaping function, which
 * also makes visible what a reader could not see: control characters, bytes that are not UTF-8, and marks that reverse or hide
 * text. So no name can become an element, an attribute or a script, or look like another name. */
#ifndef HSP_PLOT_PAGE_HTML_H
#define HSP_PLOT_PAGE_HTML_H

#include "halfspace_internal.h"
#include "plot/draw/picture_bytes.h"

typedef struct hsp_html {
    hsp_bytes bytes; /* owned: hsp_html_clear */
    bool failed;     /* memory ran out: the text is incomplete */
} hsp_html;          /* {0} is empty */

void hsp_html_clear(hsp_html *h);
/* Appends bytes as they are: markup, or text that was escaped before. */
void hsp_html_raw(hsp_html *h, const char *markup);
void hsp_html_raw_n(hsp_html *h, const void *bytes, int64_t n);
/* Appends text, escaped for elements and for attributes in quotes alike. NULL: nothing. */
void hsp_html_text(hsp_html *h, const char *text);
/* Appends the format as markup. Every %s is text to escape; %% is a percent sign; there is nothing else. */
void hsp_html_write(hsp_html *h, const char *format, ...) HSP_PRINTF(2, 3);
/* A name that reads in its own direction, without its middle if it is longer than fits a table: <bdi>name</bdi>. */
void hsp_html_name(hsp_html *h, const char *name);
/* The same in quotation marks, within a sentence. */
void hsp_html_quoted(hsp_html *h, const char *name);
/* A sentence that may hold long names: with a capital, and without its middle beyond 900 bytes. */
void hsp_html_sentence(hsp_html *h, const char *text);

/* The length, 1 to 4, of the UTF-8 character at s, and the character; 0: the byte is not UTF-8. */
int hsp_html_character(const char *s, uint32_t *u);
/* Whether a character cannot be seen, or changes how its neighbours are read. */
bool hsp_html_is_hidden(uint32_t u);

/* Numbers, rounded as in pictures; NaN is a dash. out holds HSP_NUMERAL. */
const char *hsp_html_number(double v, int digits, char *out);
/* A number to `places` decimals, from 0 to 9, trailing zeros included: for columns of a table. */
const char *hsp_html_fixed(double v, int places, char *out);
/* A number that is not below v >= 0, to so many digits: for "at most". */
const char *hsp_html_above(double v, int digits, char *out);
/* A figure of about 1, such as an area or a log loss, to three decimals. */
const char *hsp_html_figure(double v, char *out);
/* A share as a percentage, to a tenth; NaN is a dash. */
const char *hsp_html_percent(double share, char *out);

#endif
