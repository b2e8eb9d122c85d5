#include "fit/fit_network.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "fit/fit_report.h"
#include "fit/fit_solve.h"
#include "loss/loss.h"
#include "model/model.h"
#include "network/activation.h"
#include "network/network.h"
#include "option/options.h"
#include "penalty/penalty.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"
#include "solve/network/examples.h"
#include "solve/network/net_output.h"
#include "solve/network/trainer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_STARTS = 1000, AUTO_RESTARTS = 4 };

/* One random start. */
typedef struct net_start {
    double objective, error;
    int64_t epochs;
    hsp_stop stop;
} net_start;

typedef struct network_fit {
    hsp_fit *f;
    const hsp_trainer *trainer;
    const hsp_output *output;
    hsp_examples examples;
    hsp_network *net, *best; /* owned: the present start, and the best of those before */
    hsp_net_objective objective;
    hsp_outcome outcome;
    int64_t restarts; /* at most */
    bool until_right; /* only while rows are misclassified */
    net_start *starts; /* owned: restarts + 1 */
    int64_t count, kept;
} network_fit;

/* ---- the choices ---- */

/* Quasi-Newton steps reach a lower objective in less time as long as a pass over all rows is cheap. */
static const hsp_trainer *automatic(const hsp_fit *f) {
    enum { FEW_ROWS = 5000 };
    return f->rows.count <= FEW_ROWS ? &hsp_trainer_lbfgs : &hsp_trainer_adam;
}

static int choose_trainer(network_fit *q, hsp_error **err) {
    hsp_fit *f = q->f;
    const char *name = hsp_options_text(f->job.options, "solver");
    q->trainer = strcmp(name, "auto") == 0 ? automatic(f) : hsp_trainer_find(name);
    if (!q->trainer)
        return hsp_fail(err, HSP_EUSAGE, "solver '%s' cannot train a network: use --solver lbfgs, adam or gradient, or auto",
                        name);
    const char *remedy = "with solver 'lbfgs': use --solver adam or gradient";
    int status = hsp_fit_check_idle(f, "learning-rate", q->trainer->paced, remedy, err);
    return status ? status : hsp_fit_check_idle(f, "batch", q->trainer->batches, remedy, err);
}

static void set_rules(network_fit *q) {
    enum { BATCH = 200, PATIENCE = 10 };
    hsp_fit *f = q->f;
    hsp_rules *r = &f->form.rules;
    int64_t n = f->rows.count, whole = q->trainer->plain ? n : BATCH;
    if (!hsp_options_text(f->job.options, "batch")) r->batch = whole;
    if (r->batch > n) r->batch = n;
    if (isnan(r->rate) && q->trainer->paced) r->rate = q->trainer->plain ? 0.1 : 0.001;
    if (!r->epochs_given) r->max_epochs = q->trainer->max_epochs;
    if (!r->tol_given) r->tol = q->trainer->tol;
    r->schedule = HSP_SCHEDULE_CONSTANT;
    r->patience = PATIENCE;
}

/* Restarts are worth their time where a pass is cheap and rows that a network could fit are misclassified. */
static int set_restarts(network_fit *q, hsp_error **err) {
    const hsp_fit *f = q->f;
    bool few = (double)f->rows.count * (double)hsp_network_parameters(q->net) <= 1e5;
    q->until_right = !hsp_options_is_set(f->job.options, "restarts");
    if (f->job.start && hsp_options_int(f->job.options, "restarts", 0) > 0)
        return hsp_fail(err, HSP_EUSAGE,
                        "--restarts are from random weights, and this fit starts from a model: leave one of the two out");
    q->restarts = f->job.start                                                 ? 0
                  : !q->until_right                                            ? hsp_options_int(f->job.options, "restarts", 0)
                  : few && !f->rows.target && q->trainer == &hsp_trainer_lbfgs ? AUTO_RESTARTS
                                                                               : 0;
    return HSP_ALLOC_ZERO(q->starts, q->restarts + 1) ? HSP_OK : hsp_fail_memory(err);
}

/* ---- the network ---- */

