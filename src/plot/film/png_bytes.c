#include "plot/film/png_bytes.h"

#include <string.h>
#include <zlib.h>

/* Levels of compression: for a film in one file, and, in half the time, for the many large files of a folder. */
enum { SMALL = 6, QUICK = 3, SIXTEEN_BIT_MOST = 65535 };

void hsp_png_work_clear(hsp_png_work *w) {
    HSP_FREE(w->file.data, w->image.data, w->raw.data);
    *w = (hsp_png_work){0};
}

static void put_32(unsigned char *to, uint32_t v) {
    for (int i = 0; i < 4; i++) to[i] = (unsigned char)(v >> (24 - 8 * i));
}

static void put_16(unsigned char *to, int v) {
    to[0] = (unsigned char)(v >> 8);
    to[1] = (unsigned char)v;
}

/* Appends a chunk whose content is `extra` followed by data. */
static int add_chunk(hsp_bytes *out, const char *type, const unsigned char *extra, int64_t extras,
                     const unsigned char *data, int64_t n) {
    unsigned char head[8], tail[4];
    put_32(head, (uint32_t)(extras + n));
    memcpy(head + 4, type, 4);
    uLong crc = crc32_z(0, head + 4, 4);
    if (extras > 0) crc = crc32_z(crc, extra, (z_size_t)extras);
    if (n > 0) crc = crc32_z(crc, data, (z_size_t)n);
    put_32(tail, (uint32_t)crc);
    int status = hsp_bytes_add(out, head, 8);
    if (!status) status = hsp_bytes_add(out, extra, extras);
    if (!status) status = hsp_bytes_add(out, data, n);
    return status ? status : hsp_bytes_add(out, tail, 4);
}

int hsp_png_begin(hsp_bytes *out, int width, int height, bool alpha) {
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    unsigned char head[13] = {[8] = 8, [9] = alpha ? 6 : 2};
    put_32(head, (uint32_t)width);
    put_32(head + 4, (uint32_t)height);
    int status = hsp_bytes_add(out, signature, sizeof signature);
    return status ? status : add_chunk(out, "IHDR", head, sizeof head, NULL, 0);
}

int hsp_png_end(hsp_bytes *out) {
    return add_chunk(out, "IEND", NULL, 0, NULL, 0);
}

int hsp_png_animation(hsp_bytes *out, int64_t frames) {
    unsigned char body[8] = {0};
    put_32(body, (uint32_t)frames);
    return add_chunk(out, "acTL", body, sizeof body, NULL, 0);
}

int hsp_png_frame(hsp_bytes *out, uint32_t *sequence, hsp_patch at, int hundredths, bool over) {
    unsigned char body[26] = {0};
    put_32(body, (*sequence)++);
    put_32(body + 4, (uint32_t)at.w);
    put_32(body + 8, (uint32_t)at.h);
    put_32(body + 12, (uint32_t)at.x);
    put_32(body + 16, (uint32_t)at.y);
    put_16(body + 20, hundredths < SIXTEEN_BIT_MOST ? hundredths : SIXTEEN_BIT_MOST);
    put_16(body + 22, 100);
    body[25] = over ? 1 : 0; /* body[24], dispose, is 0: the frame stays for the next */
    return add_chunk(out, "fcTL", body, sizeof body, NULL, 0);
}

int hsp_png_image(hsp_bytes *out, const hsp_bytes *data) {
    return add_chunk(out, "IDAT", NULL, 0, data->data, data->size);
}

int hsp_png_later_image(hsp_bytes *out, uint32_t *sequence, const hsp_bytes *data) {
    unsigned char number[4];
    put_32(number, (*sequence)++);
    return add_chunk(out, "fdAT", number, sizeof number, data->data, data->size);
}

/* Rows without a filter: large flat areas compress better without. */
static void fill_raw(unsigned char *to, const hsp_colour *pixel, const hsp_colour *before, int width, hsp_patch at,
                     bool alpha) {
    for (int y = at.y; y < at.y + at.h; y++) {
        *to++ = 0;
        for (int64_t i = (int64_t)y * width + at.x, end = i + at.w; i < end; i++) {
            bool same = before && before[i] == pixel[i];
            *to++ = same ? 0 : (unsigned char)(pixel[i] >> 16);
            *to++ = same ? 0 : (unsigned char)(pixel[i] >> 8);
            *to++ = same ? 0 : (unsigned char)pixel[i];
            if (alpha) *to++ = same ? 0 : 255;
        }
    }
}

int hsp_png_compress(hsp_bytes *out, hsp_bytes *raw, const hsp_colour *pixel, const hsp_colour *before, int width,
                     hsp_patch at, bool alpha) {
    int64_t size = (int64_t)at.h * (1 + (alpha ? 4 : 3) * (int64_t)at.w);
    uLong most = compressBound((uLong)size);
    if (hsp_reserve((void **)&raw->data, &raw->capacity, size, 1)) return HSP_EMEMORY;
    if (hsp_reserve((void **)&out->data, &out->capacity, (int64_t)most, 1)) return HSP_EMEMORY;
    fill_raw(raw->data, pixel, before, width, at, alpha);
    if (compress2(out->data, &most, raw->data, (uLong)size, alpha ? SMALL : QUICK) != Z_OK) return HSP_EMEMORY;
    out->size = (int64_t)most;
    return HSP_OK;
}
