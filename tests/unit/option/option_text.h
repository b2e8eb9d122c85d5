/* Options of a test from one line of text. */
#ifndef TESTS_OPTION_TEXT_H
#define TESTS_OPTION_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "option/options.h"

/* From "name=value name=value", where `separator` stands for the blank; NULL or "": none set. */
static inline hsp_options *options_from(const char *text, char separator) {
    const char end[] = {separator, '\0'};
    hsp_options *o = NULL;
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    while (text && *text) {
        size_t n = strcspn(text, "="), m = strcspn(text + n + 1, end);
        char name[64], value[256];
        hsp_error *err = NULL;
        assert_true(n < sizeof name && m < sizeof value && text[n] == '=');
        memcpy(name, text, n);
        name[n] = '\0';
        memcpy(value, text + n + 1, m);
        value[m] = '\0';
        if (hsp_options_set(o, name, value, &err)) fail_msg("%s", hsp_error_message(err));
        text += n + 1 + m;
        text += *text == separator;
    }
    return o;
}

#endif
