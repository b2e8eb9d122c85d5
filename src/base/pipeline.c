#include "base/pipeline.h"

#include "base/pool.h"

#include <pthread.h>
#include <stdbool.h>

typedef enum state { FREE, FETCHED, WORKED, PLACED } state;

typedef struct assembly {
    const hsp_pipeline *p;
    pthread_mutex_t lock;
    pthread_cond_t change;
    state slot[HSP_PIPELINE_SLOTS]; /* piece k has slot k mod slots: so they come free in order */
    int64_t fetched, placed;        /* pieces so far */
    bool fetching, placing;
    bool ended;      /* nothing more to fetch */
    int status;      /* of place: the first failure */
    int last_status; /* of fetch: comes after all that was fetched */
} assembly;

int hsp_pipeline_slots(int threads) {
    int slots = threads > 1 ? threads + 2 : 1;
    return slots < HSP_PIPELINE_SLOTS ? slots : HSP_PIPELINE_SLOTS;
}

static int slot_of(const assembly *l, int64_t piece) {
    return (int)(piece % l->p->slots);
}

static void change(assembly *l, int slot, state to) {
    l->slot[slot] = to;
    pthread_cond_broadcast(&l->change);
}

/* All of these are called with the lock held, and give it away for the time of the work. */

static void place_next(assembly *l) {
    int slot = slot_of(l, l->placed);
    l->placing = true;
    pthread_mutex_unlock(&l->lock);
    int status = l->p->place(l->p->ctx, slot);
    pthread_mutex_lock(&l->lock);
    l->placing = false;
    l->placed++;
    if (status < 0) {
        l->status = status;
        l->ended = true;
    }
    change(l, slot, PLACED);
    if (status == 0 && l->p->finish) {
        pthread_mutex_unlock(&l->lock);
        l->p->finish(l->p->ctx, slot);
        pthread_mutex_lock(&l->lock);
    }
    change(l, slot, FREE);
}

static void fetch_next(assembly *l) {
    int slot = slot_of(l, l->fetched);
    l->fetching = true;
    pthread_mutex_unlock(&l->lock);
    int status = l->p->fetch(l->p->ctx, slot);
    pthread_mutex_lock(&l->lock);
    l->fetching = false;
    if (status <= 0) {
        l->ended = true;
        l->last_status = status;
        pthread_cond_broadcast(&l->change);
        return;
    }
    l->fetched++;
    change(l, slot, FETCHED);
    pthread_mutex_unlock(&l->lock);
    l->p->work(l->p->ctx, slot);
    pthread_mutex_lock(&l->lock);
    change(l, slot, WORKED);
}

/* What has come furthest goes first, so that few pieces are under way. */
static void stand_at(void *ctx, int64_t unused) {
    assembly *l = ctx;
    (void)unused;
    pthread_mutex_lock(&l->lock);
    for (;;) {
        bool more = l->placed < l->fetched && l->status == 0;
        if (more && !l->placing && l->slot[slot_of(l, l->placed)] == WORKED)
            place_next(l);
        else if (!l->ended && !l->fetching && l->slot[slot_of(l, l->fetched)] == FREE)
            fetch_next(l);
        else if (l->ended && !more && !l->fetching)
            break;
        else
            pthread_cond_wait(&l->change, &l->lock);
    }
    pthread_mutex_unlock(&l->lock);
}

int hsp_pipeline_run(const hsp_pipeline *p) {
    assembly l = {.p = p};
    pthread_mutex_init(&l.lock, NULL);
    pthread_cond_init(&l.change, NULL);
    hsp_pool_run(p->threads, p->threads, stand_at, &l);
    pthread_cond_destroy(&l.change);
    pthread_mutex_destroy(&l.lock);
    return l.status < 0 ? l.status : l.last_status;
}
