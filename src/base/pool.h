/* A small pool of threads. Work is cut by the data, never by the number of threads, so that results do not depend on it. */
#ifndef HSP_BASE_POOL_H
#define HSP_BASE_POOL_H

#include <stdint.h>

/* Calls task(ctx, i) once for each i from 0 to tasks-1, in any order, on at most `threads` threads of which the caller is
 * one, and returns when all are done. Always 0: when no threads can be had, or the pool is at work already (a nested call,
 * or another thread's), everything runs on the caller. Never allocates; the workers are made on first use, sleep between
 * calls, take no signals but SIGPIPE, and are made anew in a forked child. A task must not fork. */
int hsp_pool_run(int64_t tasks, int threads, void (*task)(void *ctx, int64_t index), void *ctx);
/* `asked` if positive (at most 1024), else the number of cores that this process may use by its affinity and control
 * group. */
int hsp_pool_threads(int64_t asked);

#endif
