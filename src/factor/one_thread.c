/* OpenBLAS's number of threads is a setting of the whole process, so it is restored, with a count of the callers inside. An
 * OpenBLAS built without threads shares its buffers between calling threads, so then only one may call at a time. Other BLAS
 * libraries lack these functions: hence the weak references. */
#include "factor/one_thread.h"

#include <pthread.h>
#include <stdbool.h>

extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_parallel(void) __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, alone = PTHREAD_MUTEX_INITIALIZER;
static int inside, before;

static bool is_thread_safe(void) {
    return !openblas_get_parallel || openblas_get_parallel() != 0;
}

static bool has_setting(void) {
    return openblas_get_num_threads && openblas_set_num_threads;
}

void hsp_one_thread_begin(void) {
    if (!is_thread_safe()) pthread_mutex_lock(&alone);
    if (!has_setting()) return;
    pthread_mutex_lock(&lock);
    if (inside++ == 0) {
        before = openblas_get_num_threads();
        if (before != 1) openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&lock);
}

void hsp_one_thread_end(void) {
    if (has_setting()) {
        pthread_mutex_lock(&lock);
        if (--inside == 0 && before != 1) openblas_set_num_threads(before);
        pthread_mutex_unlock(&lock);
    }
    if (!is_thread_safe()) pthread_mutex_unlock(&alone);
}
