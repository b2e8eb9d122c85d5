/* The pages of the documentation inside the program, for `halfspace help TOPIC`. docs/make-help writes the table. */
#ifndef HSP_CLI_TOPICS_H
#define HSP_CLI_TOPICS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct hsp_cli_topic {
    const char *name, *title;
    const unsigned char *packed; /* plain text, deflated by zlib */
    size_t packed_bytes, bytes;
} hsp_cli_topic;

extern const hsp_cli_topic hsp_cli_topics[]; /* by name; ends with a NULL name */

/* Returns NULL for an unknown name. */
const hsp_cli_topic *hsp_cli_find_topic(const char *name);
/* Print to stdout and return the exit code: a page, and the list of pages with their titles. */
int hsp_cli_help_topic(const hsp_cli_topic *topic, bool json);
int hsp_cli_help_topics(bool json);
/* Prints that there is neither a command nor a topic of this name, with the nearest one. Returns the exit code. */
int hsp_cli_unknown_topic(const char *name);

#endif
