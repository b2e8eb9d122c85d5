/* LAPACK on one thread: a BLAS that runs on several gives other bits for other numbers of threads. */
#ifndef HSP_FACTOR_ONE_THREAD_H
#define HSP_FACTOR_ONE_THREAD_H

/* Around every call of LAPACK. What the process had set before is in force again when the last of all callers is out. */
void hsp_one_thread_begin(void);
void hsp_one_thread_end(void);

#endif
