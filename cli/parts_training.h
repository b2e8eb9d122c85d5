/* Training over parts: several files, a pattern, or a file that is larger than the memory allowed. */
#ifndef HSP_CLI_PARTS_TRAINING_H
#define HSP_CLI_PARTS_TRAINING_H

#include "halfspace.h"
#include "watch.h"

/* The files as parts of this process. {0} can be freed. */
typedef struct hsp_cli_parts {
    hsp_report *plan; /* hsp_part_plan; NULL: the data are read as a whole */
    hsp_part *part;           /* NULL: the processes of the team have theirs */
    hsp_engine *own;          /* over `part` */
    const hsp_engine *engine; /* own, or that of the team */
    double seconds; /* of planning and opening */
} hsp_cli_parts;

/* Whether the operands may have to be read by parts: there are several, one is a pattern, the file is large, or mpirun
 * started this program. */
bool hsp_cli_parts_asked(const hsp_cli_call *call);
/* Makes the plan, says it in one line and opens the parts. A single file that fits in memory after all is not opened: then
 * `plan` is NULL. 0, or an exit code after printing an error. */
int hsp_cli_parts_open(const hsp_cli_call *call, hsp_cli_watch *watch, hsp_cli_parts *p);
/* As hsp_train. 0, or an exit code after printing an error. */
int hsp_cli_parts_train(const hsp_cli_call *call, const hsp_cli_parts *p, hsp_cli_watch *watch, hsp_model **model,
                        hsp_report **report);
/* The name of the data in the report: that of the file, or their number. buf: 64 bytes. */
const char *hsp_cli_parts_name(const hsp_cli_call *call, const hsp_cli_parts *p, char *buf);
/* Adds the member `plan`. */
void hsp_cli_parts_report(const hsp_cli_call *call, const hsp_cli_parts *p, hsp_json *j);
void hsp_cli_parts_free(hsp_cli_parts *p);

#endif
