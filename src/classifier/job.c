/* Jobs: hsp_train_from on a thread of its own, in a cancel scope of its own. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "halfspace.h"
#include "option/options.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STACK = 16 << 20 }; /* bytes: pages that are never touched cost nothing */

struct hsp_job {
    /* The request */
    const hsp_data *data;
    int mode;
    const hsp_model *start;
    hsp_options *options; /* owned */
    hsp_hooks user;       /* the caller's; members that it does not have are NULL */
    hsp_hooks hooks;      /* of the fit: they keep the line and call the user's */
    hsp_cancel_scope scope;
    /* The thread */
    pid_t process;     /* that started it */
    pthread_t thread;  /* if `threaded` */
    bool threaded;     /* else the job runs in hsp_job_step or hsp_job_result */
    bool joined;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t change;
    atomic_bool ended;
    /* The result; read after the end */
    bool taken;
    int status;
    hsp_model *model;
    hsp_report *report;
    hsp_error *error;
    /* The latest line, and whether hsp_job_progress has not given it yet */
    hsp_progress line;
    bool fresh;
    char *label, *shown; /* owned: of that line, and of the line that was given last */
    int64_t label_room, shown_room;
};

/* ---- the job's thread ---- */

/* Without memory for the label the line has none. */
static void keep_line(hsp_job *job, const hsp_progress *p) {
    int64_t length = p->label ? (int64_t)strlen(p->label) : 0;
    pthread_mutex_lock(&job->lock);
    job->line = *p;
    job->line.label = NULL;
    if (p->label && HSP_RESERVE(job->label, job->label_room, length + 1) == HSP_OK) {
        memcpy(job->label, p->label, (size_t)length + 1);
        job->line.label = job->label;
    }
    job->fresh = true;
    pthread_mutex_unlock(&job->lock);
}

static int on_progress(void *user, const hsp_progress *p) {
    hsp_job *job = user;
    keep_line(job, p);
    return job->user.progress ? job->user.progress(job->user.user, p) : 0;
}

static void on_log(void *user, int level, const char *line) {
    hsp_job *job = user;
    job->user.log(job->user.user, level, line);
}

static int on_update(void *user, const hsp_update *u) {
    hsp_job *job = user;
    return job->user.update(job->user.user, u);
}

static void set_hooks(hsp_job *job, const hsp_hooks *hooks) {
    if (hooks) memcpy(&job->user, hooks, hooks->size < sizeof job->user ? hooks->size : sizeof job->user);
    job->hooks = (hsp_hooks){.size = sizeof job->hooks,
                             .user = job,
                             .progress = on_progress,
                             .log = job->user.log ? on_log : NULL,
                             .update = job->user.update ? on_update : NULL};
}

static void run_job(hsp_job *job) {
    hsp_cancel_scope *before = hsp_cancel_enter(&job->scope);
    job->status = hsp_train_from(job->data, job->options, &job->hooks, job->mode, job->start, &job->model, &job->report,
                                 &job->error);
    hsp_cancel_enter(before);
    pthread_mutex_lock(&job->lock);
    atomic_store(&job->ended, true);
    pthread_cond_broadcast(&job->change);
    pthread_mutex_unlock(&job->lock);
}

static void *run_thread(void *user) {
    run_job(user);
    return NULL;
}

