/* Texts above a chart: sentences, and the names and figures in them. */
#ifndef HSP_PLOT_PART_SENTENCE_H
#define HSP_PLOT_PART_SENTENCE_H

#include "halfspace.h"
#include "halfspace_internal.h"
#include "plot/part/chart.h"

enum { HSP_SHORT = 160, HSP_SENTENCE = 640 }; /* bytes of the buffers; functions with a buffer `out` return it */

/* Append to a line, which holds HSP_SENTENCE, a text or a number of up to `digits` digits; what does not fit is cut off. */
void hsp_sentence_add(char *line, const char *text);
void hsp_sentence_format(char *line, const char *format, ...) HSP_PRINTF(2, 3);
void hsp_sentence_add_number(char *line, double v, int digits);

/* A name of up to 30 characters; a longer one loses its middle, as names often begin alike. out holds HSP_SHORT. */
const char *hsp_sentence_name(const char *name, char *out);
/* The same for up to `most` characters; returns the characters of the name, or `most` if it has more. */
int hsp_sentence_cut(const char *name, int most, char *out);
/* A number of rows, or a sum of weights; out holds HSP_NUMERAL. */
const char *hsp_sentence_count(double n, char *out);
/* part of whole (rows, sums of weights, or a share of 1) as a percentage: 100 % only for all, 0 % only for none. out holds
 * HSP_NUMERAL. */
const char *hsp_sentence_percent(double part, double whole, char *out);
/* A figure of at most 1, such as an area: three decimals, more if a number below 1 would read 1, three digits if it is small;
 * "none" for NaN. out holds HSP_NUMERAL. */
const char *hsp_sentence_area(double v, char *out);
/* "iris.csv, logistic": the name of the data and the study's algorithm. out holds HSP_SENTENCE. */
void hsp_sentence_subject(const hsp_chart_input *in, const hsp_report *s, char *out);
/* "iris.csv, 150 rows", with "weighted" if they are; the number is the study's "rows". out holds HSP_SHORT. */
const char *hsp_sentence_rows(const hsp_chart_input *in, const hsp_report *s, char *out);

#endif
