#include "study/study.h"

const hsp_study_entry *const hsp_study_table[] = {
    &hsp_study_scores,
    &hsp_study_projection,
    &hsp_study_roc,
    &hsp_study_pr,
    &hsp_study_calibration,
    &hsp_study_confusion,
    &hsp_study_residuals,
    &hsp_study_plane,
    &hsp_study_regions,
    &hsp_study_losses,
    &hsp_study_descent,
    &hsp_study_lambda,
    &hsp_study_bias_variance,
    &hsp_study_learning_curve,
    &hsp_study_path,
    NULL,
};
