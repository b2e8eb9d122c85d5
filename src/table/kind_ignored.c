#include "table/kind.h"

const hsp_kind hsp_kind_ignored = {
    .name = "ignored", .help = "left out: all values are missing, or all differ", .cells = "ignored", .left_out = true};
