/* Options are data: one table feeds parsing, help, the man page, the model header and the bindings. Values are checked
 * when they are set, kept as text in canonical form, and remembered as set or default. */
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
    HSP_OPTION_TEXT
} hsp_option_type;

typedef struct hsp_option {
    const char *name;       /* long name; also its key in models and bindings */
    const char *short_name; /* one letter, or NULL */
    const char *group;      /* "read", "table", "train", "run", "split", "generate", "predict", "write", "general" */
    hsp_option_type type;
    const char *initial; /* the default, as text; NULL: unset */
    const char *choices; /* for choices; NULL otherwise */
    double min, max;     /* for numbers; min is excluded when `open` */
    bool open;
    const char *argument; /* what help shows after the name: "X", "NAME", "FILE"; NULL for flags */
    const char *help;     /* one sentence, lower case, no full stop */
} hsp_option;

extern const hsp_option hsp_option_table[];
extern const int64_t hsp_option_table_size;

/* NULL when there is none of that name. */
const hsp_option *hsp_option_find(const char *name);

bool hsp_options_is_set(const hsp_options *o, const char *name);
/* The value in force; o may be NULL (all defaults). The name must be in the table and of the right type. text: NULL when
 * unset. real and integer: `otherwise` when unset or when it holds a choice instead of a number. */
const char *hsp_options_text(const hsp_options *o, const char *name);
double hsp_options_real(const hsp_options *o, const char *name, double otherwise);
int64_t hsp_options_int(const hsp_options *o, const char *name, int64_t otherwise);
bool hsp_options_flag(const hsp_options *o, const char *name);
/* The place of a choice's value among its choices, which is the enumerator of its list in choices.h; 0 when unset. */
int hsp_options_choice(const hsp_options *o, const char *name);
bool hsp_options_is(const hsp_options *o, const char *name, const char *value);
/* A copy that can be given defaults. */
int hsp_options_copy(const hsp_options *o, hsp_options **out, hsp_error **err);
/* Sets a value that counts as a default (is_set stays false); does nothing to an option that was set. */
int hsp_options_default(hsp_options *o, const char *name, const char *value, hsp_error **err);

#endif
