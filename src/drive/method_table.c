#include "drive/method.h"

const hsp_drive_method hsp_drive_methods[] = {
    {"logistic", hsp_drive_fit_logistic}, {"svm", hsp_drive_fit_svm}, {NULL, NULL}};
