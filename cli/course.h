/* A summary of the course of a run, for a line in the report. It needs constant memory for any number of epochs. */
#ifndef HSP_CLI_COURSE_H
#define HSP_CLI_COURSE_H

#include "text_table.h"

enum { HSP_CLI_COURSE_ROOM = 512 };

typedef struct hsp_cli_course {
    double objective[HSP_CLI_COURSE_ROOM], error[HSP_CLI_COURSE_ROOM], gap[HSP_CLI_COURSE_ROOM];
    int count;
    int64_t every, skipped; /* one of `every` lines is kept; lines skipped since the last */
    hsp_progress last;      /* always the latest */
    bool any, several;      /* several: problems, which share no single course */
} hsp_cli_course;

void hsp_cli_course_add(hsp_cli_course *c, const hsp_progress *p);
/* Adds lines of a table of two columns: the objective (for the perceptron, the mistakes) over the epochs, and the gap. Adds
 * nothing for fewer than three epochs or for several problems. */
void hsp_cli_course_lines(const hsp_cli_course *c, bool by_mistakes, hsp_cli_table *t);

#endif
