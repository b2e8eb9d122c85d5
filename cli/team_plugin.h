/* Messages between the processes that mpirun started. The program loads the plug-in of engines/mpi when mpirun started it, the
 * only file that knows MPI. One thread makes all calls. */
#ifndef HSP_CLI_TEAM_PLUGIN_H
#define HSP_CLI_TEAM_PLUGIN_H

#include "halfspace.h"

#include <stddef.h>

/* Asked while a call waits; a true result ends the wait with HSP_ECANCELLED. */
typedef int hsp_team_stopped(void);

/* The calls of the plug-in, whose only symbol is `hsp_team`. They return 0 or a negative hsp_status. */
typedef struct hsp_team_calls {
    /* Joins the others. */
    int (*join)(hsp_team_stopped *stopped, int *rank, int *ranks);
    /* Replaces the question. */
    void (*stop_when)(hsp_team_stopped *stopped);
    /* Rank 0 sends these bytes to all other ranks. */
    int (*spread)(const void *bytes, size_t size);
    /* Another rank waits for what rank 0 spreads. The caller frees *bytes with hsp_free. */
    int (*receive)(void **bytes, size_t *size);
    /* From one rank to another, which frees *bytes with hsp_free. */
    int (*send)(int to, const void *bytes, size_t size);
    int (*take)(int from, void **bytes, size_t *size);
    /* Called by all ranks at the end; no other call may follow. */
    void (*leave)(void);
} hsp_team_calls;

extern HSP_API const hsp_team_calls hsp_team;

#endif
