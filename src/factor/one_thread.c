/* The number of threads of OpenBLAS belongs to the process, and the process may not be ours: it is borrowed, counted, and
 * given back. One that was built without threads does not expect to be called by two of them, which would share its
 * buffers: then only one is let in. Other libraries under the name of BLAS have no such functions, hence the weak
 * references. */
#include "factor/one_thread.h"

#include <pthread.h>
#include <stdbool.h>

extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_parallel(void) __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, alone = PTHREAD_MUTEX_INITIALIZER;
static int inside, before;

static bool bears_threads(void) {
    return !openblas_get_parallel || openblas_get_parallel() != 0;
}

void hsp_one_thread_begin(void) {
    if (!bears_threads()) pthread_mutex_lock(&alone);
    if (!openblas_get_num_threads || !openblas_set_num_threads) return;
    pthread_mutex_lock(&lock);
    if (inside++ == 0) {
        before = openblas_get_num_threads();
        if (before != 1) openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&lock);
}

static void give_back(void) {
    if (!openblas_get_num_threads || !openblas_set_num_threads) return;
    pthread_mutex_lock(&lock);
    if (--inside == 0 && before != 1) openblas_set_num_threads(before);
    pthread_mutex_unlock(&lock);
}

void hsp_one_thread_end(void) {
    give_back();
    if (!bears_threads()) pthread_mutex_unlock(&alone);
}
