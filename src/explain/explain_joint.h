/* svm with --multiclass crammer-singer: all classes in one problem. */
#ifndef HSP_EXPLAIN_EXPLAIN_JOINT_H
#define HSP_EXPLAIN_EXPLAIN_JOINT_H

#include "explain/derivation.h"
#include "halfspace.h"

int hsp_explain_joint(hsp_derivation *v, hsp_error **err);

#endif