static int check_size(const hsp_fit *f, int64_t parameters, hsp_error **err) {
    double bytes = 8.0 * (double)parameters * 30, limit = 0.9 * (double)hsp_memory_limit();
    if (parameters >= 0 && bytes <= limit) return HSP_OK;
    return hsp_fail(err, HSP_EMEMORY,
                    "a network with %s hidden units over %lld columns needs more memory than this machine has: use a "
                    "smaller --hidden, or fewer columns",
                    hsp_options_text(f->job.options, "hidden"), (long long)f->job.design->d);
}

static int make_network(network_fit *q, hsp_error **err) {
    const hsp_fit *f = q->f;
    int64_t size[HSP_NETWORK_LAYERS + 1] = {f->job.design->d}, hidden;
    int status = hsp_network_hidden(hsp_options_text(f->job.options, "hidden"), size + 1, &hidden, err);
    if (status) return status;
    size[hidden + 1] = f->out.outputs;
    const hsp_activation *a = hsp_activation_find(hsp_options_text(f->job.options, "activation"));
    status = check_size(f, hsp_network_count(size, hidden + 1), err);
    if (!status) status = hsp_network_new(size, hidden + 1, a, &q->net, err);
    if (!status) status = hsp_network_new(size, hidden + 1, a, &q->best, err);
    return status;
}

/* ---- the problem ---- */

static int set_objective(network_fit *q, hsp_error **err) {
    hsp_fit *f = q->f;
    double sum = q->examples.sum_c, lambda = hsp_options_real(f->job.options, "lambda", NAN);
    f->form.penalty = hsp_penalty_find("l2");
    f->form.loss = hsp_loss_find(q->output->loss);
    f->form.C = isnan(lambda) ? hsp_options_real(f->job.options, "C", 1) : 1 / (lambda * sum);
    f->form.lambda = isnan(lambda) ? 1 / (f->form.C * sum) : lambda;
    bool fits = isfinite(f->form.C) && f->form.C > 0 && isfinite(f->form.lambda) && f->form.lambda > 0;
    return fits ? HSP_OK
                : hsp_fail(err, HSP_EUSAGE, "-C or --lambda is out of range for %lld rows: choose a value nearer to 1",
                           (long long)f->job.design->n);
}

static int pose(network_fit *q, hsp_error **err) {
    hsp_fit *f = q->f;
    q->output = f->rows.target ? &hsp_output_squared : f->out.outputs == 1 ? &hsp_output_logistic : &hsp_output_softmax;
    q->examples = (hsp_examples){.design = f->job.design,
                                 .outputs = f->out.outputs,
                                 .class = f->rows.y,
                                 .positive = f->job.prepare->positive,
                                 .target = f->rows.target,
                                 .c = f->rows.c};
    int status = hsp_examples_open(&q->examples, q->trainer->plain, err);
    if (!status) status = set_objective(q, err);
    if (!status)
        status = hsp_net_objective_open(&q->objective, q->net, &q->examples, q->output, f->form.C, q->examples.n, err);
    return status;
}

/* ---- the starts ---- */

/* The parameters of the model that the fit starts from. */
static int take_network(network_fit *q, hsp_error **err) {
    const hsp_network *from = q->f->job.start->network, *net = q->net;
    bool same = from->layers == net->layers && from->activation == net->activation;
    for (int64_t l = 0; same && l <= net->layers; l++) same = from->size[l] == net->size[l];
    if (!same)
        return hsp_fail(err, HSP_EUSAGE,
                        "the start is a network of other layers: set --hidden and --activation as for the start");
    memcpy(net->theta, from->theta, (size_t)hsp_network_parameters(net) * sizeof(double));
    hsp_examples_from_original(&q->examples, q->net);
    for (int64_t t = 0; t < hsp_network_parameters(net); t++)
        if (!isfinite(net->theta[t]))
            return hsp_fail(err, HSP_EINPUT, "the start is out of range for the units of these data: leave the start out");
    return HSP_OK;
}

static int train_once(network_fit *q, double left, hsp_error **err) {
    hsp_fit *f = q->f;
    hsp_outcome out;
    hsp_rules rules = f->form.rules;
    rules.max_seconds = left;
    int status = HSP_OK;
    if (f->job.start)
        status = take_network(q, err);
    else
        hsp_net_start(q->net, rules.seed, 16 + (uint64_t)q->count);
    if (!status)
        status = hsp_net_train(&q->objective, q->trainer, &rules, (hsp_run_place){.problems = 1}, f->job.hooks, &out, err);
    if (status) return status;
    q->starts[q->count] = (net_start){out.end.objective, out.end.error, out.epochs, out.stop};
    bool better = q->count == 0 || out.end.objective < q->outcome.end.objective;
    if (better) {
        size_t bytes = (size_t)hsp_network_parameters(q->net) * sizeof(double);
        memcpy(q->best->theta, q->net->theta, bytes);
        q->outcome = out;
        q->kept = q->count;
    }
    q->count++;
    return HSP_OK;
}

