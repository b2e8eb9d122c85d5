/* The tables as JSON, for `halfspace list`, help and the bindings. */
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "classifier/classifier.h"
#include "data/generate.h"
#include "fit/fit.h"
#include "loss/loss.h"
#include "penalty/penalty.h"
#include "solve/loop/solver.h"
#include "solve/network/trainer.h"

#include <stdio.h>
#include <string.h>

static void list_algorithms(hsp_json *j) {
    for (int64_t i = 0; hsp_classifier_table[i]; i++) {
        const hsp_classifier *c = hsp_classifier_table[i];
        hsp_json_object(j, NULL);
        hsp_json_string(j, "name", c->name);
        hsp_json_string(j, "help", c->help);
        hsp_text defaults = {0};
        for (const char *const *d = c->defaults; d && d[0]; d += 2)
            hsp_text_format(&defaults, "%s%s %s%s", defaults.length ? ", " : "", d[0], d[1],
                            c->regression && strcmp(d[0], "loss") == 0 ? " (regression: squared)" : "");
        hsp_json_string(j, "defaults", defaults.s);
        hsp_json_string(j, "auto", c->automatic);
        char options[512];
        snprintf(options, sizeof options, "%s%s", c->options, c->one_vs_rest ? " multiclass" : "");
        hsp_json_string(j, "options", options);
        /* "two classes", "classes or numbers", "numbers", "classes, with probabilities, or numbers" */
        const char *classes = c->only_numbers ? "" : c->two_classes ? "two classes" : "classes";
        const char *with = c->probabilities ? ", with probabilities"
                           : c->odds        ? ", with probabilities for --loss logistic"
                                            : "";
        const char *comma = *with ? "," : "";
        char text[96];
        snprintf(text, sizeof text, "%s%s%s%s", classes, with, c->regression && *classes ? comma : "",
                 c->only_numbers ? "numbers"
                 : c->regression ? " or numbers"
                                 : "");
        hsp_json_string(j, "predicts", text);
        if (defaults.failed) hsp_json_fail(j);
        hsp_text_free(&defaults);
        hsp_json_object_end(j);
    }
}

static void list_losses(hsp_json *j) {
    for (int64_t i = 0; hsp_loss_table[i]; i++) {
        const hsp_loss *l = hsp_loss_table[i];
        hsp_json_object(j, NULL);
        hsp_json_string(j, "name", l->name);
        hsp_json_string(j, "formula", l->formula);
        hsp_json_string(j, "help", l->help);
        hsp_json_bool(j, "optimised", l->traits & HSP_LOSS_SLOPE);
        hsp_json_bool(j, "smooth", l->traits & HSP_LOSS_SMOOTH);
        hsp_json_bool(j, "dual", l->traits & HSP_LOSS_DUAL);
        hsp_json_object_end(j);
    }
}

static void list_penalties(hsp_json *j) {
    for (int64_t i = 0; hsp_penalty_table[i]; i++) {
        hsp_json_object(j, NULL);
        hsp_json_string(j, "name", hsp_penalty_table[i]->name);
        hsp_json_string(j, "formula", hsp_penalty_table[i]->formula);
        hsp_json_string(j, "help", hsp_penalty_table[i]->help);
        hsp_json_object_end(j);
    }
}

static void list_solver(hsp_json *j, const char *name, const char *help) {
    hsp_json_object(j, NULL);
    hsp_json_string(j, "name", name);
    hsp_json_string(j, "help", help);
    hsp_json_object_end(j);
}

/* What reports of a closed form name as the solver; it is chosen automatically. */
static const char *const closed_forms[][2] = {
    {"cholesky", "closed form of least-squares, ridge, fisher and lda: a Cholesky factorisation; not for --solver"},
    {"qr", "closed form: a QR factorisation of the rows, where Cholesky would lose digits; not for --solver"},
    {"dual-cholesky",
     "closed form: Cholesky of the inner products of the rows, for more columns than rows; not for --solver"},
    {"svd", "closed form: a singular value decomposition, for linearly dependent columns; not for --solver"},
    {"lsmr", "least squares of large sparse data by iteration (LSMR); not for --solver"},
    {"pseudo-inverse", "closed form of lda with a singular covariance; not for --solver"},
};

/* `gradient` is both a solver and a trainer of networks. */
static void list_solvers(hsp_json *j) {
    for (int64_t i = 0; hsp_solver_table[i]; i++) list_solver(j, hsp_solver_table[i]->name, hsp_solver_table[i]->help);
    for (int64_t i = 0; hsp_trainer_table[i]; i++)
        if (!hsp_solver_find(hsp_trainer_table[i]->name))
            list_solver(j, hsp_trainer_table[i]->name, hsp_trainer_table[i]->help);
    for (size_t i = 0; i < sizeof closed_forms / sizeof *closed_forms; i++)
        list_solver(j, closed_forms[i][0], closed_forms[i][1]);
}

static void list_generators(hsp_json *j) {
    for (int64_t i = 0; hsp_generator_table[i].name; i++) {
        hsp_json_object(j, NULL);
        const hsp_generator *g = &hsp_generator_table[i];
        hsp_json_string(j, "name", g->name);
        hsp_json_int(j, "features", g->features);
        hsp_json_number(j, "noise", g->noise);
        hsp_json_string(j, "help", g->help);
        hsp_json_object_end(j);
    }
}

static void list_options(hsp_json *j) {
    static const char *const fields[] = {"name", "short", "group", "type", "default", "choices", "argument", "help"};
    for (int64_t i = 0; i < hsp_option_count(); i++) {
        hsp_json_object(j, NULL);
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
            hsp_json_string(j, fields[k], hsp_option_field(i, fields[k]));
        hsp_json_object_end(j);
    }
}

static const struct {
    const char *name;
    void (*list)(hsp_json *j);
} tables[] = {{"algorithms", list_algorithms}, {"losses", list_losses},         {"penalties", list_penalties},
              {"solvers", list_solvers},       {"generators", list_generators}, {"options", list_options}};

int hsp_list(const char *what, hsp_report **out, hsp_error **err) {
    *out = NULL;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (strcmp(tables[i].name, what) != 0) continue;
        hsp_json j = {0};
        hsp_json_array(&j, NULL);
        tables[i].list(&j);
        hsp_json_array_end(&j);
        return hsp_json_take(&j, out, err);
    }
    return hsp_fail(err, HSP_EUSAGE,
                    "unknown list '%s': choose algorithms, losses, penalties, solvers, generators or options", what);
}
