/* Any bytes as a message of parts, with size and checksum repaired. A request: the part answers or refuses it; the replies of
 * two parts add up in both orders to the same bytes, and none is added to itself. A reply: it is added to the reply of a
 * part, or refused. */
#include "part/reply.h"
#include "part/wire.h"
#include "require.h"

#include <string.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS = 5, COLUMNS = 2, HEAD = 32 };
static const double POINTS[2][ROWS][COLUMNS] = {{{0, 1}, {1, 0}, {3, -3}, {0.5, 3}, {0, 0}},
                                                {{2, 1}, {-1, 1}, {0, 1e300}, {1, 1e-300}, {7, 7}}};
static const char *const LABELS[ROWS] = {"a", "b", "a", "b", "a"};
static const double TARGETS[ROWS] = {1, 2, -3, 0, 0.5};

static hsp_data *make_data(int which, bool targets) {
    hsp_data *data = NULL;
    REQUIRE(hsp_data_from_dense(POINTS[which][0], ROWS, COLUMNS, COLUMNS, targets ? NULL : LABELS, NULL, &data, NULL) == 0);
    if (targets) REQUIRE(hsp_data_set_targets(data, TARGETS, NULL) == 0);
    return data;
}

static void check_refused(int status, const void *bytes, hsp_error *err) {
    REQUIRE((status == 0) == (err == NULL) && (status == 0) == (bytes != NULL));
    if (err) REQUIRE(status != HSP_EINTERNAL && hsp_error_code(err) == status && !strchr(hsp_error_message(err), '\n'));
    hsp_error_free(err);
}

/* The reply to a request, or NULL. */
static void *answer(hsp_part *part, const void *request, size_t size, size_t *got) {
    void *reply = NULL;
    hsp_error *err = NULL;
    *got = 0;
    int status = hsp_part_answer(part, request, size, &reply, got, &err);
    check_refused(status, reply, err);
    return reply;
}

static void *add(const void *a, size_t n, const void *b, size_t m, size_t *got) {
    void *sum = NULL;
    hsp_error *err = NULL;
    *got = 0;
    int status = hsp_reply_add(a, n, b, m, &sum, got, &err);
    check_refused(status, sum, err);
    return sum;
}

/* Whether a reply states what is wrong with the rows, and has no blocks. */
static bool is_fault(const void *bytes, size_t size) {
    hsp_reply r;
    REQUIRE(hsp_reply_read(bytes, size, &r, NULL) == 0);
    bool fault = r.fault.code != 0;
    hsp_reply_clear(&r);
    return fault;
}

static void check_replies(const void *a, size_t n, const void *b, size_t m) {
    size_t size, other, twice;
    void *sum = add(a, n, b, m, &size), *swapped = add(b, m, a, n, &other), *itself = add(a, n, a, n, &twice);
    REQUIRE(sum && swapped && size == other && memcmp(sum, swapped, size) == 0);
    REQUIRE(!itself || is_fault(a, n));
    hsp_free(sum);
    hsp_free(swapped);
    hsp_free(itself);
}

static void try_message(const void *bytes, size_t size, bool targets) {
    hsp_data *data[2] = {make_data(0, targets), make_data(1, targets)};
    hsp_part *part[2] = {NULL, NULL};
    hsp_wire w;
    size_t n, m, k;
    void *schema = NULL;
    for (int i = 0; i < 2; i++) REQUIRE(hsp_part_of_data(data[i], i, NULL, &part[i], NULL) == 0);
    void *a = answer(part[0], bytes, size, &n), *b = answer(part[1], bytes, size, &m);
    REQUIRE(!a == !b);
    if (a) {
        check_replies(a, n, b, m);
    } else {
        hsp_wire_begin(&w, HSP_WIRE_REQUEST, 1);
        REQUIRE(hsp_wire_take(&w, &schema, &k, NULL) == 0);
        a = answer(part[0], schema, k, &n);
        REQUIRE(a);
        hsp_free(add(bytes, size, a, n, &k));
        hsp_free(add(bytes, size, bytes, size, &k));
    }
    hsp_free(schema);
    hsp_free(a);
    hsp_free(b);
    for (int i = 0; i < 2; i++) {
        hsp_part_free(part[i]);
        hsp_data_free(data[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t padded = (size + 7) / 8 * 8;
    if (size < 8 || size > 1 << 14) return 0;
    if (padded < HEAD) padded = HEAD;
    uint8_t *message = calloc(padded, 1);
    REQUIRE(message);
    memcpy(message, data, size);
    uint64_t whole = padded, sum = XXH3_64bits(message + 24, padded - 24);
    memcpy(message + 8, &whole, 8);
    memcpy(message + 16, &sum, 8);
    bool targets = data[7] == 'T'; /* the last byte of the magic says which data */
    message[7] = '\n';
    try_message(message, padded, targets);
    free(message);
    return 0;
}
