/* Packs rows of a design into panels: decoded, transformed, centred; sparse rows become dense. */
#ifndef HSP_DESIGN_FEED_H
#define HSP_DESIGN_FEED_H

#include "design/design.h"
#include "kernel/level.h"

/* For columns `from` to `from + q.d` - 1. All pointers are borrowed. */
typedef struct hsp_feed {
    const hsp_design *D;
    const hsp_level *level;
    int64_t from;
    const double *centres; /* groups x d, or NULL */
    const int32_t *group;  /* of each row; NULL: 0 */
    hsp_decode q;
} hsp_feed;

hsp_feed hsp_feed_new(const hsp_design *D, int64_t from, int64_t columns, const double *centres, const int32_t *group);
/* Numbers of scratch, 0 for dense rows. hsp_feed_prepare initialises it; packing only reads it, so threads may share it. */
int64_t hsp_feed_scratch(const hsp_feed *f);
void hsp_feed_prepare(const hsp_feed *f, double *scratch);
/* Packs row i into panels `step` apart (level.h), and c times it to `weighted` unless NULL. */
void hsp_feed_row(const hsp_feed *f, int64_t i, int64_t step, double *out, double c, double *weighted,
                  const double *scratch);
/* The same of `count` rows from `from` on; c: a weight for each row of the design, NULL without `weighted`. */
void hsp_feed_rows(const hsp_feed *f, int64_t from, int64_t count, int64_t step, double *out, const double *c, double *weighted,
                   const double *scratch);
/* Dense rows before they are centred: `count` rows from `from` on, q.d transformed numbers each, step apart in the tile. */
void hsp_feed_decode(const hsp_feed *f, int64_t from, int64_t count, double *tile, int64_t step);
/* The dense rows that a tile of HSP_FEED_TILE numbers holds; 0: sparse rows, rows with centres of their own, or too long. */
enum { HSP_FEED_TILE = 4096 };
int64_t hsp_feed_room(const hsp_feed *f);

/* Dense rows of floats or doubles that kernels transform on the way (level.h). False: other rows. */
bool hsp_feed_moved(const hsp_design *D, hsp_moved_rows *out);
/* Dense rows of any coding as such kernels see them, with the same bits: `count` rows from `from` on, as they are stored
 * (*rows becomes what hsp_feed_moved says), or decoded into the tile of count x d numbers. */
const void *hsp_feed_as_stored(const hsp_feed *f, int64_t from, int64_t count, double *tile, hsp_moved_rows *rows);
/* Whether those kernels can take the rows, as they are stored or decoded. */
bool hsp_feed_movable(const hsp_design *D);

#endif
