/* Commands that a reader can paste into a shell. */
#ifndef HSP_PLOT_PAGE_SHELL_WORDS_H
#define HSP_PLOT_PAGE_SHELL_WORDS_H

#include "plot/page/html.h"

/* Appends a blank and the word, quoted if a shell would change it. A word with characters that cannot be seen is written with
 * $'...' and their codes, so that what is copied from the page is the word itself. Not escaped for HTML. */
void hsp_shell_word(hsp_html *line, const char *word);
/* The same for the name of a file, which is not taken for an option: "-x.csv" becomes "./-x.csv". */
void hsp_shell_file(hsp_html *line, const char *path);
/* Appends " --name value", or " --name=value" if the value begins with a hyphen; " --name" for a NULL value. */
void hsp_shell_option(hsp_html *line, const char *name, const char *value);

#endif