static bool is_done(const network_fit *q) {
    const net_start *last = &q->starts[q->count - 1];
    if (last->stop == HSP_STOP_CANCELLED || last->stop == HSP_STOP_MAX_SECONDS || q->count > q->restarts) return true;
    bool limited = last->stop != HSP_STOP_EARLY && last->stop != HSP_STOP_GRADIENT && last->stop != HSP_STOP_NO_PROGRESS;
    return q->until_right && (limited || q->starts[q->kept].error == 0);
}

static int train_all(network_fit *q, hsp_error **err) {
    const hsp_fit *f = q->f;
    double most = f->form.rules.max_seconds;
    int status;
    do {
        double left = most < 0 ? -1 : fmax(0, most - (hsp_clock_seconds() - f->job.begun));
        status = train_once(q, left, err);
    } while (!status && !is_done(q));
    return status;
}

/* ---- the result ---- */

static void write_starts(const network_fit *q, hsp_json *j) {
    hsp_json_array(j, "starts");
    for (int64_t t = 0; t < q->count; t++) {
        hsp_json_object(j, NULL);
        hsp_json_number(j, "objective", q->starts[t].objective);
        hsp_json_number(j, "error", q->starts[t].error);
        hsp_json_int(j, "epochs", q->starts[t].epochs);
        hsp_json_string(j, "stop_reason", hsp_stop_name(q->starts[t].stop));
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
}

static int write_details(network_fit *q, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_array(&j, "hidden");
    for (int64_t l = 1; l < q->net->layers; l++) hsp_json_int(&j, NULL, q->net->size[l]);
    hsp_json_array_end(&j);
    hsp_json_string(&j, "activation", q->net->activation->name);
    hsp_json_int(&j, "parameters", hsp_network_parameters(q->net));
    hsp_json_int(&j, "restarts", q->count - 1);
    hsp_json_int(&j, "start", q->kept + 1);
    write_starts(q, &j);
    hsp_json_object_end(&j);
    q->f->notes.details_name = "mlp";
    return hsp_json_take(&j, &q->f->notes.details, err);
}

static int keep_result(network_fit *q, hsp_error **err) {
    hsp_fit *f = q->f;
    hsp_examples_to_original(&q->examples, q->best);
    f->out.results[0] = (hsp_fit_result){.outcome = q->outcome, .margin = NAN, .radius = NAN, .bound = NAN};
    f->out.problems = 1;
    f->out.link = f->rows.target ? HSP_LINK_NONE : f->out.outputs == 1 ? HSP_LINK_LOGISTIC : HSP_LINK_SOFTMAX;
    f->out.network = q->best;
    q->best = NULL;
    f->form.multiclass = f->out.outputs > 1 ? "softmax" : NULL;
    f->notes.solved = f->notes.iterative = f->notes.settled = true;
    f->notes.method = q->trainer->name;
    return write_details(q, err);
}

static void clear_fit(network_fit *q) {
    hsp_net_objective_clear(&q->objective);
    hsp_examples_clear(&q->examples);
    hsp_network_free(q->net);
    hsp_network_free(q->best);
    hsp_free(q->starts);
}

int hsp_fit_network(hsp_fit *f, hsp_error **err) {
    network_fit q = {.f = f};
    int status = choose_trainer(&q, err);
    if (!status) status = make_network(&q, err);
    if (!status) set_rules(&q);
    if (!status) status = set_restarts(&q, err);
    if (!status) status = pose(&q, err);
    if (!status)
        hsp_fit_log(f, "solver %s: %" PRId64 " rows, %" PRId64 " columns (%s), %" PRId64 " parameters", q.trainer->name,
                    q.examples.n, f->job.design->d, f->job.data->x.dense ? "dense" : "sparse", hsp_network_parameters(q.net));
    if (!status) status = train_all(&q, err);
    if (!status) status = keep_result(&q, err);
    clear_fit(&q);
    return status;
}
