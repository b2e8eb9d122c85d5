/* What the control groups of this process (a container's, a job scheduler's) allow it. */
#ifndef HSP_BASE_CGROUP_H
#define HSP_BASE_CGROUP_H

#include <stdint.h>

typedef enum hsp_cgroup_kind { HSP_CGROUP_MEMORY, HSP_CGROUP_CORES } hsp_cgroup_kind;

/* Bytes, or cores (a part of one counts as one); INT64_MAX when nothing is limited. */
int64_t hsp_cgroup_limit(hsp_cgroup_kind kind);
/* The same for the text of a /proc/PID/cgroup and the folder where control groups are mounted. */
int64_t hsp_cgroup_limit_in(hsp_cgroup_kind kind, const char *groups, const char *root);

#endif
