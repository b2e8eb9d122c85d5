#include "table/kind.h"

const hsp_kind hsp_kind_ignored = {.name = "ignored",
                                   .help = "ignored: all values are missing, or all are distinct",
                                   .cells = "ignored",
                                   .left_out = true};
