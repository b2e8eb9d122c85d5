#include "topics.h"
#include "command.h"
#include "fail.h"
#include "halfspace_internal.h"
#include "json_output.h"
#include "unknown.h"

#include <string.h>
#include <zlib.h>

const hsp_cli_topic *hsp_cli_find_topic(const char *name) {
    for (const hsp_cli_topic *t = hsp_cli_topics; t->name; t++)
        if (strcmp(t->name, name) == 0) return t;
    return NULL;
}

int hsp_cli_help_topic(const hsp_cli_topic *topic, bool json) {
    uLongf bytes = (uLongf)topic->bytes;
    char *text = hsp_alloc_zero((int64_t)bytes + 1, 1);
    if (!text || uncompress((Bytef *)text, &bytes, topic->packed, (uLong)topic->packed_bytes) != Z_OK) {
        hsp_free(text);
        return hsp_cli_fail_memory();
    }
    if (json) {
        hsp_cli_object o;
        hsp_cli_object_begin(&o);
        hsp_json_string(&o.j, "topic", topic->name);
        hsp_json_string(&o.j, "title", topic->title);
        hsp_json_string(&o.j, "text", text);
        hsp_cli_object_print(&o);
    } else {
        fputs(text, stdout);
    }
    hsp_free(text);
    return HSP_EXIT_OK;
}

static void print_topics_json(void) {
    hsp_cli_object o;
    hsp_cli_object_begin(&o);
    hsp_json_array(&o.j, "topics");
    for (const hsp_cli_topic *t = hsp_cli_topics; t->name; t++) {
        hsp_json_object(&o.j, NULL);
        hsp_json_string(&o.j, "topic", t->name);
        hsp_json_string(&o.j, "title", t->title);
        hsp_json_object_end(&o.j);
    }
    hsp_json_array_end(&o.j);
    hsp_cli_object_print(&o);
}

int hsp_cli_help_topics(bool json) {
    if (json) {
        print_topics_json();
        return HSP_EXIT_OK;
    }
    printf("Pages of the documentation, printed by `halfspace help TOPIC`:\n");
    for (const hsp_cli_topic *t = hsp_cli_topics; t->name; t++) {
        const char *note = hsp_cli_find_command(t->name) ? " (`halfspace help --page`, since it is also a command)" : "";
        printf("  %-20s  %s%s\n", t->name, strcmp(t->name, t->title) == 0 ? "the algorithm" : t->title, note);
    }
    return HSP_EXIT_OK;
}

int hsp_cli_unknown_topic(const char *name) {
    if (hsp_cli_find_command(name))
        return hsp_cli_fail(HSP_EXIT_USAGE, "no page is named '%s': `halfspace help %s` prints the help of the command", name,
                            name);
    const char *names[128];
    size_t n = 0, most = sizeof names / sizeof *names - 1;
    for (int i = 0; hsp_cli_commands[i] && n < most; i++) names[n++] = hsp_cli_commands[i]->name;
    for (const hsp_cli_topic *t = hsp_cli_topics; t->name && n < most; t++) names[n++] = t->name;
    names[n] = NULL;
    const char *nearest = hsp_name_nearest(name, names), *remedy = hsp_cli_foreign_command(name);
    if (remedy) return hsp_cli_fail(HSP_EXIT_USAGE, "unknown command or topic '%s': %s", name, remedy);
    if (nearest)
        return hsp_cli_fail(HSP_EXIT_USAGE, "unknown command or topic '%s': did you mean %s?", name, nearest);
    return hsp_cli_fail(HSP_EXIT_USAGE, "unknown command or topic '%s': `halfspace help topics` lists the topics", name);
}
