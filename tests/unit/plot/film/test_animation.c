/* Encoders of animations, read back by other code: giflib's decoder, and zlib with the chunks parsed here. */
#include "plot/film/animation.h"
#include "plot/film/palette.h"

#include <sys/stat.h>
#include <zlib.h>
#ifdef HSP_HAVE_GIF
#include <gif_lib.h>
#endif

#include "plot/plot_files.h"

enum { W = 37, H = 23, FRAMES = 6 };

/* A disc that moves over stripes; the last two frames are equal. */
static void paint(hsp_colour *pixel, int t) {
    if (t == FRAMES - 1) t--;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int dx = x - 5 * t - 4, dy = y - 8 - t;
            pixel[y * W + x] = dx * dx + dy * dy < 20 ? 0xE07A10 : x % 7 == 0 ? 0x1F6FB4 : y < 2 ? 0x123456 : 0xFFFFFF;
        }
}

static int encode(const hsp_encoder *e, const char *path, hsp_error **err) {
    static hsp_colour sample[FRAMES * W * H];
    for (int t = 0; t < FRAMES; t++) paint(sample + t * W * H, t);
    hsp_animation_plan plan = {path, W, H, FRAMES, sample, FRAMES * W * H};
    void *state = calloc(1, e->state_size);
    assert_non_null(state);
    int code = e->begin(state, &plan, err);
    for (int t = 0; t < FRAMES && code == HSP_OK; t++) {
        const hsp_colour *pixel = sample + t * W * H;
        code = e->frame(state, pixel, t > 0 ? pixel - W * H : NULL, 10 + t, err);
    }
    if (code == HSP_OK) code = e->end(state, err);
    e->free(state);
    free(state);
    return code;
}

/* ---- PNG ---- */

