/* A string interner: numbers texts 0, 1, 2, ... in the order in which they are added. Open addressing over one arena. */
#ifndef HSP_BASE_HASH_H
#define HSP_BASE_HASH_H

#include "base/error.h"
#include "halfspace.h"

typedef struct hsp_intern hsp_intern;

int hsp_intern_new(hsp_intern **out, hsp_error **err);
/* The number of the n bytes at s, added when new; a negative status on failure. */
int64_t hsp_intern_add(hsp_intern *t, const char *s, int64_t n, hsp_error **err);
/* -1 when absent. */
int64_t hsp_intern_find(const hsp_intern *t, const char *s, int64_t n);
int64_t hsp_intern_count(const hsp_intern *t);
/* NUL-terminated; valid until the next add. */
const char *hsp_intern_text(const hsp_intern *t, int64_t i);
void hsp_intern_free(hsp_intern *t);

#endif
