#include "progress.h"
#include "fail.h"
#include "json_output.h"
#include "short_number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static double limit(const hsp_options *o, const char *name) {
    double v;
    const char *text = hsp_options_get(o, name);
    return text && hsp_parse_number(text, strlen(text), &v) == 0 && v > 0 ? v : (double)INFINITY;
}

void hsp_cli_bar_begin(hsp_cli_bar *bar, const hsp_cli_call *call) {
    const char *term = getenv("TERM"), *plain = getenv("NO_COLOR");
    bool terminal = isatty(STDERR_FILENO) == 1 && term && strcmp(term, "dumb") != 0;
    *bar = (hsp_cli_bar){.on = terminal && !call->quiet,
                         .colour = !(plain && *plain),
                         .began = hsp_cli_now(),
                         .max_updates = limit(call->options, "max-updates"),
                         .max_steps = limit(call->options, "max-steps"),
                         .max_seconds = limit(call->options, "max-seconds")};
}

static double greater(double a, double b) {
    return a > b ? a : b;
}

double hsp_cli_bar_share(const hsp_cli_bar *bar, const hsp_progress *p, double elapsed) {
    double share = p->max_epochs > 0 ? (double)p->epoch / (double)p->max_epochs : 0;
    share = greater(share, (double)p->updates / bar->max_updates);
    share = greater(share, (double)p->steps / bar->max_steps);
    if (share > 1) share = 1;
    if (p->problems > 1) share = ((double)p->problem + share) / (double)p->problems;
    share = greater(share, elapsed / bar->max_seconds);
    return share < 1 ? share : 1;
}

static int columns(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void put_duration(char *out, size_t size, double seconds) {
    long s = seconds < 359999 ? (long)seconds + 1 : 359999;
    if (s < 60)
        snprintf(out, size, "%ld s", s);
    else if (s < 3600)
        snprintf(out, size, "%ld:%02ld", s / 60, s % 60);
    else
        snprintf(out, size, "%ld:%02ld h", s / 3600, s / 60 % 60);
}

/* Truncates s to at most n bytes, never inside a UTF-8 character. */
static void cut(char *s, size_t n) {
    if (strlen(s) <= n) return;
    while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80) n--;
    s[n] = '\0';
}

/* Formats the text beside the bar. */
static void format_progress(char *out, size_t size, const hsp_progress *p, double share, double elapsed) {
    char value[HSP_CLI_NUMBER], error[HSP_CLI_NUMBER], left[48] = "";
    bool gap = isfinite(p->relative_gap);
    double shown = gap ? p->relative_gap : isfinite(p->objective) ? p->objective : p->mean_loss;
    const char *what = gap ? "gap" : isfinite(p->objective) ? "objective" : "loss";
    hsp_cli_short(shown, 4, HSP_CLI_NEAREST, value);
    hsp_cli_short(p->error, 3, HSP_CLI_NEAREST, error);
    if (share > 0 && elapsed > 0.5) {
        char time[24];
        put_duration(time, sizeof time, elapsed * (1 - share) / share);
        bool compares = strcmp(p->method, "compare") == 0; /* the costs of what is to come are guesses */
        snprintf(left, sizeof left, ", %s %s", compares ? "about" : "at most", time);
    }
    char label[32] = "";
    if (p->problems > 1 && p->label) snprintf(label, sizeof label, "%s", p->label);
    cut(label, 20);
    if (strcmp(p->method, "folds") == 0)
        snprintf(out, size, "calibration: fit %lld of %lld%s",
                 (long long)(p->problem < p->problems ? p->problem + 1 : p->problems), (long long)p->problems, left);
    else if (strcmp(p->method, "compare") == 0)
        snprintf(out, size, "%s%s", p->label ? p->label : "encoding", left);
    else if (strcmp(p->method, "path") == 0)
        snprintf(out, size, "lambda %lld of %lld%s", (long long)(p->problem < p->problems ? p->problem + 1 : p->problems),
                 (long long)p->problems, left);
    else if (strcmp(p->method, "study") == 0)
        snprintf(out, size, "fit %lld of %lld%s", (long long)(p->problem < p->problems ? p->problem + 1 : p->problems),
                 (long long)p->problems, left);
    else if (isnan(shown) && p->steps == 0) /* work that does not count rows */
        snprintf(out, size, "%s%s", p->method, left);
    else if (isnan(shown)) /* prediction, evaluation or verification of rows */
        snprintf(out, size, "%s: %lld rows%s", p->method, (long long)p->steps, left);
    else
        snprintf(out, size, "%s%sepoch %lld, %s %s, error %s%s", label, *label ? ": " : "", (long long)p->epoch, what,
                 value, error, left);
}

void hsp_cli_bar_show(hsp_cli_bar *bar, const hsp_progress *p) {
    enum { BAR = 20 };
    if (!bar->on) return;
    double now = hsp_cli_now(), elapsed = now - bar->began;
    if (now - bar->drew < 0.1 || elapsed < 0.2) return; /* short tasks need no bar */
    bar->drew = now;
    bar->drawn = true;
    double share = hsp_cli_bar_share(bar, p, elapsed);
    int filled = (int)(share * BAR), room = columns() - 1 - (BAR + 3);
    char words[256], full[BAR + 1], rest[BAR + 1];
    format_progress(words, sizeof words, p, share, elapsed);
    memset(full, '=', sizeof full);
    memset(rest, ' ', sizeof rest);
    fputs("\r\033[K", stderr);
    if (room >= 20)
        fprintf(stderr, "[%s%.*s%s%.*s] ", bar->colour ? "\033[36m" : "", filled, full, bar->colour ? "\033[0m" : "",
                BAR - filled, rest);
    cut(words, (size_t)(room >= 20 ? room : columns() - 1));
    hsp_cli_put_clean(stderr, words);
    fflush(stderr);
}

void hsp_cli_bar_erase(hsp_cli_bar *bar) {
    if (bar->drawn) fputs("\r\033[K", stderr);
    bar->drawn = false;
    fflush(stderr);
}
