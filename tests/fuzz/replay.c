/* Runs a fuzz target over every file of the folders given, in order of name; results as TAP. A crash ends the run, which
 * the plan printed first makes a failure. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* 0 when the target came back. */
static int run(const char *folder, const char *name) {
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = n > 0 && (size_t)n < sizeof path ? fopen(path, "rb") : NULL;
    if (!f) return -1;
    long size = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    rewind(f);
    uint8_t *bytes = size >= 0 ? malloc((size_t)size + 1) : NULL;
    int status = bytes && fread(bytes, 1, (size_t)size, f) == (size_t)size ? 0 : -1;
    fclose(f);
    if (status == 0) {
        /* A block of the exact size, so that a sanitizer sees the first byte read beyond it. */
        uint8_t *exact = malloc(size > 0 ? (size_t)size : 1);
        if (exact && size > 0) memcpy(exact, bytes, (size_t)size);
        status = exact ? LLVMFuzzerTestOneInput(exact, (size_t)size) : -1;
        free(exact);
    }
    free(bytes);
    return status;
}

int main(int count, char **folders) {
    int done = 0, failed = 0, planned = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 1; i < count; i++) {
            struct dirent **entries = NULL;
            int n = scandir(folders[i], &entries, visible, alphasort);
            if (pass == 0 && n <= 0) fprintf(stderr, "%s: no corpus\n", folders[i]), failed++;
            for (int k = 0; k < n; k++) {
                if (pass == 0)
                    planned++;
                else {
                    int status = run(folders[i], entries[k]->d_name);
                    printf("%s %d - %s\n", status == 0 ? "ok" : "not ok", ++done, entries[k]->d_name);
                    fflush(stdout);
                    failed += status != 0;
                }
                free(entries[k]);
            }
            free(entries);
        }
        if (pass == 0) printf("1..%d\n", planned);
    }
    return failed > 0;
}
