#include "plot_library.h"
#include "arguments.h"
#include "fail.h"

#include <dlfcn.h>
#include <string.h>

static const char library_name[] = "libhalfspace_plot.so.0";

bool hsp_cli_plot_library_exists(void) {
    return dlopen(library_name, RTLD_NOW) != NULL;
}

int hsp_cli_plot_library_open(const char *out, hsp_cli_plot_library *l) {
    void *handle = dlopen(library_name, RTLD_NOW);
    const struct {
        const char *name;
        void **function;
    } wanted[] = {
        {"hsp_figure_new", (void **)&l->figure_new},
        {"hsp_figure_add_model_data", (void **)&l->figure_add_model_data},
        {"hsp_figure_set_data", (void **)&l->figure_set_data},
        {"hsp_figure_add_trace", (void **)&l->figure_add_trace},
        {"hsp_figure_draw", (void **)&l->figure_draw},
        {"hsp_figure_report", (void **)&l->figure_report},
        {"hsp_figure_free", (void **)&l->figure_free},
        {"hsp_plot_list", (void **)&l->list},
        {"hsp_film", (void **)&l->film},
    };
    bool whole = handle != NULL;
    for (size_t i = 0; whole && i < sizeof wanted / sizeof wanted[0]; i++) {
        *wanted[i].function = dlsym(handle, wanted[i].name);
        whole = *wanted[i].function != NULL;
    }
    if (whole) return 0;
    return hsp_cli_fail(HSP_EXIT_USAGE, "%s: cannot draw without libhalfspace_plot: build it with Cairo and Pango", out);
}

int hsp_cli_plot_plane(const hsp_cli_call *call) {
    static const char *const known[] = {"auto", "lda", "pca"};
    const char *project = hsp_cli_value(call, "project");
    hsp_error *err = NULL;
    if (!project) return 0;
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) found = found || strcmp(project, known[i]) == 0;
    if (!found) return hsp_cli_fail(HSP_EXIT_USAGE, "--project cannot be '%s': choose auto, lda or pca", project);
    return hsp_options_set(call->options, "plane", project, &err) ? hsp_cli_report_error(&err) : 0;
}
