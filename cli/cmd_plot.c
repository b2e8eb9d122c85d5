/* halfspace plot: pictures. Their library, and Cairo with it, is loaded here and nowhere else: no other command waits for
 * it, and the program runs where it is not installed. */
#include "arguments.h"
#include "fail.h"
#include "output.h"
#include "reading.h"

#include "halfspace_plot.h"

#include <dlfcn.h>

typedef __typeof__(&hsp_plot) plot_function;

static void print_result(const hsp_cli_call *call, const hsp_cli_source *source, const char *out, double drawn) {
    if (call->json) {
        static const char *const keys[] = {"rows", "assumed", NULL};
        json_t *object = json_object();
        json_object_set_new(object, "kind", hsp_cli_json_text(call->operand[0]));
        hsp_cli_json_copy(object, source->tree, keys);
        hsp_cli_source_report(source, object, "draw", drawn);
        json_object_set_new(object, "output", hsp_cli_json_text(out));
        hsp_cli_json_say(object);
        json_decref(object);
    }
    if (call->quiet || (call->json && !call->verbose)) return;
    hsp_cli_put_clean(call->human, out);
    fputs(": ", call->human);
    hsp_cli_put_clean(call->human, call->operand[0]);
    fputs(" of ", call->human);
    hsp_cli_put_clean(call->human, hsp_cli_input_name(call->operand[1]));
    fputs(" over ", call->human);
    hsp_cli_put_clean(call->human, hsp_cli_input_name(call->operand[2]));
    putc('\n', call->human);
    hsp_cli_print_assumed(call->human, source->tree);
}

/* hsp_plot, or NULL when the library is not there. It stays loaded until the end. */
static plot_function find_plot(void) {
    void *library = dlopen("libhalfspace_plot.so.0", RTLD_NOW);
    plot_function plot = NULL;
    if (library) *(void **)&plot = dlsym(library, "hsp_plot");
    return plot;
}

static int draw(const hsp_cli_call *call, const char *out) {
    plot_function plot = find_plot();
    if (!plot)
        return hsp_cli_fail(HSP_EXIT_USAGE,
                            "%s: pictures need libhalfspace_plot, which is not there: build it with Cairo and Pango", out);
    hsp_error *err = NULL;
    hsp_model *model = NULL;
    hsp_cli_watch watch;
    hsp_cli_source source = {0};
    int code = hsp_cli_load(call, call->operand[1], call->operand[2], &model);
    if (code) return code;
    hsp_cli_watch_begin(&watch, call, NULL);
    code = hsp_cli_read(call, model, call->operand[2], &watch, &source);
    double began = hsp_cli_now();
    if (!code && plot(call->operand[0], model, source.data, out, &err)) code = hsp_cli_report_error(&err);
    if (!code) print_result(call, &source, out, hsp_cli_now() - began);
    hsp_cli_source_free(&source);
    hsp_model_free(model);
    return code;
}

static int run(hsp_cli_call *call) {
    const char *out = hsp_cli_value(call, "output");
    if (!out) return hsp_cli_fail(HSP_EXIT_USAGE, "where to draw is missing: give -o FILE.png, .svg or .pdf");
    if (hsp_cli_is_stdout(out))
        return hsp_cli_fail(HSP_EXIT_USAGE, "a picture needs a file name: its ending says whether it is PNG, SVG or PDF");
    int code = hsp_cli_output_check(out, call->operand[1]);
    if (!code) code = hsp_cli_output_check(out, call->operand[2]);
    return code ? code : draw(call, out);
}

const hsp_cli_command hsp_cli_plot = {
    .name = "plot",
    .help = "draw a picture of a model over data",
    .operands = "KIND MODEL DATA",
    .synopsis = "KIND MODEL DATA -o FILE.png|.svg|.pdf [options]",
    .detail = "KIND is `boundary`: the points, the regions of the classes and the boundary between them, over two "
              "features. Of more "
              "features the two that matter most are drawn, and the others are predicted from them.",
    .takes = "read",
    .own = {{"output", "o", 1, "FILE", "the picture; its ending says how: .png, .svg or .pdf"}},
    .example = {"halfspace plot boundary squares.hsm squares.csv -o squares.png"},
    .run = run,
};
