/* Words that stand for missing values among numbers: known ones are dropped, unknown ones are named. */
#include "frames.h"

#include "table/blank_words.h"

#include <stdio.h>

/* The cells of the frame in one line, a row after the other; '_' is missing. */
static char *shown(const hsp_frame *f) {
    hsp_text t = {0};
    for (int64_t k = 0; k < f->blocks; k++)
        for (int64_t i = 0; i < f->block[k].rows; i++) {
            hsp_cells cells = hsp_block_cells(&f->block[k], i);
            for (int64_t j = 0; j < f->schema.d; j++) {
                hsp_cell cell = hsp_cells_at(&cells, j);
                if (t.length) hsp_text_char(&t, ' ');
                if (cell.text)
                    hsp_text_add_n(&t, cell.text, cell.length);
                else if (hsp_cell_missing(cell))
                    hsp_text_char(&t, '_');
                else
                    hsp_text_number(&t, cell.number);
            }
        }
    return t.s;
}

static void drop(const char *csv, const char *options, int64_t step, const char *expected) {
    hsp_error *err = NULL;
    hsp_table_rules r;
    hsp_frame *f = frames_of(csv, step);
    frames_ok(frames_rules(f, options, &r, &err), &err);
    frames_ok(hsp_blank_words_drop(f, &r, &err), &err);
    char *text = shown(f);
    assert_string_equal(text, expected);
    hsp_free(text);
    hsp_table_rules_clear(&r);
    hsp_frame_free(f);
}

static void dropped(void **state) {
    (void)state;
    for (int64_t step = 1; step < 5; step++) {
        drop("a,b,y\n1,None,0\nNone,-,0\n-,x,0\n1.50,None,0\n", "", step, "1 None _ - _ x 1.50 None");
        drop("a,b,y\n#N/A,1,0\nnil,2,0\n7,.,0\n", "", step, "_ 1 _ 2 7 _");
        drop("a,y\nNone,0\n1,0\n,0\n", "numeric=a", step, "_ 1 _");
    }
}

static void kept(void **state) {
    (void)state;
    for (int64_t step = 1; step < 5; step++) {
        drop("a,y\nNone,0\nnil,0\n,0\n", "", step, "None nil _");    /* no number */
        drop("a,y\nNone,0\n1,0\nx,0\n", "", step, "None 1 x");       /* another word */
        drop("a,y\n1,0\nNone,0\n007,0\n", "", step, "1 None 007");   /* a code */
        drop("a,y\n1,0\nNone,0\n", "categorical=a", step, "1 None"); /* asked for */
        drop("a,y\n1,0\n-,0\n", "text=a", step, "1 -");
        drop("a,y\n1,0\nnone of them,0\n", "", step, "1 none of them");
    }
}

/* A column of n numbers from 0 in steps, with words between them. */
static int learn(int numbers, double by, const char *const *word, int words, int times, hsp_error **err) {
    hsp_text t = {0};
    hsp_table_rules r;
    hsp_encoding *e = NULL;
    hsp_text_add(&t, "c,y\n");
    for (int i = 0; i < numbers; i++) {
        hsp_text_number(&t, i * by);
        hsp_text_add(&t, ",0\n");
    }
    for (int i = 0; i < words * times; i++) hsp_text_format(&t, "%s,1\n", word[i % words]);
    hsp_frame *f = frames_of(t.s, 7);
    frames_ok(frames_rules(f, "", &r, err), err);
    int status = hsp_encoding_learn(f, &r, 2, &e, err);
    hsp_encoding_release(e);
    hsp_table_rules_clear(&r);
    hsp_frame_free(f);
    hsp_text_free(&t);
    return status;
}

static void unknown_words(void **state) {
    (void)state;
    hsp_error *err = NULL;
    static const char *const one[] = {"unk"}, *const two[] = {"n.a.", "not known"}, *const odd[] = {"a=b"};
    frames_fails(learn(30, 1, one, 1, 10, &err), HSP_EINPUT, &err,
                 "t.csv:32: column 'c': 30 of 40 cells are numbers, 'unk' stands 10 times: add --missing-values unk, or "
                 "--categorical c to encode all values as levels");
    frames_fails(learn(12, 0.5, two, 2, 4, &err), HSP_EINPUT, &err,
                 "t.csv:14: column 'c': 12 of 20 cells are numbers, 'n.a.' stands 4 times: add --missing-values n.a.,'not "
                 "known', or --categorical c to encode all values as levels");
    frames_fails(
        learn(30, 1, odd, 1, 10, &err), HSP_EINPUT, &err,
        "t.csv:32: column 'c': 30 of 40 cells are numbers, 'a=b' stands 10 times: use --categorical c to encode all "
        "values as levels");
}

static void levels_all_the_same(void **state) {
    (void)state;
    hsp_error *err = NULL;
    static const char *const word[] = {"a", "b", "c", "d", "e", "f"};
    frames_ok(learn(20, 1, word, 1, 10, &err), &err);   /* few whole numbers */
    frames_ok(learn(10, 0.5, word, 1, 10, &err), &err); /* few numbers */
    frames_ok(learn(40, 1, word, 6, 5, &err), &err);    /* many words */
    frames_ok(learn(40, 1, word, 5, 1, &err), &err);    /* words that stand once */
    frames_ok(learn(40, 1, word, 1, 200, &err), &err);  /* few numbers among words */
}

static void memory_runs_out(void **state) {
    (void)state;
    for (int64_t k = 0;; k++) {
        hsp_error *err = NULL;
        hsp_table_rules r;
        hsp_frame *f = frames_of("a,b,y\n1,None,0\nNone,-,0\n-,x,0\n", 2);
        frames_ok(frames_rules(f, "", &r, &err), &err);
        hsp_memory_fail_after(k);
        int status = hsp_blank_words_drop(f, &r, &err);
        hsp_memory_fail_after(-1);
        hsp_error_free(err);
        hsp_table_rules_clear(&r);
        hsp_frame_free(f);
        if (status == 0) break;
        assert_true(status == HSP_EMEMORY && k < 100);
    }
}

int main(void) {
    const struct CMUnitTest t[] = {cmocka_unit_test(dropped), cmocka_unit_test(kept), cmocka_unit_test(unknown_words),
                                   cmocka_unit_test(levels_all_the_same), cmocka_unit_test(memory_runs_out)};
    return cmocka_run_group_tests(t, NULL, NULL);
}
