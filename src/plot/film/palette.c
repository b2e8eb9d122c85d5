#include "plot/film/palette.h"

#include "plot/draw/picture_bytes.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST_SIZE = 1 << 12, FLAT_SHARE = 2000 }; /* a colour of at least 1/2000 of the pixels is kept exactly */

typedef struct shade {
    hsp_colour colour;
    int64_t count;
} shade;

static int channel(hsp_colour c, int axis) {
    return (int)(c >> (16 - 8 * axis) & 255);
}

static uint64_t hash_colour(hsp_colour c) {
    return (c + 1) * UINT64_C(0x9E3779B97F4A7C15) >> 24;
}

/* ---- which colours there are ---- */

static int by_colour(const void *a, const void *b) {
    hsp_colour x = ((const shade *)a)->colour, y = ((const shade *)b)->colour;
    return (x > y) - (x < y);
}

/* The different colours of n pixels with their counts, the caller's to free; NULL: no memory. Neighbours are mostly equal, so
 * runs are sorted, not pixels. */
static shade *count_shades(const hsp_colour *pixel, int64_t n, int64_t *count) {
    int64_t runs = 0, kept = 0;
    for (int64_t i = 0; i < n; i++) runs += i == 0 || pixel[i] != pixel[i - 1];
    shade *s = hsp_alloc_zero(runs, sizeof *s);
    if (!s) return NULL;
    runs = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || pixel[i] != pixel[i - 1]) s[runs++].colour = pixel[i];
        s[runs - 1].count++;
    }
    qsort(s, (size_t)runs, sizeof *s, by_colour);
    for (int64_t i = 0; i < runs; i++) {
        if (kept > 0 && s[kept - 1].colour == s[i].colour)
            s[kept - 1].count += s[i].count;
        else
            s[kept++] = s[i];
    }
    *count = kept;
    return s;
}

/* ---- cuts ---- */

typedef struct box {
    int64_t begin, end; /* of the shades */
    int axis;           /* along which it is cut */
    double error;       /* the sum of squared errors along it, which a cut reduces */
} box;

/* The square root of the number of pixels: the few pixels of an edge count beside a flat area. */
static double weight_of_shade(const shade *s) {
    return sqrt((double)s->count);
}

static void measure_box(const shade *s, box *b) {
    b->error = 0;
    for (int axis = 0; axis < 3; axis++) {
        double sum = 0, square = 0, total = 0;
        for (int64_t i = b->begin; i < b->end; i++) {
            double w = weight_of_shade(&s[i]), v = channel(s[i].colour, axis);
            total += w;
            sum += w * v;
            square += w * v * v;
        }
        double error = total > 0 ? square - sum * sum / total : 0;
        if (error <= b->error) continue;
        b->error = error;
        b->axis = axis;
    }
}

static hsp_colour mean_of(const shade *s, const box *b) {
    double total = 0;
    double sum[3] = {0};
    for (int64_t i = b->begin; i < b->end; i++) {
        double w = weight_of_shade(&s[i]);
        total += w;
        for (int axis = 0; axis < 3; axis++) sum[axis] += w * channel(s[i].colour, axis);
    }
    hsp_colour mean = 0;
    for (int axis = 0; axis < 3; axis++) mean = mean << 8 | (hsp_colour)(sum[axis] / total + 0.5);
    return mean;
}

/* Moves shades below the mean of the axis to the front. Returns where the second part begins; neither part is empty. */
static int64_t split_box(shade *s, const box *b) {
    double total = 0, sum = 0;
    for (int64_t i = b->begin; i < b->end; i++) {
        total += weight_of_shade(&s[i]);
        sum += weight_of_shade(&s[i]) * channel(s[i].colour, b->axis);
    }
    int64_t at = b->begin;
    for (int64_t i = b->begin; i < b->end; i++) {
        if (channel(s[i].colour, b->axis) >= sum / total) continue;
        shade moved = s[i];
        s[i] = s[at];
        s[at++] = moved;
    }
    return at > b->begin && at < b->end ? at : b->begin + (b->end - b->begin) / 2;
}

