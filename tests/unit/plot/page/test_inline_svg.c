/* Pictures inside a page: colours of both themes, numbers, identifiers. */
#include "plot/page/inline_svg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char written[8192];

/* The content of `light` in a page, with `dark` as its other theme. */
static const char *inlined(const char *light, const char *dark, hsp_page_colours *colours, int64_t figure) {
    hsp_html h = {0};
    const hsp_bytes one = {.data = (unsigned char *)light, .size = (int64_t)strlen(light)},
                    other = {.data = (unsigned char *)dark, .size = (int64_t)strlen(dark)};
    assert_int_equal(hsp_inline_svg(&h, colours, &one, &other, figure), HSP_OK);
    assert_true(h.bytes.size < (int64_t)sizeof written);
    if (h.bytes.size > 0) memcpy(written, h.bytes.data, (size_t)h.bytes.size);
    written[h.bytes.size] = 0;
    hsp_html_clear(&h);
    return written;
}

#define HEAD \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\">\n"

static void test_old_and_new_cairo(void **state) {
    (void)state;
    hsp_page_colours colours = {0};
    static const char old[] =
        HEAD "<defs>\n<g>\n<symbol overflow=\"visible\" id=\"glyph0-1\">\n<path style=\"stroke:none;\" "
             "d=\"M 0.671875 0 L 1.005 -2.5 Z \"/>\n</symbol>\n</g>\n</defs>\n<g id=\"surface7\">\n"
             "<use xlink:href=\"#glyph0-1\" x=\"32\" y=\"50.404\"/>\n"
             "<path style=\" stroke:none;fill-rule:nonzero;fill:rgb(100%,0%,20%);fill-opacity:1;\" d=\"M 1 2\"/>\n"
             "</g>\n</svg>\n";
    static const char dark[] = HEAD "<path style=\"fill:rgb(0%,100%,20%)\"/></svg>";
    assert_string_equal(
        inlined(old, dark, &colours, 3),
        "<defs><g><symbol overflow=\"visible\" id=\"f3-0\"><path style=\"stroke:none\" "
        "d=\"M0.67 0L1 -2.5Z\"/></symbol></g></defs><g id=\"f3-1\"><use href=\"#f3-0\" x=\"32\" y=\"50.4\"/>"
        "<path style=\"stroke:none;fill:var(--k0)\" d=\"M1 2\"/></g>");
    assert_true(colours.count == 1 && colours.light[0] == 0xFF0033 && colours.dark[0] == 0x00FF33);
    static const char new[] = HEAD "<g fill=\"rgb(100%, 0%, 20%)\" fill-opacity=\"1\" clip-path=\"url(#clip-0)\"></g>\n"
                                   "<path fill-rule=\"nonzero\" stroke=\"rgb(0%, 0%, 0%)\" stroke-width=\"1.25\" "
                                   "transform=\"matrix(1, 0, 0, 1, 0, 0)\" d=\"M 1.999 -0.001\"/></svg>";
    static const char new_dark[] = HEAD "<g fill=\"rgb(0%, 100%, 20%)\"/><path stroke=\"rgb(0%, 0%, 0%)\"/></svg>";
    assert_string_equal(inlined(new, new_dark, &colours, 4),
                        "<g fill=\"var(--k0)\" clip-path=\"url(#f4-0)\"></g><path stroke=\"#000000\" stroke-width=\"1.25\" "
                        "d=\"M2 0\"/>");
    assert_int_equal(colours.count, 1);
}

/* Another drawing has no colours to offer, and what is no drawing gives nothing. */
static void test_other_files(void **state) {
    (void)state;
    hsp_page_colours colours = {0};
    static const char light[] = HEAD "<path fill=\"rgb(100%,100%,100%)\" d=\"M 1 2 3\"/></svg>";
    assert_string_equal(inlined(light, "", &colours, 1), "<path fill=\"#ffffff\" d=\"M1 2 3\"/>");
    assert_string_equal(inlined(light, light, &colours, 1), "<path fill=\"#ffffff\" d=\"M1 2 3\"/>");
    assert_int_equal(colours.count, 0);
    static const char *const broken[] = {"",
                                         "text",
                                         "<svg",
                                         "<svg>",
                                         HEAD "<path",
                                         HEAD "<path fill",
                                         HEAD "<path fill=",
                                         HEAD "<path fill=\"rgb(",
                                         HEAD "<path fill=\"rgb(1%,2%\"",
                                         HEAD "<path d=\"M 1",
                                         HEAD "<g clip-path=\"url(#a\"/>",
                                         HEAD "<g style=\"fill\"/>",
                                         HEAD "</g"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        for (size_t n = 0; n <= strlen(broken[i]); n++) {
            char part[400];
            snprintf(part, sizeof part, "%.*s", (int)n, broken[i]);
            inlined(part, broken[i], &colours, 1);
        }
}

static void test_colours(void **state) {
    (void)state;
    hsp_page_colours colours = {0};
    hsp_html h = {0};
    for (int64_t k = 0; k < HSP_PAGE_COLOURS; k++) assert_int_equal(hsp_page_colour(&colours, (hsp_colour)k, 0xABCDEF), k);
    assert_int_equal(hsp_page_colour(&colours, 7, 0xABCDEF), 7);
    assert_int_equal(hsp_page_colour(&colours, 0xFFFFFF, 0), -1);
    hsp_page_colour_value(&h, &colours, 0xFFFFFF, 0); /* no room: the light colour */
    hsp_html_raw(&h, " ");
    hsp_page_colour_value(&h, &colours, 5, 0xABCDEF);
    hsp_html_raw_n(&h, "", 1);
    assert_string_equal((char *)h.bytes.data, "#ffffff var(--k5)");
    hsp_html_clear(&h);
    colours.count = 2;
    hsp_page_colours_write(&h, &colours, true);
    hsp_page_colours_write(&h, &colours, false);
    hsp_html_raw_n(&h, "", 1);
    assert_string_equal((char *)h.bytes.data, "--k0:#abcdef;--k1:#abcdef;--k0:#000000;--k1:#000001;");
    hsp_html_clear(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_old_and_new_cairo),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
