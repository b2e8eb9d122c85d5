/* A training that is stopped after any question, or in the middle of writing an answer, and resumed: the same model; and
 * journals of other data, other options, or of nothing. */
#include "cut_data.h"

#include "../read/own_folder.h"
#include "base/text.h"

#include <sys/stat.h>

typedef struct counted {
    const hsp_engine *inner;
    int64_t left, asked; /* questions until it fails */
} counted;

static int ask_counted(void *user, const void *request, size_t request_size, const void **reply, size_t *reply_size,
                       char *why) {
    counted *c = user;
    c->asked++;
    if (c->left-- <= 0) {
        snprintf(why, HSP_WHY_SIZE, "killed");
        return HSP_EIO;
    }
    return c->inner->ask(c->inner->user, request, request_size, reply, reply_size, why);
}

/* Trains with at most `most` questions to the data; the status. */
static int train(const cut_data *data, const char *C, const char *path, int resume, int64_t most, int64_t *asked,
                 char **model, hsp_error **err) {
    hsp_engine *all = engine_of(data, 0), *kept = NULL, limited = *all;
    counted c = {all, most, 0};
    hsp_options *o = NULL;
    hsp_model *m = NULL;
    limited.user = &c;
    limited.ask = ask_counted;
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    assert_int_equal(hsp_options_set(o, "C", C, NULL), 0);
    int status = hsp_engine_checkpoint(&limited, path, resume, &kept, err);
    if (!status) status = hsp_train_parts(kept, o, NULL, &m, NULL, err);
    *model = NULL;
    if (!status) {
        const char *file = in_folder("m.hsm");
        assert_int_equal(hsp_model_save(m, file, NULL), 0);
        FILE *f = fopen(file, "rb");
        *model = hsp_alloc_zero(1 << 16, 1);
        assert_true(fread(*model, 1, 1 << 16, f) > 0);
        fclose(f);
        remove(file);
    }
    *asked = c.asked;
    hsp_model_free(m);
    hsp_options_free(o);
    hsp_engine_checkpoint_free(kept);
    hsp_engine_free(all);
    return status;
}

static const random_rows rows = {.n = 3 * HSP_PART_ROWS + 77, .d = 4, .classes = 2, .filled = 1, .seed = 5};

static void resumed_at_any_moment(void **state) {
    (void)state;
    cut_data data = cut_rows(&rows, 2);
    const char *path = in_folder("run");
    char *expected, *model;
    int64_t all, asked;
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    assert_int_equal(train(&data, "2", path, 0, 1000, &all, &expected, NULL), 0);
    remove(path);
    for (int64_t stop = 0; stop < all; stop++) {
        struct stat about;
        hsp_error *err = NULL;
        assert_int_equal(train(&data, "2", path, 0, stop, &asked, &model, &err), HSP_EIO);
        hsp_error_free(err);
        /* A write that was cut off. */
        assert_int_equal(stat(path, &about), 0);
        if (stop % 2 && about.st_size > 30) assert_int_equal(truncate(path, about.st_size - 7), 0);
        assert_int_equal(train(&data, "2", path, 1, 1000, &asked, &model, NULL), 0);
        assert_memory_equal(model, expected, 1 << 16);
        assert_true(asked <= all - stop + 3); /* two are asked again, one was cut off */
        hsp_free(model);
        remove(path);
    }
    hsp_free(expected);
    free_cut(&data);
}

static void other_runs_are_refused(void **state) {
    (void)state;
    random_rows others = rows;
    others.seed = 6;
    cut_data data = cut_rows(&rows, 1), other = cut_rows(&others, 1);
    const char *path = in_folder("run");
    char *model;
    int64_t asked;
    hsp_error *err = NULL;
    assert_int_equal(train(&data, "2", path, 0, 6, &asked, &model, NULL), HSP_EIO);
    assert_int_equal(train(&data, "2", path, 0, 1000, &asked, &model, NULL), HSP_EUSAGE);
    assert_int_equal(train(&data, "3", path, 1, 1000, &asked, &model, &err), HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(err), "other data or options"));
    hsp_error_free(err);
    assert_int_equal(train(&other, "2", path, 1, 1000, &asked, &model, NULL), HSP_EINPUT);
    assert_int_equal(hsp_write_file(path, "hspjrnL", 7, NULL), 0);
    assert_int_equal(train(&data, "2", path, 1, 1000, &asked, &model, NULL), HSP_EINPUT);
    assert_int_equal(hsp_write_file(path, "hspjrnl1 and more", 7, NULL), 0); /* killed in its first bytes */
    assert_int_equal(train(&data, "2", path, 1, 1000, &asked, &model, NULL), 0);
    free(model);
    remove(path);
    assert_int_equal(train(&data, "2", path, 1, 1000, &asked, &model, NULL), HSP_EINPUT);
    free_cut(&data);
    free_cut(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resumed_at_any_moment),
        cmocka_unit_test(other_runs_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
