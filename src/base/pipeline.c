#include "base/pipeline.h"

#include "base/pool.h"

#include <pthread.h>
#include <stdbool.h>

typedef enum state { FREE, FETCHED, WORKED, PLACED } state;

typedef struct pipeline_state {
    const hsp_pipeline *p;
    pthread_mutex_t lock;
    pthread_cond_t change;
    state slot[HSP_PIPELINE_SLOTS]; /* piece k has slot k mod slots, so slots become free in order */
    int64_t fetched, placed;        /* pieces so far */
    bool fetching, placing;
    bool ended;      /* nothing more to fetch */
    int status;      /* of the first failed place */
    int last_status; /* of fetch: counts after all pieces fetched before */
} pipeline_state;

int hsp_pipeline_slots(int threads) {
    int slots = threads > 1 ? threads + 2 : 1;
    return slots < HSP_PIPELINE_SLOTS ? slots : HSP_PIPELINE_SLOTS;
}

static int slot_of(const pipeline_state *s, int64_t piece) {
    return (int)(piece % s->p->slots);
}

static void set_state(pipeline_state *s, int slot, state to) {
    s->slot[slot] = to;
    pthread_cond_broadcast(&s->change);
}

/* Called with the lock held; they release it while a callback runs. */

static void place_next(pipeline_state *s) {
    int slot = slot_of(s, s->placed);
    s->placing = true;
    pthread_mutex_unlock(&s->lock);
    int status = s->p->place(s->p->ctx, slot);
    pthread_mutex_lock(&s->lock);
    s->placing = false;
    s->placed++;
    if (status < 0) {
        s->status = status;
        s->ended = true;
    }
    set_state(s, slot, PLACED);
    if (status == 0 && s->p->finish) {
        pthread_mutex_unlock(&s->lock);
        s->p->finish(s->p->ctx, slot);
        pthread_mutex_lock(&s->lock);
    }
    set_state(s, slot, FREE);
}

static void fetch_next(pipeline_state *s) {
    int slot = slot_of(s, s->fetched);
    s->fetching = true;
    pthread_mutex_unlock(&s->lock);
    int status = s->p->fetch(s->p->ctx, slot);
    pthread_mutex_lock(&s->lock);
    s->fetching = false;
    if (status <= 0) {
        s->ended = true;
        s->last_status = status;
        pthread_cond_broadcast(&s->change);
        return;
    }
    s->fetched++;
    set_state(s, slot, FETCHED);
    pthread_mutex_unlock(&s->lock);
    s->p->work(s->p->ctx, slot);
    pthread_mutex_lock(&s->lock);
    set_state(s, slot, WORKED);
}

/* The loop of a thread. Placing comes before fetching, so that few pieces are in flight. */
static void run_worker(void *ctx, int64_t unused) {
    pipeline_state *s = ctx;
    (void)unused;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        bool more = s->placed < s->fetched && s->status == 0;
        if (more && !s->placing && s->slot[slot_of(s, s->placed)] == WORKED)
            place_next(s);
        else if (!s->ended && !s->fetching && s->slot[slot_of(s, s->fetched)] == FREE)
            fetch_next(s);
        else if (s->ended && !more && !s->fetching)
            break;
        else
            pthread_cond_wait(&s->change, &s->lock);
    }
    pthread_mutex_unlock(&s->lock);
}

int hsp_pipeline_run(const hsp_pipeline *p) {
    pipeline_state s = {.p = p};
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.change, NULL);
    hsp_pool_run(p->threads, p->threads, run_worker, &s);
    pthread_cond_destroy(&s.change);
    pthread_mutex_destroy(&s.lock);
    return s.status < 0 ? s.status : s.last_status;
}
