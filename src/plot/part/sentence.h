/* Words and figures as the sentences over a chart have them. */
#ifndef HSP_PLOT_PART_SENTENCE_H
#define HSP_PLOT_PART_SENTENCE_H

#include "halfspace.h"
#include "halfspace_internal.h"
#include "plot/part/chart.h"

enum { HSP_SHORT = 160, HSP_SENTENCE = 640 }; /* bytes of the buffers */

/* Appends to a line, which holds HSP_SENTENCE: text, or a number in so many digits. */
void hsp_sentence_add(char *line, const char *text);
void hsp_sentence_format(char *line, const char *format, ...) HSP_PRINTF(2, 3);
void hsp_sentence_add_number(char *line, double v, int digits);

/* A name of up to 30 characters, without its middle where it has more: names often begin alike. out holds HSP_SHORT. */
void hsp_sentence_name(const char *name, char *out);
/* The same, of up to `most`; how many were kept. */
int hsp_sentence_cut(const char *name, int most, char *out);
/* A number of rows, or a sum of weights; out holds HSP_NUMERAL. */
void hsp_sentence_count(double n, char *out);
/* part of whole, rows or sums of weights or a share of 1, as a percentage: never 100 % unless all, never 0 % unless none.
 */
void hsp_sentence_percent(double part, double whole, char *out);
/* A figure of at most 1, such as an area: three decimals, more where it would else read 1 without being 1, and three digits
 * where it is small. "none" for NaN. */
void hsp_sentence_area(double v, char *out);
/* "iris.csv, logistic": the name of the data and the study's algorithm. out holds HSP_SENTENCE. */
void hsp_sentence_subject(const hsp_chart_input *in, const hsp_study *s, char *out);
/* "iris.csv, 150 rows", with "weighted" where they are; the rows are the study's number "rows". out holds HSP_SHORT. */
void hsp_sentence_rows(const hsp_chart_input *in, const hsp_study *s, char *out);

#endif
