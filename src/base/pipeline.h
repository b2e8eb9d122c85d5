/* A pipeline over pieces of work: fetch (one at a time), work (on all threads), place (one at a time, in the order of fetch),
 * finish (on all threads). What is placed, and in which order, does not depend on the number of threads. */
#ifndef HSP_BASE_PIPELINE_H
#define HSP_BASE_PIPELINE_H

typedef struct hsp_pipeline {
    int slots;   /* pieces in flight at most; each has a slot from 0 to slots-1 for its data */
    int threads; /* at most; the caller is one of them */
    void *ctx;
    int (*fetch)(void *ctx, int slot);   /* 1: a piece; 0: the end; or a negative status */
    void (*work)(void *ctx, int slot);   /* cannot fail: place reports errors */
    int (*place)(void *ctx, int slot);   /* 0 or a negative status */
    void (*finish)(void *ctx, int slot); /* right after place, on its thread; may be NULL */
} hsp_pipeline;

enum { HSP_PIPELINE_SLOTS = 64 };

/* The number of slots that keeps `threads` busy. */
int hsp_pipeline_slots(int threads);
/* Runs until fetch reaches the end. A failed place ends the run: nothing is placed after it. A failed fetch ends it once all
 * earlier pieces are placed. Returns 0 or the status of the first failure in the order of the pieces. fetch and place of
 * different slots may run at the same time, but never two fetches or two places. */
int hsp_pipeline_run(const hsp_pipeline *p);

#endif
