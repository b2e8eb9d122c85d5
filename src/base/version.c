/* The version of the library that is loaded, which may differ from the header's, and how it was built. */
#include "base/json.h"
#include "halfspace.h"
#include "halfspace_internal.h"

#include <stdio.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#ifdef __clang__
#define COMPILER __VERSION__ /* begins with its name */
#else
#define COMPILER "gcc " __VERSION__
#endif

const char *hsp_version(void) {
    return HSP_VERSION;
}

int hsp_version_number(void) {
    return HSP_VERSION_NUMBER;
}

int hsp_build_report(hsp_report **out, hsp_error **err) {
    char xxhash[48];
    unsigned number = XXH_versionNumber();
    snprintf(xxhash, sizeof xxhash, "%u.%u.%u", number / 10000, number / 100 % 100, number % 100);
    const char *const libraries[][2] = {{"zlib", zlibVersion()},
                                        {"zstd", ZSTD_versionString()},
                                        {"xxhash", xxhash}};
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_object(&j, "build");
    hsp_json_string(&j, "compiler", COMPILER);
#ifdef __OPTIMIZE__
    hsp_json_bool(&j, "optimised", true);
#else
    hsp_json_bool(&j, "optimised", false);
#endif
    hsp_json_object_end(&j);
    hsp_json_object(&j, "libraries");
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) hsp_json_string(&j, libraries[i][0], libraries[i][1]);
    hsp_json_object_end(&j);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}
