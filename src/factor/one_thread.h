/* Runs LAPACK on one thread, because threaded BLAS gives other bits for another number of threads. */
#ifndef HSP_FACTOR_ONE_THREAD_H
#define HSP_FACTOR_ONE_THREAD_H

/* To be called around every call of LAPACK. The end of the last concurrent call restores the setting of the process. */
void hsp_one_thread_begin(void);
void hsp_one_thread_end(void);

#endif
