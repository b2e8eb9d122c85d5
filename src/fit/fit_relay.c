/* See fit_classes.h. Only the thread that created the relay calls the user's hook: when it adds a line itself, or at the
 * end. Other threads queue their lines. */
#include "base/error.h"
#include "base/memory.h"
#include "fit/fit.h"
#include "fit/fit_classes.h"
#include "solve/loop/observe.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct queue {
    hsp_relay *relay;
    hsp_hooks hooks; /* of this problem */
    int64_t problem;
    hsp_progress *line;
    int64_t count, capacity, given;
    bool ended;
} queue;

struct hsp_relay {
    const hsp_hooks *hooks; /* the user's, or NULL */
    pthread_mutex_t lock;
    pthread_t owner;
    atomic_bool stopped;
    int64_t problems, turn; /* turn: the problem whose lines are delivered now */
    int64_t stopped_at;     /* the problem at which the hook stopped; -1: none */
    queue queues[];
};

static bool wanted(const hsp_relay *relay) {
    return relay->hooks && relay->hooks->progress;
}

/* Delivers all lines whose turn has come. Called on the owner's thread with the lock held. */
static void give(hsp_relay *relay) {
    for (; relay->turn < relay->problems && relay->stopped_at < 0; relay->turn++) {
        queue *q = relay->queues + relay->turn;
        for (; q->given < q->count && relay->stopped_at < 0; q->given++)
            if (relay->hooks->progress(relay->hooks->user, &q->line[q->given])) relay->stopped_at = relay->turn;
        if (relay->stopped_at >= 0) atomic_store(&relay->stopped, true);
        q->given = q->count = 0;
        if (!q->ended) return;
    }
}

static int progress(void *user, const hsp_progress *line) {
    queue *q = user;
    hsp_relay *relay = q->relay;
    if (!wanted(relay)) return hsp_relay_stopped(relay);
    pthread_mutex_lock(&relay->lock);
    /* If memory runs out, the line is lost, but the fit continues. */
    if (hsp_reserve((void **)&q->line, &q->capacity, q->count + 1, sizeof *q->line) == HSP_OK) q->line[q->count++] = *line;
    if (pthread_equal(pthread_self(), relay->owner)) give(relay);
    pthread_mutex_unlock(&relay->lock);
    return hsp_relay_stopped(relay);
}

/* Updates are delivered immediately: with an update hook the problems run one after the other, on the owner's thread. */
static int update(void *user, const hsp_update *u) {
    queue *q = user;
    return q->relay->hooks->update(q->relay->hooks->user, u);
}

int hsp_relay_new(const hsp_hooks *hooks, int64_t problems, hsp_relay **out, hsp_error **err) {
    *out = NULL;
    hsp_relay *relay = hsp_alloc_zero(1, sizeof *relay + (size_t)problems * sizeof relay->queues[0]);
    if (!relay) return hsp_fail_memory(err);
    relay->hooks = hooks;
    relay->problems = problems;
    relay->stopped_at = -1;
    relay->owner = pthread_self();
    pthread_mutex_init(&relay->lock, NULL);
    for (int64_t k = 0; k < problems; k++) {
        queue *q = relay->queues + k;
        *q = (queue){.relay = relay, .problem = k};
        q->hooks = (hsp_hooks){.size = sizeof q->hooks, .user = q, .progress = progress};
        if (hsp_observed(hooks)) q->hooks.update = update;
    }
    *out = relay;
    return HSP_OK;
}

void hsp_relay_free(hsp_relay *relay) {
    if (!relay) return;
    for (int64_t k = 0; k < relay->problems; k++) hsp_free(relay->queues[k].line);
    pthread_mutex_destroy(&relay->lock);
    hsp_free(relay);
}

const hsp_hooks *hsp_relay_hooks(hsp_relay *relay, int64_t k) {
    return &relay->queues[k].hooks;
}

void hsp_relay_end(hsp_relay *relay, int64_t k) {
    pthread_mutex_lock(&relay->lock);
    relay->queues[k].ended = true;
    if (wanted(relay) && pthread_equal(pthread_self(), relay->owner)) give(relay);
    pthread_mutex_unlock(&relay->lock);
}

void hsp_relay_finish(hsp_relay *relay) {
    for (int64_t k = 0; k < relay->problems; k++) relay->queues[k].ended = true;
    if (wanted(relay)) give(relay);
}

int64_t hsp_relay_stopped_at(const hsp_relay *relay) {
    return relay->stopped_at;
}

void hsp_relay_stop(hsp_relay *relay) {
    atomic_store(&relay->stopped, true);
}

bool hsp_relay_stopped(hsp_relay *relay) {
    return atomic_load(&relay->stopped);
}
