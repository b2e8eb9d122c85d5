#include "base/pool.h"

#include "base/cgroup.h"
#include "base/clock.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#define MOST_THREADS 1024

typedef struct pool_job {
    void (*task)(void *ctx, int64_t index);
    void *ctx;
    int64_t tasks;
    hsp_cancel_scope *scope; /* of the caller */
} pool_job;

/* One job at a time. Workers join a job while it is open. The caller closes it when no index is left, then waits for those
 * that have joined. A worker that wakes later finds it closed and waits for the next. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pool_job job;
    atomic_int_least64_t next; /* the first index not taken */
    atomic_flag busy;
    int workers; /* threads started */
    int wanted, joined, inside;
    bool open;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER,
          .busy = ATOMIC_FLAG_INIT};

/* A forked child has no workers, and locks in an unknown state. */
static void reset_after_fork(void) {
    pool.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pool.work = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.done = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.workers = pool.wanted = pool.joined = pool.inside = 0;
    pool.open = false;
    atomic_flag_clear(&pool.busy);
}

static void prepare_for_fork(void) {
    pthread_atfork(NULL, NULL, reset_after_fork);
}

static void do_tasks(const pool_job *j) {
    int64_t i;
    while ((i = atomic_fetch_add(&pool.next, 1)) < j->tasks) j->task(j->ctx, i);
}

static void *run_worker(void *unused) {
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (!pool.open || pool.joined >= pool.wanted) pthread_cond_wait(&pool.work, &pool.lock);
        pool.joined++;
        pool.inside++;
        pool_job j = pool.job;
        pthread_mutex_unlock(&pool.lock);
        hsp_cancel_enter(j.scope);
        do_tasks(&j);
        hsp_cancel_enter(NULL);
        pthread_mutex_lock(&pool.lock);
        if (--pool.inside == 0) pthread_cond_signal(&pool.done);
    }
    return NULL;
}

/* Starts workers until there are `wanted`, as far as the system allows. Called with the lock held. */
static void start_workers(int wanted) {
    sigset_t all, before;
    pthread_attr_t detached;
    if (pool.workers >= wanted || pthread_attr_init(&detached) != 0) return;
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    sigdelset(&all, SIGPIPE); /* is sent to the thread that writes, and must end the program there */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_t worker;
    while (pool.workers < wanted && pthread_create(&worker, &detached, run_worker, NULL) == 0) pool.workers++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&detached);
}

void hsp_pool_run(int64_t tasks, int threads, void (*task)(void *ctx, int64_t index), void *ctx) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    if (threads > tasks) threads = (int)tasks;
    if (threads <= 1 || atomic_flag_test_and_set(&pool.busy)) {
        for (int64_t i = 0; i < tasks; i++) task(ctx, i);
        return;
    }
    pthread_once(&once, prepare_for_fork);
    const pool_job j = {task, ctx, tasks, hsp_cancel_current()};
    pthread_mutex_lock(&pool.lock);
    start_workers(threads - 1);
    pool.job = j;
    pool.wanted = threads - 1;
    pool.joined = 0;
    pool.open = true;
    atomic_store(&pool.next, 0);
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);

    do_tasks(&j);

    pthread_mutex_lock(&pool.lock);
    pool.open = false;
    while (pool.inside > 0) pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    atomic_flag_clear(&pool.busy);
}

int hsp_pool_threads(int64_t asked) {
    if (asked > 0) return asked < MOST_THREADS ? (int)asked : MOST_THREADS;
    cpu_set_t cores;
    int64_t count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : sysconf(_SC_NPROCESSORS_ONLN);
    int64_t allowed = hsp_cgroup_limit(HSP_CGROUP_CORES);
    if (allowed < count) count = allowed;
    return count < 1 ? 1 : count < MOST_THREADS ? (int)count : MOST_THREADS;
}
