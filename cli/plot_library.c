#include "plot_library.h"
#include "arguments.h"
#include "fail.h"
#include "help.h"

#include <dlfcn.h>
#include <string.h>

static bool load_library(hsp_cli_plot_library *l) {
    void *handle = dlopen("libhalfspace_plot.so.0", RTLD_NOW);
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
        {"hsp_plot_page", (void **)&l->page},
    };
    bool whole = handle != NULL;
    for (size_t i = 0; whole && i < sizeof wanted / sizeof wanted[0]; i++) {
        *wanted[i].function = dlsym(handle, wanted[i].name);
        whole = *wanted[i].function != NULL;
    }
    return whole;
}

int hsp_cli_plot_library_open(const char *out, hsp_cli_plot_library *l) {
    if (load_library(l)) return 0;
    return hsp_cli_fail(HSP_EXIT_USAGE, "%s: cannot draw without libhalfspace_plot: build it with Cairo and Pango", out);
}

bool hsp_cli_plot_library_exists(void) {
    return load_library(&(hsp_cli_plot_library){0});
}

/* The option or group of a chart as help names it: --project in place of --plane, and a group by its title. */
static const char *option_title(const char *word, size_t n) {
    if (n == strlen("--plane") && memcmp(word, "--plane", n) == 0) return "--project";
    for (const hsp_cli_group *g = hsp_cli_groups; g->group; g++)
        if (strlen(g->group) == n && memcmp(g->group, word, n) == 0) return g->title;
    return NULL;
}

/* Appends "; options: --x, Training" to the description. */
static void add_options(const char *options, char *text, size_t size) {
    const char *before = "; options: ";
    for (const char *p = options; p && *p; p += strspn(p, " "), before = ", ") {
        size_t n = strcspn(p, " "), at = strlen(text);
        const char *title = option_title(p, n);
        snprintf(text + at, size - at, "%s%.*s", before, title ? (int)strlen(title) : (int)n, title ? title : p);
        p += n;
    }
}

bool hsp_cli_plot_kind_at(int64_t i, hsp_cli_kind *out) {
    hsp_cli_plot_library library;
    hsp_report *list = NULL;
    if (!load_library(&library) || library.list(&list, NULL)) return false;
    const hsp_report *chart = i < hsp_report_count(list, NULL) ? hsp_report_item(list, NULL, i) : NULL;
    if (chart) {
        snprintf(out->name, sizeof out->name, "%s", hsp_report_text(chart, "name"));
        snprintf(out->operands, sizeof out->operands, "%s", hsp_report_text(chart, "takes"));
        snprintf(out->help, sizeof out->help, "%s", hsp_report_text(chart, "help"));
        add_options(hsp_report_text(chart, "options"), out->help, sizeof out->help);
    }
    hsp_report_free(list);
    return chart != NULL;
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
