/* Any bytes as options, one on each line: name=value. An option is set and reads back, or refused in one line; names that
 * are not options are refused. */
#include "option/options.h"
#include "require.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void set_line(hsp_options *o, char *line) {
    hsp_error *err = NULL;
    char *equals = strchr(line, '=');
    if (equals) *equals = '\0';
    const char *value = equals ? equals + 1 : "yes";
    bool known = hsp_option_find(line) != NULL;
    int status = hsp_options_set(o, line, value, &err);
    REQUIRE((status == 0) == (err == NULL) && (status == 0 || status == HSP_EUSAGE));
    REQUIRE(status != 0 || known);
    if (err) REQUIRE(hsp_error_message(err)[0] && !strchr(hsp_error_message(err), '\n'));
    hsp_error_free(err);
    if (status == 0) REQUIRE(hsp_options_given(o, line) == 1 && hsp_options_text(o, line) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    hsp_options *o = NULL;
    char *text = malloc(size + 1);
    REQUIRE(text && hsp_options_new(&o, NULL) == 0);
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = text; line;) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        set_line(o, line);
        line = end ? end + 1 : NULL;
    }
    hsp_options_free(o);
    free(text);
    return 0;
}
