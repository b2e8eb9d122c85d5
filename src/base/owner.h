/* The owner of memory that is borrowed: a mapped file, or a caller of the library. Reference-counted; threads may share it. */
#ifndef HSP_BASE_OWNER_H
#define HSP_BASE_OWNER_H

typedef struct hsp_owner hsp_owner;

/* Calls release(user) when the last reference is dropped. NULL: out of memory, and release was not called. */
hsp_owner *hsp_owner_new(void (*release)(void *user), void *user);
/* Adds a reference, to be dropped as well. Returns o; NULL is allowed. */
hsp_owner *hsp_owner_share(hsp_owner *o);
void hsp_owner_drop(hsp_owner *o); /* NULL is allowed */

#endif