static uint32_t number(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Draws image data over the picture: RGB, or RGBA where transparent pixels change nothing. */
static void lay(hsp_colour *picture, hsp_patch at, const unsigned char *data, uLong n, int channels) {
    uLongf size = (uLongf)(at.h * (1 + channels * at.w));
    unsigned char *raw = malloc(size);
    assert_non_null(raw);
    assert_int_equal(uncompress(raw, &size, data, n), Z_OK);
    assert_int_equal(size, at.h * (1 + channels * at.w));
    const unsigned char *p = raw;
    for (int y = at.y; y < at.y + at.h; y++) {
        assert_int_equal(*p++, 0); /* no filter */
        for (int x = at.x; x < at.x + at.w; x++, p += channels) {
            hsp_colour c = (hsp_colour)p[0] << 16 | (hsp_colour)p[1] << 8 | p[2];
            if (channels == 3 || p[3] == 255)
                picture[y * W + x] = c;
            else
                assert_true(p[3] == 0 && c == 0);
        }
    }
    free(raw);
}

static void test_apng_is_what_was_put_in(void **state) {
    (void)state;
    hsp_colour picture[W * H] = {0}, wanted[W * H];
    size_t n;
    assert_int_equal(encode(&hsp_encoder_apng, in_folder("a.apng"), NULL), 0);
    unsigned char *file = (unsigned char *)contents(in_folder("a.apng"), &n), *p = file + 8;
    assert_memory_equal(file, "\x89PNG\r\n\x1a\n", 8);
    uint32_t sequence = 0;
    int frame = -1;
    hsp_patch at = {0};
    for (; p < file + n; p += 12 + number(p)) {
        uint32_t size = number(p);
        unsigned char *body = p + 8;
        assert_true(p + 12 + size <= file + n);
        assert_int_equal(number(body + size), crc32(0, p + 4, size + 4));
        if (memcmp(p + 4, "acTL", 4) == 0) assert_true(number(body) == FRAMES && number(body + 4) == 0);
        if (memcmp(p + 4, "fcTL", 4) == 0) {
            assert_int_equal(number(body), sequence++);
            at = (hsp_patch){(int)number(body + 12), (int)number(body + 16), (int)number(body + 4), (int)number(body + 8)};
            assert_true(at.w > 0 && at.h > 0 && at.x + at.w <= W && at.y + at.h <= H);
            assert_int_equal(body[20] << 8 | body[21], 10 + ++frame);
            assert_true((body[22] << 8 | body[23]) == 100 && body[24] == 0 && body[25] == (frame > 0));
        }
        bool later = memcmp(p + 4, "fdAT", 4) == 0;
        if (later) assert_int_equal(number(body), sequence++);
        if (!later && memcmp(p + 4, "IDAT", 4) != 0) continue;
        lay(picture, at, body + (later ? 4 : 0), size - (later ? 4 : 0), 4);
        paint(wanted, frame);
        assert_memory_equal(picture, wanted, sizeof wanted);
    }
    assert_true(frame == FRAMES - 1 && p == file + n && memcmp(p - 8, "IEND", 4) == 0);
    free(file);
}

static void test_a_folder_has_every_frame(void **state) {
    (void)state;
    char path[600];
    hsp_colour picture[W * H], wanted[W * H];
    snprintf(path, sizeof path, "%s", in_folder("frames"));
    assert_int_equal(encode(&hsp_encoder_folder, path, NULL), 0);
    for (int t = 0; t < FRAMES; t++) {
        char name[40];
        size_t n;
        snprintf(name, sizeof name, "frames/frame-%04d.png", t + 1);
        unsigned char *file = (unsigned char *)contents(in_folder(name), &n), *data = file + 33; /* signature and IHDR */
        assert_memory_equal(data + 4, "IDAT", 4);
        lay(picture, (hsp_patch){0, 0, W, H}, data + 8, number(data), 3);
        paint(wanted, t);
        assert_memory_equal(picture, wanted, sizeof wanted);
        free(file);
    }
    assert_int_equal(access(in_folder("frames/frame-0007.png"), F_OK), -1);
    assert_int_equal(encode(&hsp_encoder_folder, path, NULL), 0); /* an existing folder */
}

/* ---- GIF ---- */

static void test_gif_is_what_was_put_in(void **state) {
    (void)state;
#ifdef HSP_HAVE_GIF
    hsp_colour picture[W * H] = {0}, wanted[W * H];
    assert_int_equal(encode(&hsp_encoder_gif, in_folder("a.gif"), NULL), 0);
    GifFileType *gif = DGifOpenFileName(in_folder("a.gif"), NULL);
    assert_non_null(gif);
    assert_int_equal(DGifSlurp(gif), GIF_OK);
    assert_true(gif->SWidth == W && gif->SHeight == H && gif->ImageCount == FRAMES);
    for (int t = 0; t < FRAMES; t++) {
        const SavedImage *image = &gif->SavedImages[t];
        const GifImageDesc *d = &image->ImageDesc;
        GraphicsControlBlock control;
        assert_int_equal(DGifSavedExtensionToGCB(gif, t, &control), GIF_OK);
        assert_int_equal(control.DelayTime, 10 + t);
        for (int k = 0; k < d->Width * d->Height; k++) {
            int place = image->RasterBits[k];
            GifColorType c = gif->SColorMap->Colors[place];
            if (place == control.TransparentColor) continue;
            picture[(d->Top + k / d->Width) * W + d->Left + k % d->Width] =
                (hsp_colour)c.Red << 16 | (hsp_colour)c.Green << 8 | c.Blue;
        }
        paint(wanted, t);
        assert_memory_equal(picture, wanted, sizeof wanted); /* few colours: each of them exactly */
    }
    DGifCloseFile(gif, NULL);
#else
    skip();
#endif
}

/* ---- where to, and what cannot be ---- */

static void test_the_path_says_how(void **state) {
    (void)state;
    const struct {
        const char *path;
        const hsp_encoder *encoder;
    } cases[] = {{"a.apng", &hsp_encoder_apng},
                 {"a.PNG", &hsp_encoder_apng},
                 {"x/", &hsp_encoder_folder},
                 {"x", &hsp_encoder_folder},
                 {"a.b/frames", &hsp_encoder_folder},
                 {".", &hsp_encoder_folder},
                 {"..", &hsp_encoder_folder},
                 {"a.mp4", NULL},
                 {"a.gifs", NULL},
                 {"", NULL},
                 {"-", NULL},
                 {".png", NULL},
                 {NULL, NULL},
                 {folder, &hsp_encoder_folder}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const hsp_encoder *found;
        hsp_error *err = NULL;
        int code = hsp_encoder_find(cases[k].path, &found, &err);
        assert_true(found == cases[k].encoder && (code == HSP_OK) == (found != NULL) && (err == NULL) == (found != NULL));
        if (err) assert_true(hsp_error_code(err) == HSP_EUSAGE && strstr(hsp_error_message(err), ": "));
        hsp_error_free(err);
    }
}

static void test_places_that_cannot_be_written(void **state) {
    (void)state;
    const hsp_encoder *all[] = {&hsp_encoder_apng, &hsp_encoder_folder,
#ifdef HSP_HAVE_GIF
                                &hsp_encoder_gif
#endif
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        hsp_error *err = NULL;
        char path[700];
        snprintf(path, sizeof path, "%s/nosuch/deep/a.gif", folder);
        assert_true(encode(all[k], path, &err) != HSP_OK);
        assert_non_null(err);
        hsp_error_free(err);
    }
    assert_int_equal(access(in_folder("nosuch"), F_OK), -1);
}

/* ---- parts ---- */

static void test_a_patch_holds_all_differences_and_no_more(void **state) {
    (void)state;
    uint32_t seed = 3;
    for (int round = 0; round < 300; round++) {
        hsp_colour a[W * H] = {0}, b[W * H] = {0};
        int left = W, right = -1, top = H, bottom = -1;
        for (int k = 0; k < round % 4; k++) {
            seed = seed * 1664525u + 1013904223u;
            int x = (int)(seed >> 8) % W, y = (int)(seed >> 16) % H;
            b[y * W + x] = 1;
            left = x < left ? x : left, right = x > right ? x : right;
            top = y < top ? y : top, bottom = y > bottom ? y : bottom;
        }
        hsp_patch p = hsp_patch_between(a, b, W, H);
        if (right < 0)
            assert_true(p.w == 1 && p.h == 1);
        else
            assert_true(p.x == left && p.y == top && p.w == right - left + 1 && p.h == bottom - top + 1);
    }
}

static int distance(hsp_colour a, hsp_colour b) {
    int sum = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        int d = (int)(a >> shift & 255) - (int)(b >> shift & 255);
        sum += d * d;
    }
    return sum;
}

