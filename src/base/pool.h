/* A thread pool. Work is cut by the data, never by the number of threads, so that results do not depend on it. */
#ifndef HSP_BASE_POOL_H
#define HSP_BASE_POOL_H

#include <stdint.h>

/* Calls task(ctx, i) once for each i from 0 to tasks-1, in any order, on at most `threads` threads including the caller's,
 * and returns when all are done. Runs everything on the caller's thread when no other can be started or the pool is busy (a
 * nested call, or one from another thread). Never allocates. Workers are started on first use, sleep between calls, block
 * all signals but SIGPIPE, obey the caller's requests to cancel (clock.h), and are started again in a forked child. A task must
 * not fork. */
void hsp_pool_run(int64_t tasks, int threads, void (*task)(void *ctx, int64_t index), void *ctx);
/* `asked` if positive (at most 1024), else the number of cores that affinity and control group allow this process. */
int hsp_pool_threads(int64_t asked);

#endif
