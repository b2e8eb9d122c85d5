/* Values are stored as text in canonical form (numbers as of hsp_format_number), so that text and number cannot disagree. */
#include "option/options.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

typedef struct value {
    char *text; /* owned; NULL: the default of the table */
    bool set;
} value;

struct hsp_options {
    int64_t count; /* hsp_option_table_size */
    value values[];
};

const hsp_option *hsp_option_find(const char *name) {
    for (int64_t i = 0; name != NULL && i < hsp_option_table_size; i++) {
        const char *own = hsp_option_table[i].name; /* most differ in the first letter, and a small fit asks 200 times */
        if (*own == *name && strcmp(own, name) == 0) return &hsp_option_table[i];
    }
    return NULL;
}

const char *hsp_option_dashes(const char *name) {
    const hsp_option *p = hsp_option_find(name);
    return p != NULL && p->short_name != NULL && strcmp(p->short_name, name) == 0 ? "-" : "--";
}

static int fail_unknown(const char *name, hsp_error **err) {
    enum { MOST = 255 };
    const char *names[MOST + 1] = {NULL};
    for (int64_t i = 0; i < MOST && i < hsp_option_table_size; i++) names[i] = hsp_option_table[i].name;
    const char *nearest = hsp_name_nearest(name, names);
    if (nearest == NULL) return hsp_fail(err, HSP_EUSAGE, "unknown option '%s': see `halfspace list options`", name);
    return hsp_fail(err, HSP_EUSAGE, "unknown option '%s': did you mean %s%s?", name, hsp_option_dashes(nearest), nearest);
}

/* The index of text among the choices "a|b|c"; -1: it is not one of them. choices may be NULL. */
static int find_choice(const char *choices, const char *text) {
    size_t n = strlen(text);
    for (int i = 0; choices != NULL; i++) {
        size_t length = strcspn(choices, "|");
        if (length == n && strncmp(choices, text, n) == 0) return i;
        choices = choices[length] == '\0' ? NULL : choices + length + 1;
    }
    return -1;
}

/* "auto, csv or svmlight"; "auto, ',' or tab" */
static void list_choices(hsp_text *t, const char *choices) {
    while (*choices != '\0') {
        size_t n = strcspn(choices, "|");
        const char *quote = n == 1 && strchr(",;:.", *choices) ? "'" : "";
        hsp_text_add(t, quote);
        hsp_text_add_n(t, choices, (int64_t)n);
        hsp_text_add(t, quote);
        choices += n;
        if (*choices == '|') {
            choices++;
            hsp_text_add(t, strchr(choices, '|') == NULL ? " or " : ", ");
        }
    }
}

/* " above 0", ", at least 1", " from 2 to 28". A limit that only guards against overflow is printed if it is exceeded. */
static void add_range(hsp_text *t, const hsp_option *p, const char *text) {
    double v;
    const char *end = text + strlen(text);
    bool bounded = p->max < 1e9 || (hsp_number_parse(text, end, &v) == end && v > p->max);
    hsp_text_add(t, p->open ? " above " : bounded ? " from " : ", at least ");
    hsp_text_number(t, p->min);
    if (!bounded) return;
    hsp_text_add(t, p->open ? ", at most " : " to ");
    hsp_text_number(t, p->max);
}

/* "-C cannot be '-1': give a number above 0" */
static int fail_value(const hsp_option *p, const char *text, hsp_error **err) {
    hsp_text wanted = {0};
    bool number = p->type != HSP_OPTION_FLAG && p->type != HSP_OPTION_CHOICE;
    if (p->choices != NULL) {
        list_choices(&wanted, p->choices);
        if (number) hsp_text_add(&wanted, ", or ");
    }
    if (p->type == HSP_OPTION_NUMBERS_OR_CHOICE) {
        hsp_text_add(&wanted, "finite numbers separated by commas");
    } else if (number) {
        hsp_text_add(&wanted, p->type == HSP_OPTION_INT ? "a whole number" : "a number");
        add_range(&wanted, p, text);
    }
    int status = wanted.failed ? hsp_fail_memory(err)
                               : hsp_fail(err, HSP_EUSAGE, "%s%s cannot be '%s': %s %s", hsp_option_dashes(p->name),
                                          p->name, text, number ? "give" : "choose", wanted.s);
    hsp_text_free(&wanted);
    return status;
}