/* Blends of a few colours, as at edges: each is decoded near itself, and the colours themselves exactly. */
static void test_a_palette_comes_near_all_colours(void **state) {
    (void)state;
    static const hsp_colour flat[] = {0xFFFFFF, 0x1B2430, 0x1F6FB4, 0xE07A10, 0xE9F1F8, 0xFCF2E7};
    static hsp_colour pixel[100000];
    int n = 0;
    for (int t = 0; t < 256; t++)
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < 6; b++) pixel[n++] = hsp_style_mix(flat[a], flat[b], t / 255.0);
    for (; n < 100000; n++) pixel[n] = flat[n % 6];
    hsp_palette p;
    assert_int_equal(hsp_palette_make(&p, pixel, n, 255), 0);
    assert_true(p.count <= 255);
    for (int a = 0; a < 6; a++) assert_int_equal(p.colour[hsp_palette_place(&p, flat[a])], flat[a]);
    for (int k = 0; k < n; k++) {
        int place = hsp_palette_place(&p, pixel[k]);
        assert_true(distance(p.colour[place], pixel[k]) <= 3 * 12 * 12);
        for (int e = 0; k % 97 == 0 && e < p.count; e++)
            assert_true(distance(p.colour[place], pixel[k]) <= distance(p.colour[e], pixel[k]));
    }
    hsp_palette_clear(&p);
    assert_int_equal(hsp_palette_make(&p, flat, 1, 255), 0); /* one pixel */
    assert_true(p.count == 1 && p.colour[0] == flat[0] && hsp_palette_place(&p, 0x123456) == 0);
    hsp_palette_clear(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_apng_is_what_was_put_in),
                                       cmocka_unit_test(test_a_folder_has_every_frame),
                                       cmocka_unit_test(test_gif_is_what_was_put_in),
                                       cmocka_unit_test(test_the_path_says_how),
                                       cmocka_unit_test(test_places_that_cannot_be_written),
                                       cmocka_unit_test(test_a_patch_holds_all_differences_and_no_more),
                                       cmocka_unit_test(test_a_palette_comes_near_all_colours)};
    return cmocka_run_group_tests(tests, make_folder, sweep_folder);
}
