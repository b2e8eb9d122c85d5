/* Any bytes as a proof of separability, of data whose verdict is known: no text proves what is false. The hash of the
 * data is repaired first, so that the code behind it is reached. */
#include "data/data.h"
#include "require.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Three data sets of four rows: separable, not separable, and touching at one end. */
enum { SETS = 3, ROWS = 4 };
static const double POINTS[SETS][ROWS][2] = {
    {{0, 0}, {1, 0}, {3, 3}, {4, 3}}, {{0, 0}, {1, 1}, {0, 1}, {1, 0}}, {{0, 5}, {1, 5}, {1, 5}, {2, 5}}};
static const char *const LABELS[ROWS] = {"a", "a", "b", "b"};
static const char *const ANSWERS[SETS] = {"separable", "not-separable", "touching"};

/* Puts the hash of the data where the text has one. */
static void put_hash(char *text, const hsp_data *data) {
    static const char key[] = "\"data_hash\":\"";
    char *at = strstr(text, key), hex[17];
    if (!at || strlen(at) < sizeof key - 1 + 16) return;
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)hsp_data_hash(data));
    memcpy(at + sizeof key - 1, hex, 16);
}

/* What was verified must be the answer, if it is an answer at all. */
static void check_verified(const hsp_report *proof, const hsp_report *report, const char *answer) {
    REQUIRE(hsp_report_kind(report, NULL) == HSP_REPORT_OBJECT);
    const char *intercept = hsp_report_text(proof, "intercept"); /* "none" is another question */
    if (hsp_report_flag(report, "verified") == 1 && intercept && strcmp(intercept, "free") == 0) {
        const char *verdict = hsp_report_text(proof, "verdict");
        REQUIRE(verdict);
        REQUIRE(strcmp(verdict, answer) == 0 || strcmp(verdict, "undecided") == 0 ||
                (strcmp(verdict, "not-separable") == 0 && strcmp(answer, "touching") == 0));
    }
}

static void try_on(const uint8_t *bytes, size_t size, int set) {
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    hsp_report *proof = NULL, *report = NULL;
    char *text = malloc(size + 1);
    REQUIRE(text && hsp_data_from_dense(POINTS[set][0], ROWS, 2, 2, LABELS, NULL, &data, NULL) == 0);
    memcpy(text, bytes, size);
    text[size] = '\0';
    put_hash(text, data);
    int status = hsp_report_parse(text, size, &proof, &err);
    if (!status) status = hsp_verify_separability(proof, data, NULL, &report, &err);
    if (status) {
        REQUIRE(status != HSP_EINTERNAL && err && !strchr(hsp_error_message(err), '\n') && !report);
    } else {
        check_verified(proof, report, ANSWERS[set]);
    }
    hsp_report_free(report);
    hsp_report_free(proof);
    hsp_error_free(err);
    hsp_data_free(data);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (int set = 0; set < SETS; set++) try_on(data, size, set);
    return 0;
}