/* Parses the whole text as a number in the option's range. */
static bool read_number(const hsp_option *p, const char *text, double *v) {
    const char *end = text + strlen(text);
    if (hsp_number_parse(text, end, v) != end || !isfinite(*v)) return false;
    if (p->type == HSP_OPTION_INT && *v != floor(*v)) return false;
    return (p->open ? *v > p->min : *v >= p->min) && *v <= p->max;
}

/* Reads "0.3,-0.7,0.1", with blanks around the numbers allowed; false: not a list of finite numbers. Appends the canonical
 * form to `out`. */
static bool read_numbers(const char *text, hsp_text *out) {
    for (;; text++) {
        double v;
        text += strspn(text, " ");
        size_t n = strcspn(text, ", ");
        if (n == 0 || hsp_number_parse(text, text + n, &v) != text + n || !isfinite(v)) return false;
        hsp_text_number(out, v == 0 ? 0 : v);
        text += n + strspn(text + n, " ");
        if (*text != ',') return *text == '\0';
        hsp_text_char(out, ',');
    }
}

static int check_numbers(const hsp_option *p, const char *text, char **out, hsp_error **err) {
    hsp_text list = {0};
    if (read_numbers(text, &list)) return hsp_text_take(&list, out, err);
    hsp_text_free(&list);
    return fail_value(p, text, err);
}

/* Bytes: a number of at least 1, and K, M, G or T in any case. */
static int check_size(const hsp_option *p, const char *text, char **out, hsp_error **err) {
    static const char units[] = "KMGT";
    char digits[32];
    double v;
    size_t n = strlen(text);
    const char *unit = n > 0 && text[n - 1] != '\0' ? strchr(units, text[n - 1] & ~0x20) : NULL;
    if (unit) n--;
    if (hsp_number_parse(text, text + n, &v) != text + n || !isfinite(v) || !(v > 0)) v = 0;
    for (const char *u = units; unit && u <= unit; u++) v *= 1024;
    if (!(v >= 1) || v > 9e15)
        return hsp_fail(err, HSP_EUSAGE, "--%s cannot be '%s': give a number of bytes, such as 48M or 1.5G", p->name, text);
    digits[hsp_number_format_int((int64_t)v, digits)] = '\0';
    *out = hsp_strdup(digits);
    return *out == NULL ? hsp_fail_memory(err) : HSP_OK;
}

/* Checks a value and copies it in canonical form. */
static int check_value(const hsp_option *p, const char *text, char **out, hsp_error **err) {
    char digits[32];
    double v;
    if (p->type == HSP_OPTION_NUMBERS_OR_CHOICE && find_choice(p->choices, text) < 0) return check_numbers(p, text, out, err);
    if (p->type == HSP_OPTION_SIZE) return check_size(p, text, out, err);
    if (p->type != HSP_OPTION_TEXT && find_choice(p->choices, text) < 0) {
        bool number = p->type != HSP_OPTION_FLAG && p->type != HSP_OPTION_CHOICE;
        if (!number || !read_number(p, text, &v)) return fail_value(p, text, err);
        hsp_format_number(v == 0 ? 0 : v, digits);
        text = digits;
    }
    *out = hsp_strdup(text);
    return *out == NULL ? hsp_fail_memory(err) : HSP_OK;
}

static int store_value(hsp_options *o, const char *name, const char *text, bool set, hsp_error **err) {
    if (o == NULL || name == NULL || text == NULL)
        return hsp_fail(err, HSP_EUSAGE, "an option needs a name and a value: neither may be NULL");
    const hsp_option *p = hsp_option_find(name);
    if (p == NULL) return fail_unknown(name, err);
    value *at = &o->values[p - hsp_option_table];
    if (!set && at->set) return HSP_OK;
    char *copy = NULL;
    int status = check_value(p, text, &copy, err);
    if (status != HSP_OK) return status;
    hsp_free(at->text);
    *at = (value){copy, set};
    return HSP_OK;
}

int hsp_options_new(hsp_options **out, hsp_error **err) {
    *out = hsp_alloc_zero(1, sizeof(hsp_options) + (size_t)hsp_option_table_size * sizeof(value));
    if (*out == NULL) return hsp_fail_memory(err);
    (*out)->count = hsp_option_table_size;
    return HSP_OK;
}

int hsp_options_set(hsp_options *o, const char *name, const char *text, hsp_error **err) {
    return store_value(o, name, text, true, err);
}

int hsp_options_default(hsp_options *o, const char *name, const char *text, hsp_error **err) {
    return store_value(o, name, text, false, err);
}

