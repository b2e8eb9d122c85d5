/* Conversion of files that need not fit in memory. */
#ifndef HSP_WRITE_CONVERT_FILES_H
#define HSP_WRITE_CONVERT_FILES_H

#include "halfspace.h"
#include "spool/file_list.h"

/* As hsp_files_convert, block by block even if it is one file. */
int hsp_convert_streamed(const hsp_file_list *in, const char *out, const hsp_options *o, const hsp_hooks *hooks,
                         hsp_report **report, hsp_error **err);

#endif
