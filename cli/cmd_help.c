/* halfspace help */
#include "arguments.h"
#include "fail.h"
#include "help.h"
#include "topics.h"

#include <string.h>

/* The page of a name that is not a command, or of any name with --page. */
static int help_page(const char *name, bool json) {
    const hsp_cli_topic *topic = hsp_cli_find_topic(name);
    if (topic) return hsp_cli_help_topic(topic, json);
    return strcmp(name, "topics") == 0 ? hsp_cli_help_topics(json) : hsp_cli_unknown_topic(name);
}

static int help_command(hsp_cli_call *call) {
    const char *name = call->operands ? call->operand[0] : NULL;
    bool page = hsp_cli_value(call, "page") != NULL;
    const hsp_cli_command *command = name && !page ? hsp_cli_find_command(name) : NULL;
    if (page && !name)
        return hsp_cli_fail(HSP_EXIT_USAGE, "--page needs a topic: `halfspace help topics` lists them");
    if (name && !command) return help_page(name, call->json);
    if (hsp_cli_value(call, "man")) return hsp_cli_help_man();
    if (call->json) return hsp_cli_help_json(command);
    return command ? hsp_cli_help_command(command) : hsp_cli_help_overview();
}

const hsp_cli_command hsp_cli_help = {
    .name = "help",
    .help = "print the help of a command, or a page of the documentation",
    .operands = "[COMMAND|TOPIC]",
    .synopsis = "[COMMAND | TOPIC] [--page] [--man]",
    .detail = "Every algorithm is a topic, such as `perceptron` or `svm`, and so are `losses`, `penalties`, `companion` and "
              "other pages; `halfspace help topics` lists them.",
    .takes = "",
    .own = {{"page", NULL, 0, NULL, "the page of the documentation, if a command has the same name (such as inspect)"},
            {"man", NULL, 0, NULL, "the man page halfspace.1, in roff"}},
    .example = {"halfspace help train", "halfspace help perceptron | less", "halfspace help topics",
                "halfspace help --man | man -l -"},
    .run = help_command,
};
