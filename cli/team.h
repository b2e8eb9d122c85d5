/* The processes that mpirun started (engines/mpi): each has a part of the rows, and process 0 runs the command. */
#ifndef HSP_CLI_TEAM_H
#define HSP_CLI_TEAM_H

#include "halfspace.h"

#include <stdbool.h>

/* Called first. When mpirun started this program, joins the other processes; those but 0 then serve until the command ends, and
 * *serves is true for them. 0 or an exit code after printing an error. */
int hsp_cli_team_begin(bool *serves);
/* Whether mpirun started this program, and into how many processes. */
bool hsp_cli_team_exists(void);
int hsp_cli_team_size(void);
/* Process k opens the k-th part of this report of hsp_part_plan, of at most hsp_cli_team_size() parts. The engine lives until
 * hsp_cli_team_end. 0, or an exit code after printing an error. */
int hsp_cli_team_open(const hsp_report *plan, const hsp_engine **out);
/* Ends the program if another process died: to be called before anything is written. */
void hsp_cli_team_check(void);
/* Called last, by process 0: the others end too. */
void hsp_cli_team_end(void);

#endif
