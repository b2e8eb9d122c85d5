/* Work that passes through a line of stations, several pieces at once: fetched one after the other, worked on by all
 * threads, placed one after the other in the order in which they were fetched, finished by all threads. What is placed,
 * and in which order, does not depend on the number of threads. */
#ifndef HSP_BASE_PIPELINE_H
#define HSP_BASE_PIPELINE_H

typedef struct hsp_pipeline {
    int slots;   /* pieces under way at most, each with a slot from 0 to slots-1 for what belongs to it */
    int threads; /* at most; the caller is one of them */
    void *ctx;
    int (*fetch)(void *ctx, int slot);   /* 1, or 0 when there are no more, or a negative status */
    void (*work)(void *ctx, int slot);   /* cannot fail: let place tell */
    int (*place)(void *ctx, int slot);   /* 0 or a negative status */
    void (*finish)(void *ctx, int slot); /* by the thread that placed it, at once; may be NULL */
} hsp_pipeline;

enum { HSP_PIPELINE_SLOTS = 64 };

/* How many slots keep so many threads busy. */
int hsp_pipeline_slots(int threads);
/* Runs until fetch has no more. A failure ends it: nothing is fetched or placed after it; of several the first in the order
 * of the pieces counts, a failed fetch after all pieces fetched before it were placed. 0 or that status. fetch and place of
 * different slots may run at the same time, but neither twice. */
int hsp_pipeline_run(const hsp_pipeline *p);

#endif
