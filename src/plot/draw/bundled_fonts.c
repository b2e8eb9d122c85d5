/* The fonts of the Python wheel, in halfspace/fonts beside this library's folder: plots look the same on systems without them.
 * Fontconfig knows them as soon as the library is loaded, before any thread draws. */
#include <dlfcn.h>
#include <fontconfig/fontconfig.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* FOLDER/libhalfspace_plot.so -> FOLDER/../halfspace/fonts; false if it does not fit. */
static bool find_fonts(char *out, size_t size) {
    static const char below[] = "../halfspace/fonts";
    Dl_info here;
    const char *slash = dladdr(below, &here) && here.dli_fname ? strrchr(here.dli_fname, '/') : NULL;
    if (!slash) return false;
    int n = snprintf(out, size, "%.*s/%s", (int)(slash - here.dli_fname), here.dli_fname, below);
    return n > 0 && (size_t)n < size;
}

/* Reads the set-up of the wheel, for a system that has none. */
static void read_own_setup(FcConfig *config, const char *folder) {
    char path[4096 + 16];
    snprintf(path, sizeof path, "%s/fonts.conf", folder);
    if (FcConfigParseAndLoad(config, (const FcChar8 *)path, FcTrue)) FcConfigSetCurrent(config);
}

/* Whether the system has a set-up is asked through a configuration of our own: without one, Fontconfig would read that of the
 * system, and print a warning when there is none. */
__attribute__((constructor)) static void add_bundled_fonts(void) {
    char folder[4096];
    FcConfig *config = find_fonts(folder, sizeof folder) ? FcConfigCreate() : NULL;
    if (!config) return;
    FcChar8 *setup = FcConfigGetFilename(config, NULL);
    if (setup)
        FcConfigAppFontAddDir(NULL, (const FcChar8 *)folder);
    else
        read_own_setup(config, folder);
    if (setup) FcStrFree(setup);
    FcConfigDestroy(config);
}