int hsp_options_set_double(hsp_options *o, const char *name, double v, hsp_error **err) {
    char digits[32];
    hsp_format_number(v, digits);
    return hsp_options_set(o, name, digits, err);
}

int hsp_options_set_int(hsp_options *o, const char *name, int64_t v, hsp_error **err) {
    char digits[21];
    digits[hsp_number_format_int(v, digits)] = '\0';
    return hsp_options_set(o, name, digits, err);
}

int hsp_options_copy(const hsp_options *o, hsp_options **out, hsp_error **err) {
    int status = hsp_options_new(out, err);
    for (int64_t i = 0; status == HSP_OK && o != NULL && i < o->count; i++) {
        (*out)->values[i] = (value){hsp_strdup(o->values[i].text), o->values[i].set};
        if (o->values[i].text != NULL && (*out)->values[i].text == NULL) status = hsp_fail_memory(err);
    }
    if (status != HSP_OK) {
        hsp_options_free(*out);
        *out = NULL;
    }
    return status;
}

void hsp_options_free(hsp_options *o) {
    for (int64_t i = 0; o != NULL && i < o->count; i++) hsp_free(o->values[i].text);
    hsp_free(o);
}

const char *hsp_options_text(const hsp_options *o, const char *name) {
    const hsp_option *p = hsp_option_find(name);
    if (p == NULL) return NULL;
    const char *own = o == NULL ? NULL : o->values[p - hsp_option_table].text;
    return own != NULL ? own : p->initial;
}

const char *hsp_options_get(const hsp_options *o, const char *name) {
    return hsp_options_text(o, name);
}

int hsp_options_given(const hsp_options *o, const char *name) {
    return hsp_options_is_set(o, name);
}

bool hsp_options_is_set(const hsp_options *o, const char *name) {
    const hsp_option *p = hsp_option_find(name);
    return o != NULL && p != NULL && o->values[p - hsp_option_table].set;
}

double hsp_options_real(const hsp_options *o, const char *name, double otherwise) {
    const char *text = hsp_options_text(o, name);
    double v;
    if (text == NULL) return otherwise;
    const char *end = text + strlen(text);
    return hsp_number_parse(text, end, &v) == end ? v : otherwise;
}

int64_t hsp_options_int(const hsp_options *o, const char *name, int64_t otherwise) {
    double v = hsp_options_real(o, name, NAN);
    return v >= -0x1p62 && v <= 0x1p62 ? (int64_t)v : otherwise;
}

int hsp_options_choice(const hsp_options *o, const char *name) {
    const char *text = hsp_options_text(o, name);
    int choice = text ? find_choice(hsp_option_find(name)->choices, text) : 0;
    return choice < 0 ? 0 : choice;
}

int64_t hsp_options_numbers(const hsp_options *o, const char *name, double **out) {
    const char *text = hsp_options_text(o, name);
    int64_t count = 1;
    *out = NULL;
    if (text == NULL || find_choice(hsp_option_find(name)->choices, text) >= 0) return 0;
    for (const char *s = text; *s != '\0'; s++) count += *s == ',';
    *out = hsp_alloc(count, sizeof **out);
    if (*out == NULL) return HSP_EMEMORY;
    for (int64_t i = 0; i < count; i++) {
        size_t n = strcspn(text, ",");
        hsp_number_parse(text, text + n, *out + i);
        text += n + 1;
    }
    return count;
}

bool hsp_options_is(const hsp_options *o, const char *name, const char *text) {
    const char *now = hsp_options_text(o, name);
    return now != NULL && strcmp(now, text) == 0;
}

bool hsp_options_flag(const hsp_options *o, const char *name) {
    return hsp_options_is(o, name, "yes");
}

int64_t hsp_option_count(void) {
    return hsp_option_table_size;
}

const char *hsp_option_field(int64_t i, const char *field) {
    static const char *const types[] = {"flag", "int", "real", "choice", "number-or-choice",
                                        "size", "numbers-or-choice", "text"};
    if (i < 0 || i >= hsp_option_table_size || field == NULL) return NULL;
    const hsp_option *p = &hsp_option_table[i];
    const struct {
        const char *name, *text;
    } fields[] = {{"name", p->name},       {"short", p->short_name}, {"group", p->group},       {"type", types[p->type]},
                  {"default", p->initial}, {"choices", p->choices},  {"argument", p->argument}, {"help", p->help}};
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
        if (strcmp(fields[k].name, field) == 0) return fields[k].text;
    return NULL;
}
