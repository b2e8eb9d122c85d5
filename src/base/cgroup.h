/* Limits that control groups (of a container or a job scheduler) set for this process. */
#ifndef HSP_BASE_CGROUP_H
#define HSP_BASE_CGROUP_H

#include <stdint.h>

typedef enum hsp_cgroup_kind { HSP_CGROUP_MEMORY, HSP_CGROUP_CORES } hsp_cgroup_kind;

/* Bytes, or cores rounded up; INT64_MAX: no limit. A change is noticed within a second. */
int64_t hsp_cgroup_limit(hsp_cgroup_kind kind);
/* The same from the text of a /proc/PID/cgroup and the folder where control groups are mounted. */
int64_t hsp_cgroup_limit_in(hsp_cgroup_kind kind, const char *groups, const char *root);

#endif
