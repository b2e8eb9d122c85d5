/* The palette of a picture of at most 256 colours. */
#ifndef HSP_PLOT_FILM_PALETTE_H
#define HSP_PLOT_FILM_PALETTE_H

#include "plot/draw/style.h"

enum { HSP_PALETTE_MOST = 256 };

typedef struct hsp_palette {
    int count;
    hsp_colour colour[HSP_PALETTE_MOST];
    /* hash table with open addressing of the colours that were looked up, and their entries */
    uint32_t *known;    /* owned: colour + 1; 0: free */
    uint8_t *place;     /* owned */
    int64_t size, used; /* size: a power of two */
} hsp_palette;

/* Chooses at most `most` colours that approximate those of n pixels: cuts the box of all colours again and again where the
 * error is largest (Heckbert 1982). The most frequent colours, of flat areas, are kept exactly. 0 or HSP_EMEMORY; clear it in
 * either case. */
int hsp_palette_make(hsp_palette *p, const hsp_colour *pixel, int64_t n, int most);
void hsp_palette_clear(hsp_palette *p);
/* The entry of the nearest colour. */
int hsp_palette_place(hsp_palette *p, hsp_colour colour);

#endif
