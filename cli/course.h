/* The course of a run, kept for a line at its end: however many epochs there are, it takes the same little memory. */
#ifndef HSP_CLI_COURSE_H
#define HSP_CLI_COURSE_H

#include "text_table.h"

enum { HSP_CLI_COURSE_ROOM = 512 };

typedef struct hsp_cli_course {
    double objective[HSP_CLI_COURSE_ROOM], error[HSP_CLI_COURSE_ROOM], gap[HSP_CLI_COURSE_ROOM];
    int count;
    int64_t every, skipped; /* one line of so many is kept, and those since the last */
    hsp_progress last;      /* always known */
    bool any, several;      /* several: problems, whose courses are not one */
} hsp_cli_course;

void hsp_cli_course_add(hsp_cli_course *c, const hsp_progress *p);
/* Lines of a table of two columns: the objective (or the mistakes, of the perceptron) over the epochs, and the gap. Nothing
 * for less than three epochs or for several problems. */
void hsp_cli_course_lines(const hsp_cli_course *c, bool by_mistakes, hsp_cli_table *t);

#endif