static void start_thread(hsp_job *job) {
    sigset_t all, before;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    sigfillset(&all);
    sigdelset(&all, SIGPIPE); /* as for the workers of the pool */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool roomy = pthread_attr_setstacksize(&attributes, STACK) == 0;
    job->threaded = roomy && pthread_create(&job->thread, &attributes, run_thread, job) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

/* ---- the caller's side ---- */

static int init_lock(hsp_job *job) {
    pthread_condattr_t monotonic;
    if (pthread_condattr_init(&monotonic) != 0) return HSP_EMEMORY;
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    int failed = pthread_cond_init(&job->change, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (failed) return HSP_EMEMORY;
    if (pthread_mutex_init(&job->lock, NULL) == 0) return HSP_OK;
    pthread_cond_destroy(&job->change);
    return HSP_EMEMORY;
}

int hsp_job_start(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, int mode, const hsp_model *start,
                  hsp_job **out, hsp_error **err) {
    *out = NULL;
    if (mode != HSP_JOB_TRAIN && mode != HSP_JOB_UPDATE)
        return hsp_fail(err, HSP_EUSAGE, "no mode %d of a job: give HSP_JOB_TRAIN or HSP_JOB_UPDATE", mode);
    hsp_job *job = hsp_alloc_zero(1, sizeof *job);
    if (!job) return hsp_fail_memory(err);
    int status = hsp_options_copy(o, &job->options, err);
    if (!status && init_lock(job)) status = hsp_fail_memory(err);
    if (status) {
        hsp_options_free(job->options);
        hsp_free(job);
        return status;
    }
    job->data = data;
    job->mode = mode;
    job->start = start;
    job->process = getpid();
    set_hooks(job, hooks);
    start_thread(job);
    *out = job;
    return HSP_OK;
}

/* A forked child has no thread of the job, and a lock in an unknown state. */
static bool is_lost(const hsp_job *job) {
    return !atomic_load(&job->ended) && job->process != getpid();
}

/* Waits until the time on the monotonic clock; INFINITY: to the end. True: the job has ended. */
static bool wait_until(hsp_job *job, double time) {
    int late = 0;
    struct timespec at = {0};
    if (time < INFINITY) at = (struct timespec){(time_t)floor(time), (long)((time - floor(time)) * 1e9)};
    pthread_mutex_lock(&job->lock);
    while (!atomic_load(&job->ended) && !late)
        late = time < INFINITY ? pthread_cond_timedwait(&job->change, &job->lock, &at)
                               : pthread_cond_wait(&job->change, &job->lock);
    bool ended = atomic_load(&job->ended);
    pthread_mutex_unlock(&job->lock);
    return ended;
}

int hsp_job_step(hsp_job *job, double seconds) {
    static const double LONG = 1e9; /* seconds: 30 years */
    if (atomic_load(&job->ended) || is_lost(job)) return 1;
    if (!job->threaded) {
        run_job(job);
        return 1;
    }
    return wait_until(job, seconds >= 0 && seconds < LONG ? hsp_clock_seconds() + seconds : INFINITY);
}

void hsp_job_cancel(hsp_job *job) {
    hsp_cancel_request(&job->scope);
}

int hsp_job_progress(hsp_job *job, hsp_progress *out) {
    enum { LEAST = offsetof(hsp_progress, step) + sizeof(double) };
    if (out->size < LEAST) return HSP_EUSAGE;
    if (is_lost(job)) return 1;
    pthread_mutex_lock(&job->lock);
    bool fresh = job->fresh;
    job->fresh = false;
    hsp_progress line = job->line;
    char *label = job->shown; /* the buffers change places */
    int64_t room = job->shown_room;
    if (fresh) {
        job->shown = job->label;
        job->shown_room = job->label_room;
        job->label = label;
        job->label_room = room;
    }
    pthread_mutex_unlock(&job->lock);
    if (!fresh) return 1;
    line.size = out->size < sizeof line ? out->size : sizeof line;
    memcpy(out, &line, line.size);
    return 0;
}

static void join_thread(hsp_job *job) {
    if (!job->threaded || job->joined || job->process != getpid()) return;
    pthread_join(job->thread, NULL);
    job->joined = true;
}

int hsp_job_result(hsp_job *job, hsp_model **model, hsp_report **report, hsp_error **err) {
    *model = NULL;
    if (report) *report = NULL;
    hsp_job_step(job, -1);
    if (is_lost(job))
        return hsp_fail(err, HSP_EUSAGE, "the job was running when this process was forked: start it in this process");
    if (job->taken) return hsp_fail(err, HSP_EUSAGE, "the result of the job has been taken: take it once");
    join_thread(job);
    job->taken = true;
    *model = job->model;
    job->model = NULL;
    if (report) {
        *report = job->report;
        job->report = NULL;
    }
    if (job->status) hsp_error_pass(err, job->error);
    job->error = NULL;
    return job->status;
}

/* What a lost thread may have been changing is left alone. */
void hsp_job_free(hsp_job *job) {
    if (!job || is_lost(job)) return;
    hsp_job_cancel(job);
    if (job->threaded) hsp_job_step(job, -1);
    join_thread(job);
    hsp_model_free(job->model);
    hsp_report_free(job->report);
    hsp_error_free(job->error);
    pthread_cond_destroy(&job->change);
    pthread_mutex_destroy(&job->lock);
    hsp_options_free(job->options);
    HSP_FREE(job->label, job->shown, job);
}
