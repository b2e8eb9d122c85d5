/* A few colours in place of many: pictures of 256 colours. */
#ifndef HSP_PLOT_FILM_PALETTE_H
#define HSP_PLOT_FILM_PALETTE_H

#include "plot/draw/style.h"

enum { HSP_PALETTE_MOST = 256 };

typedef struct hsp_palette {
    int count;
    hsp_colour colour[HSP_PALETTE_MOST];
    /* colours that were asked for, and their places: a table with open addressing */
    uint32_t *known; /* colour + 1; 0: free */
    uint8_t *place;
    int64_t size, used; /* size: a power of two */
} hsp_palette;

/* At most `most` colours that come near all of the n pixels: by cuts through the box of the colours, where the largest
 * error is (Heckbert 1982). The most frequent ones, flat areas, are kept as they are. 0 or HSP_EMEMORY; clear it in either
 * case. */
int hsp_palette_make(hsp_palette *p, const hsp_colour *pixel, int64_t n, int most);
void hsp_palette_clear(hsp_palette *p);
/* The place of the nearest colour. */
int hsp_palette_place(hsp_palette *p, hsp_colour colour);

#endif
