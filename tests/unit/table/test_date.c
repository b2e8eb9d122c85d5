/* Which texts are dates, and what day each is. */
#include "frames.h"

#include "table/date.h"

static hsp_date_order orders(const char *s, bool *differ) {
    return hsp_date_orders(s, (int64_t)strlen(s), differ);
}

static void the_forms(void **state) {
    (void)state;
    const struct {
        const char *text;
        hsp_date_order order;
        int year, month, day;
        double days;
    } good[] = {
        {"1970-01-01", HSP_DATE_EITHER, 1970, 1, 1, 0},
        {"1970/01/02", HSP_DATE_EITHER, 1970, 1, 2, 1},
        {"1969-12-31", HSP_DATE_EITHER, 1969, 12, 31, -1},
        {"2000-02-29", HSP_DATE_DAY_FIRST, 2000, 2, 29, 11016},
        {"2024-03-05", HSP_DATE_MONTH_FIRST, 2024, 3, 5, 19787},
        {"2024-3-5", HSP_DATE_EITHER, 2024, 3, 5, 19787},
        {"5.3.2024", HSP_DATE_MONTH_FIRST, 2024, 3, 5, 19787},
        {"05.03.2024", HSP_DATE_EITHER, 2024, 3, 5, 19787},
        {"5/3/2024", HSP_DATE_DAY_FIRST, 2024, 3, 5, 19787},
        {"3/5/2024", HSP_DATE_MONTH_FIRST, 2024, 3, 5, 19787},
        {"03-05-2024", HSP_DATE_MONTH_FIRST, 2024, 3, 5, 19787},
        {"4/4/2024", HSP_DATE_EITHER, 2024, 4, 4, 19817},
        {"13/1/2024", HSP_DATE_EITHER, 2024, 1, 13, 19735},
        {"1/13/2024", HSP_DATE_EITHER, 2024, 1, 13, 19735},
        {"0001-01-01", HSP_DATE_EITHER, 1, 1, 1, -719162},
        {"9999-12-31", HSP_DATE_EITHER, 9999, 12, 31, 2932896},
        {"1970-01-01T12:00", HSP_DATE_EITHER, 1970, 1, 1, 0.5},
        {"1970-01-01 06:00:00", HSP_DATE_EITHER, 1970, 1, 1, 0.25},
        {"1970-01-01 00:00:01.5", HSP_DATE_EITHER, 1970, 1, 1, 1.5 / 86400},
        {"1970-01-01T12:00Z", HSP_DATE_EITHER, 1970, 1, 1, 0.5},
        {"1970-01-01T12:00+06:00", HSP_DATE_EITHER, 1970, 1, 1, 0.25},
        {"1970-01-01T18:00:00.000-12:00", HSP_DATE_EITHER, 1970, 1, 1, 1.25},
        {"5.3.2024 12:00", HSP_DATE_EITHER, 2024, 3, 5, 19787.5},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        hsp_date d;
        if (!hsp_date_read(good[i].text, (int64_t)strlen(good[i].text), good[i].order, &d)) fail_msg("%s", good[i].text);
        if (d.year != good[i].year || d.month != good[i].month || d.day != good[i].day || d.days != good[i].days)
            fail_msg("%s is %d-%d-%d", good[i].text, d.year, d.month, d.day);
    }
}

static void no_dates(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",
        "2024",
        "2024-03",
        "20240305",
        "2024-13-01",
        "2024-00-01",
        "2024-02-30",
        "2023-02-29",
        "1900-02-29",
        "2024-04-31",
        "2024-01-00",
        "0000-01-01",
        "24-03-05",
        "2024-03/05",
        "2024.03.05",
        "3-5-24",
        "32/1/2024",
        "13/13/2024",
        "5.13.2024",
        "2024-03-05x",
        "x2024-03-05",
        " 2024-03-05",
        "2024-03-05T",
        "2024-03-05T12",
        "2024-3-005",
        "202-03-05",
        "2024-03-05T24:00",
        "2024-03-05T12:60",
        "2024-03-05T12:00:60",
        "2024-03-05T1:00",
        "12345-1-1",
        "2024-03-05T12:00+6",
        "2024-03-05T12:00+06:60",
        "2024-03-05T12:00 Z",
        "2024-03-05T12:00:00.",
        "2024-03-05T12:00:00.5x",
        "2024--3-05",
        "-2024-03-05",
        "1/2/3/2024",
        "2024-01-2024",
        "Monday",
        "12:00",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hsp_date d;
        if (orders(bad[i], NULL)) fail_msg("'%s' was taken for a date", bad[i]);
        for (int order = 0; order < 4; order++)
            assert_false(hsp_date_read(bad[i], (int64_t)strlen(bad[i]), (hsp_date_order)order, &d));
    }
}

static void which_comes_first(void **state) {
    (void)state;
    const struct {
        const char *text;
        hsp_date_order orders;
        bool differ;
    } all[] = {{"03/05/2024", HSP_DATE_EITHER, true},       {"13/05/2024", HSP_DATE_DAY_FIRST, false},
               {"05/13/2024", HSP_DATE_MONTH_FIRST, false}, {"05-05-2024", HSP_DATE_EITHER, false},
               {"29/02/2023", HSP_DATE_NONE, false},        {"2024/05/03", HSP_DATE_EITHER, false},
               {"3.5.2024", HSP_DATE_EITHER, false},        {"31/04/2024", HSP_DATE_NONE, false},
               {"02/29/2024", HSP_DATE_MONTH_FIRST, false}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool differ = false;
        if (orders(all[i].text, &differ) != all[i].orders || differ != all[i].differ) fail_msg("%s", all[i].text);
        hsp_date d;
        bool read = hsp_date_read(all[i].text, (int64_t)strlen(all[i].text), HSP_DATE_EITHER, &d);
        assert_int_equal(read, all[i].orders != HSP_DATE_NONE && !all[i].differ);
    }
}

