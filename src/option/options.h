/* One table of options feeds parsing, help, the man page, the model header and the bindings. Values are checked when they are
 * set and stored as text in canonical form; whether an option was set is recorded. */
#ifndef HSP_OPTION_OPTIONS_H
#define HSP_OPTION_OPTIONS_H

#include "halfspace.h"

#include <stdbool.h>

typedef enum hsp_option_type {
    HSP_OPTION_FLAG, /* yes or no; on the command line its presence means yes */
    HSP_OPTION_INT,
    HSP_OPTION_REAL,
    HSP_OPTION_CHOICE,           /* one of `choices`, separated by '|' */
    HSP_OPTION_NUMBER_OR_CHOICE, /* a number in range, or one of `choices` */
    HSP_OPTION_SIZE, /* bytes, with K, M, G or T for powers of 1024; stored as a number of bytes */
    HSP_OPTION_NUMBERS_OR_CHOICE, /* finite numbers separated by commas, or one of `choices` */
    HSP_OPTION_TEXT
} hsp_option_type;

typedef struct hsp_option {
    const char *name;       /* long name; also its key in models and bindings */
    const char *short_name; /* one letter, or NULL */
    const char *group;      /* one of the groups of hsp_option_field (halfspace.h) */
    hsp_option_type type;
    const char *initial; /* the default, as text; NULL: unset */
    const char *choices; /* "a|b|c", for choices; else NULL */
    double min, max;     /* for numbers; min is excluded when `open` */
    bool open;
    const char *argument; /* shown after the name in help: "X", "NAME", "FILE"; NULL for flags */
    const char *help;     /* one sentence, lower case, no full stop */
} hsp_option;

extern const hsp_option hsp_option_table[];
extern const int64_t hsp_option_table_size;

/* NULL: no option has that name. */
const hsp_option *hsp_option_find(const char *name);

bool hsp_options_is_set(const hsp_options *o, const char *name);
/* The value of an option, set or default; o may be NULL (all defaults). The option must exist and be of the right type.
 * text: NULL when unset. real, int: `otherwise` when unset, or when the value is a choice and not a number. */
const char *hsp_options_text(const hsp_options *o, const char *name);
double hsp_options_real(const hsp_options *o, const char *name, double otherwise);
int64_t hsp_options_int(const hsp_options *o, const char *name, int64_t otherwise);
bool hsp_options_flag(const hsp_options *o, const char *name);
/* The index of the value among the choices, which is the enumerator of its list in choices.h; 0 when unset. */
int hsp_options_choice(const hsp_options *o, const char *name);
/* The numbers of a list: their count, and *out (owned by the caller, NULL for none). 0: unset or a choice; HSP_EMEMORY. */
int64_t hsp_options_numbers(const hsp_options *o, const char *name, double **out);
bool hsp_options_is(const hsp_options *o, const char *name, const char *value);
/* A copy that can be given defaults. */
int hsp_options_copy(const hsp_options *o, hsp_options **out, hsp_error **err);
/* Changes the default of an option: is_set stays false, and an option that was set keeps its value. */
int hsp_options_default(hsp_options *o, const char *name, const char *value, hsp_error **err);

#endif
