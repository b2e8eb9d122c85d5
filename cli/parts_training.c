#include "parts_training.h"
#include "arguments.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "reading.h"
#include "short_number.h"
#include "team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- which data -------------------------------------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *ending) {
    size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0;
}

static double limit_of(const hsp_cli_call *call) {
    const char *given = hsp_options_get(call->options, "max-memory");
    double v = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (given) hsp_parse_number(given, strlen(given), &v);
    return v;
}

bool hsp_cli_parts_asked(const hsp_cli_call *call) {
    struct stat about;
    const char *path = call->operand[0];
    if (call->operands > 1 || hsp_cli_value(call, "checkpoint")) return true;
    if (strcmp(path, "-") == 0) return false;
    if (hsp_cli_team_exists()) return true;
    if (stat(path, &about) != 0) return strpbrk(path, "*?[") != NULL;
    if (!S_ISREG(about.st_mode)) return false;
    /* Compressed data may be of any size: they are counted where a limit is asked for. */
    bool compressed = ends_in(path, ".gz") || ends_in(path, ".zst");
    if (compressed && hsp_options_given(call->options, "max-memory")) return true;
    return (double)about.st_size > limit_of(call) / 2;
}

/* What needs all rows in memory. */
static int check_options(const hsp_cli_call *call) {
    static const char *const own[] = {"holdout", "steps", "certificate"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (hsp_cli_value(call, own[i]))
            return hsp_cli_fail(HSP_EXIT_USAGE, "--%s needs all rows in memory, and these data are read by parts: leave it out",
                                own[i]);
    const char *algorithm = hsp_options_get(call->options, "algorithm"), *cache = hsp_options_get(call->options, "cache");
    if (algorithm && strcmp(algorithm, "auto") == 0)
        return hsp_cli_fail(HSP_EXIT_USAGE, "-a auto needs all rows in memory, and these data are read by parts: name the "
                                            "algorithm");
    if (cache && strcmp(cache, "yes") == 0)
        return hsp_cli_fail(HSP_EXIT_USAGE, "--cache is for one file that is read as a whole: leave it out");
    return 0;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

enum { SIZE_TEXT = 32 };

/* "1.2 GiB". */
static const char *size_text(double bytes, char *buf) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    char number[HSP_CLI_NUMBER];
    int unit = 0;
    for (; bytes >= 1023.5 && unit < 4; unit++) bytes /= 1024;
    snprintf(buf, SIZE_TEXT, "%s %s", hsp_cli_short(bytes, 3, HSP_CLI_NEAREST, number), units[unit]);
    return buf;
}

static bool in_memory(const hsp_report *plan) {
    return hsp_report_number(plan, "bytes") <= hsp_report_number(plan, "budget");
}

static bool is_stored(const hsp_report *plan) {
    return hsp_report_flag(plan, "stored") == 1;
}

static const char *storage_of(const hsp_report *plan) {
    return is_stored(plan) ? "data files" : in_memory(plan) ? "memory" : "temporary file";
}

/* Bytes of the blocks in memory at once, and of what the driver keeps: some vectors of the weights, and where there are few
 * columns some Hessian matrices (that of a block, the sums in the tree over the blocks, and those of the reply). */
static double need_of(const hsp_report *plan) {
    enum { VECTORS = 10, MOST_COLUMNS = 2000, MATRICES = 6 };
    double classes = (double)hsp_report_count(hsp_report_member(plan, "classes"), NULL);
    double d = hsp_report_number(plan, "features") + 1, weights = (classes > 2 ? classes : 1) * d;
    double rows = in_memory(plan) ? hsp_report_number(plan, "bytes") : 2 * hsp_report_number(plan, "block_bytes");
    double levels = log2(hsp_report_number(plan, "blocks")) + MATRICES;
    double matrix = weights <= MOST_COLUMNS ? 8 * d * d / 2 : 0;
    return rows + VECTORS * 8 * weights + matrix * levels;
}

/* The limit is stated if it was given. */
static char *plan_text(const hsp_cli_call *call, const hsp_report *plan) {
    char bytes[SIZE_TEXT], limit[SIZE_TEXT], blocks[HSP_CLI_NUMBER], files[HSP_CLI_NUMBER], *text = NULL;
    const char *storage = is_stored(plan)   ? "read from the data files in every round"
                          : in_memory(plan) ? "kept in memory"
                                            : "kept in a temporary file and read in every round";
    double count = hsp_report_number(plan, "blocks"), several = hsp_report_number(plan, "files");
    bool given = hsp_options_given(call->options, "max-memory");
    size_text(2 * hsp_report_number(plan, "budget"), limit);
    int n = asprintf(&text, "%s file%s, %s block%s of up to %d rows, %s as numbers%s%s%s, %s",
                     hsp_cli_short(several, 15, HSP_CLI_NEAREST, files), several == 1 ? "" : "s",
                     hsp_cli_short(count, 15, HSP_CLI_NEAREST, blocks), count == 1 ? "" : "s", HSP_PART_ROWS,
                     size_text(hsp_report_number(plan, "bytes"), bytes), given ? ", " : "", given ? limit : "",
                     given ? " allowed" : "", storage);
    return n < 0 ? NULL : text;
}

/* Refuses what cannot work, before the work starts: also a few rows with a large feature id, unless the memory was allowed. */
static int check_room(const hsp_cli_call *call, const hsp_report *plan) {
    char need[SIZE_TEXT];
    double allowed = 2 * hsp_report_number(plan, "budget");
    if (!hsp_options_given(call->options, "max-memory"))
        allowed = fmin(allowed, fmax(2147483648, 256 * hsp_report_number(plan, "bytes")));
    if (need_of(plan) <= allowed) return 0;
    char *text = plan_text(call, plan);
    int code = hsp_cli_fail(HSP_EXIT_SYSTEM,
                            "too little memory for the plan (%s): about %s for %s and the weights: raise --max-memory",
                            text ? text : "?", size_text(need_of(plan), need), in_memory(plan) ? "the rows" : "two blocks");
    free(text);
    return code;
}

static int make_plan(const hsp_cli_call *call, hsp_cli_watch *watch, hsp_cli_parts *p) {
    hsp_error *err = NULL;
    int numbers = hsp_options_given(call->options, "task")
                      ? 0
                      : hsp_cli_predicts_numbers(hsp_options_get(call->options, "algorithm"), &err);
    int status = numbers < 0 ? numbers : 0;
    if (numbers > 0) status = hsp_options_set(call->options, "task", "regression", &err);
    if (!status)
        status = hsp_part_plan(call->operand, call->operands, hsp_cli_team_exists() ? hsp_cli_team_size() : 1, call->options,
                               &watch->hooks, &p->plan, &err);
    hsp_cli_watch_end(watch);
    return status ? hsp_cli_report_error(&err) : 0;
}

static int open_here(hsp_cli_parts *p) {
    hsp_error *err = NULL;
    const char *description = hsp_report_text(hsp_report_item(p->plan, "parts", 0), "description");
    if (hsp_part_open(description, &p->part, &err) || hsp_engine_local(&p->part, 1, &p->own, &err))
        return hsp_cli_report_error(&err);
    if (!in_memory(p->plan)) p->own->name = "disk";
    p->engine = p->own;
    return 0;
}

/* What the encoding of a table remarks, one a line. */
static void warn_of_table(const hsp_cli_call *call, const hsp_report *plan) {
    const char *notes = hsp_report_text(plan, "notes");
    while (notes && *notes) {
        size_t n = strcspn(notes, "\n");
        hsp_cli_warn(call, "%.*s", (int)n, notes);
        notes += n + (notes[n] == '\n');
    }
}

int hsp_cli_parts_open(const hsp_cli_call *call, hsp_cli_watch *watch, hsp_cli_parts *p) {
    double began = hsp_cli_now();
    int code = make_plan(call, watch, p);
    if (code) return code;
    bool needed = call->operands > 1 || hsp_cli_value(call, "checkpoint") || hsp_cli_team_exists();
    if (!needed && hsp_report_number(p->plan, "files") == 1 && in_memory(p->plan)) {
        hsp_report_free(p->plan);
        p->plan = NULL;
        return 0;
    }
    code = check_options(call);
    if (!code) code = check_room(call, p->plan);
    if (code) return code;
    code = hsp_cli_team_exists() ? hsp_cli_team_open(p->plan, &p->engine) : open_here(p);
    p->seconds = hsp_cli_now() - began;
    return code;
}

/* The engine of the parts, which says the plan when the fit has begun: an error before that is a single line. */
typedef struct planned {
    hsp_engine engine;
    const hsp_engine *inner;
    const hsp_cli_call *call;
    const hsp_report *plan;
    int64_t asked;
} planned;

static int ask_planned(void *user, const void *request, size_t request_size, const void **reply, size_t *reply_size,
                       char *why) {
    planned *p = user;
    enum { AGREEMENT = 2 }; /* rounds before the fit */
    if (p->asked++ == AGREEMENT) {
        warn_of_table(p->call, p->plan);
        char *text = plan_text(p->call, p->plan);
        if (text) hsp_cli_note(p->call, "plan: %s", text);
        free(text);
    }
    return p->inner->ask(p->inner->user, request, request_size, reply, reply_size, why);
}

int hsp_cli_parts_train(const hsp_cli_call *call, const hsp_cli_parts *p, hsp_cli_watch *watch, hsp_model **model,
                        hsp_report **report) {
    const char *path = hsp_cli_value(call, "checkpoint");
    hsp_error *err = NULL;
    hsp_engine *kept = NULL;
    int status = path ? hsp_engine_checkpoint(p->engine, path, hsp_cli_value(call, "resume") != NULL, &kept, &err) : 0;
    const hsp_engine *inner = kept ? kept : p->engine;
    planned around = {*inner, inner, call, p->plan, 0};
    around.engine.user = &around;
    around.engine.ask = ask_planned;
    if (!status) status = hsp_train_parts(&around.engine, call->options, &watch->hooks, model, report, &err);
    hsp_engine_checkpoint_free(kept);
    hsp_cli_team_check();
    return status ? hsp_cli_report_error(&err) : 0;
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

const char *hsp_cli_parts_name(const hsp_cli_call *call, const hsp_cli_parts *p, char *buf) {
    if (hsp_report_number(p->plan, "files") == 1) return call->operand[0];
    snprintf(buf, 64, "%lld files", (long long)hsp_report_number(p->plan, "files"));
    return buf;
}

void hsp_cli_parts_report(const hsp_cli_call *call, const hsp_cli_parts *p, hsp_json *j) {
    static const char *const numbers[] = {"files", "blocks", "bytes", "block_bytes"};
    hsp_json_object(j, "plan");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hsp_json_number(j, numbers[i], hsp_report_number(p->plan, numbers[i]));
    bool given = hsp_options_given(call->options, "max-memory");
    hsp_json_number(j, "limit", given ? 2 * hsp_report_number(p->plan, "budget") : (double)NAN);
    hsp_json_string(j, "storage", storage_of(p->plan));
    hsp_json_object_end(j);
}

void hsp_cli_parts_free(hsp_cli_parts *p) {
    hsp_engine_free(p->own);
    hsp_part_free(p->part);
    hsp_report_free(p->plan);
    *p = (hsp_cli_parts){0};
}
