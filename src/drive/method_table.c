#include "drive/method.h"

#include <stddef.h>

const hsp_drive_method hsp_drive_methods[] = {{"logistic", hsp_drive_fit_logistic},
                                              {"svm", hsp_drive_fit_svm},
                                              {"ridge", hsp_drive_fit_ridge},
                                              {"least-squares", hsp_drive_fit_least_squares},
                                              {"nearest-mean", hsp_drive_fit_means},
                                              {"lda", hsp_drive_fit_lda},
                                              {"fisher", hsp_drive_fit_fisher},
                                              {NULL, NULL}};