static void as_a_number(void **state) {
    (void)state;
    hsp_date d;
    assert_true(hsp_date_of_number(20240305, &d));
    assert_true(d.year == 2024 && d.month == 3 && d.day == 5 && d.days == 19787);
    static const double bad[] = {0, -20240305, 20240305.5, 20241301, 20240230, 2024, 1e300, 99991232, 100000101, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(hsp_date_of_number(bad[i], &d));
}

/* All days of the calendar, one after the other. */
static void every_day(void **state) {
    (void)state;
    hsp_date before = hsp_date_of_days(-719162);
    assert_true(before.year == 1 && before.month == 1 && before.day == 1 && hsp_date_weekday(&before) == 1);
    for (double days = -719161; hsp_date_days_valid(days); days++) {
        hsp_date d = hsp_date_of_days(days), back;
        bool next = d.year == before.year && d.month == before.month && d.day == before.day + 1;
        bool month = d.year == before.year && d.month == before.month + 1 && d.day == 1 && before.day >= 28;
        bool year = d.year == before.year + 1 && d.month == 1 && d.day == 1 && before.month == 12 && before.day == 31;
        if (!next && !month && !year) fail_msg("%d-%d-%d", d.year, d.month, d.day);
        if (hsp_date_weekday(&d) != hsp_date_weekday(&before) % 7 + 1) fail_msg("weekday");
        if (!hsp_date_of_number(10000.0 * d.year + 100 * d.month + d.day, &back) || back.days != days)
            fail_msg("%d-%d-%d is not its own number", d.year, d.month, d.day);
        before = d;
    }
    assert_true(before.year == 9999 && before.month == 12 && before.day == 31);
    hsp_date d = hsp_date_of_days(19787.75);
    assert_true(d.year == 2024 && d.month == 3 && d.day == 5 && d.days == 19787.75 && hsp_date_weekday(&d) == 2);
    assert_true(!hsp_date_days_valid(-719162.5) && !hsp_date_days_valid(2932897) && !hsp_date_days_valid(NAN));
}

/* Reads the date in this order; days since 1970, or NaN. */
static double days_of(const char *s, hsp_date_order order) {
    hsp_date d;
    return hsp_date_read(s, (int64_t)strlen(s), order, &d) ? d.days : NAN;
}

static void months_by_name(void **state) {
    (void)state;
    static const char *const same[] = {"05-Mar-23",  "5-mar-2023", "5 March 2023", "Mar 5, 2023", "march 5 2023",
                                       "2023-Mar-5", "5.MAR.2023", "5/Mar/23",     "5-Marc-23"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        for (int order = HSP_DATE_DAY_FIRST; order <= HSP_DATE_EITHER; order++)
            assert_true(days_of(same[i], (hsp_date_order)order) == 19421);
    assert_true(days_of("01-Jan-69", HSP_DATE_EITHER) == -365);
    assert_true(days_of("31-Dec-68", HSP_DATE_EITHER) == 36159);
    assert_true(days_of("05-Mar-23 12:00", HSP_DATE_EITHER) == 19421.5);
    static const char *const wrong[] = {"05-Ma-23", "31-Feb-23", "05-Marx-23", "05-Mar-023", "05-Mar-", "Mar-23",
                                        "-Mar-23",  "05Mar23",   "05-Mar-23x", "0-Mar-23",   "March",   "5 March"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_true(isnan(days_of(wrong[i], HSP_DATE_EITHER)));
}

static void asked_orders(void **state) {
    (void)state;
    assert_true(days_of("03/05/24", HSP_DATE_DMY) == days_of("2024-05-03", HSP_DATE_EITHER));
    assert_true(days_of("05/03/24", HSP_DATE_MDY) == days_of("2024-05-03", HSP_DATE_EITHER));
    assert_true(days_of("24/5/3", HSP_DATE_YMD) != days_of("24/5/3", HSP_DATE_YMD)); /* the last part has one digit */
    assert_true(days_of("24-05-03", HSP_DATE_YMD) == days_of("2024-05-03", HSP_DATE_EITHER));
    assert_true(days_of("03/05/2024", HSP_DATE_DMY) == days_of("2024-05-03", HSP_DATE_EITHER));
    assert_true(days_of("2024-05-03", HSP_DATE_MDY) == days_of("2024-05-03", HSP_DATE_EITHER));
    assert_true(isnan(days_of("25/12/24", HSP_DATE_MDY)));
    assert_true(isnan(days_of("12/25/24", HSP_DATE_DMY)));
    assert_true(isnan(days_of("03/05/24", HSP_DATE_EITHER)));
    assert_true(isnan(days_of("03 05 24", HSP_DATE_DMY)));
    assert_true(isnan(days_of("03/05/2024", HSP_DATE_YMD)));
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(the_forms),    cmocka_unit_test(no_dates),  cmocka_unit_test(which_comes_first),
        cmocka_unit_test(as_a_number),  cmocka_unit_test(every_day), cmocka_unit_test(months_by_name),
        cmocka_unit_test(asked_orders),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