/* Cuts the box of all shades into at most `most`; returns their number. */
static int cut_into_boxes(shade *s, int64_t n, int most, box *boxes) {
    int count = 0;
    if (n < 1 || most < 1) return 0;
    boxes[count++] = (box){0, n, 0, 0};
    measure_box(s, &boxes[0]);
    while (count < most) {
        int worst = 0;
        for (int k = 1; k < count; k++)
            if (boxes[k].error > boxes[worst].error) worst = k;
        box *b = &boxes[worst], *rest = &boxes[count];
        if (!(b->error > 0)) break;
        *rest = *b;
        rest->begin = b->end = split_box(s, b);
        measure_box(s, b);
        measure_box(s, rest);
        count++;
    }
    return count;
}

int hsp_palette_make(hsp_palette *p, const hsp_colour *pixel, int64_t n, int most) {
    box boxes[HSP_PALETTE_MOST];
    int64_t count = 0;
    *p = (hsp_palette){.size = FIRST_SIZE};
    shade *s = count_shades(pixel, n, &count);
    p->known = hsp_alloc_zero(p->size, sizeof *p->known);
    p->place = hsp_alloc_zero(p->size, sizeof *p->place);
    if (!s || !p->known || !p->place) {
        hsp_free(s);
        return HSP_EMEMORY;
    }
    /* Move the colours of flat areas to the front, at most half a palette of them. */
    int64_t flat = 0;
    for (int64_t i = 0; i < count && flat < most / 2; i++) {
        if (s[i].count * FLAT_SHARE < n) continue;
        shade moved = s[flat];
        s[flat++] = s[i];
        s[i] = moved;
    }
    for (int64_t i = 0; i < flat; i++) p->colour[p->count++] = s[i].colour;
    int cuts = cut_into_boxes(s + flat, count - flat, most - p->count, boxes);
    for (int k = 0; k < cuts; k++) p->colour[p->count++] = mean_of(s + flat, &boxes[k]);
    hsp_free(s);
    return HSP_OK;
}

void hsp_palette_clear(hsp_palette *p) {
    HSP_FREE(p->known, p->place);
}

/* ---- places ---- */

static int nearest(const hsp_palette *p, hsp_colour colour) {
    int best = 0, least = INT32_MAX;
    for (int k = 0; k < p->count; k++) {
        int distance = 0;
        for (int axis = 0; axis < 3; axis++) {
            int d = channel(colour, axis) - channel(p->colour[k], axis);
            distance += d * d;
        }
        if (distance >= least) continue;
        least = distance;
        best = k;
    }
    return best;
}

/* Doubles the table. Without memory it stays as it is, and further colours are searched for every time. */
static void grow_table(hsp_palette *p) {
    int64_t size = 2 * p->size;
    uint32_t *known = hsp_alloc_zero(size, sizeof *known);
    uint8_t *place = hsp_alloc_zero(size, sizeof *place);
    if (!known || !place) {
        HSP_FREE(known, place);
        return;
    }
    for (int64_t i = 0; i < p->size; i++) {
        if (!p->known[i]) continue;
        uint64_t k = hash_colour(p->known[i] - 1) & (uint64_t)(size - 1);
        while (known[k]) k = (k + 1) & (uint64_t)(size - 1);
        known[k] = p->known[i];
        place[k] = p->place[i];
    }
    HSP_FREE(p->known, p->place);
    p->known = known;
    p->place = place;
    p->size = size;
}

int hsp_palette_place(hsp_palette *p, hsp_colour colour) {
    uint64_t mask = (uint64_t)p->size - 1, k = hash_colour(colour) & mask;
    for (; p->known[k]; k = (k + 1) & mask)
        if (p->known[k] == colour + 1) return p->place[k];
    int place = nearest(p, colour);
    if (2 * p->used >= p->size) return place;
    p->known[k] = colour + 1;
    p->place[k] = (uint8_t)place;
    if (2 * ++p->used >= p->size) grow_table(p);
    return place;
}
