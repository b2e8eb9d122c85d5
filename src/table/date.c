#include "table/date.h"

#include "base/text.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- the calendar ---- */

static bool is_leap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static bool is_valid(int year, int month, int day) {
    static const int length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return false;
    return day <= length[month - 1] + (month == 2 && is_leap(year));
}

enum { DAYS_OF_400_YEARS = 146097, EPOCH = 719162 }; /* EPOCH: days from 0001-01-01 to 1970-01-01 */

static int64_t days_before_year(int64_t year) {
    int64_t y = year - 1;
    return 365 * y + y / 4 - y / 100 + y / 400;
}

static int64_t days_before_month(int year, int month) {
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    return before[month - 1] + (month > 2 && is_leap(year));
}

static int64_t day_number(int year, int month, int day) {
    return days_before_year(year) + days_before_month(year, month) + day - 1 - EPOCH;
}

bool hsp_date_days_valid(double days) {
    return days >= -EPOCH && days < (double)(days_before_year(10000) - EPOCH);
}

hsp_date hsp_date_of_days(double days) {
    int64_t from = (int64_t)floor(days) + EPOCH;
    hsp_date d = {.year = 1 + (int)(from * 400 / DAYS_OF_400_YEARS), .month = 12, .days = days};
    while (days_before_year(d.year) > from) d.year--; /* the estimate is at most one year off */
    while (days_before_year(d.year + 1) <= from) d.year++;
    from -= days_before_year(d.year);
    while (days_before_month(d.year, d.month) > from) d.month--;
    d.day = 1 + (int)(from - days_before_month(d.year, d.month));
    return d;
}

int hsp_date_weekday(const hsp_date *d) {
    int64_t from = day_number(d->year, d->month, d->day) + EPOCH; /* 0001-01-01 was a Monday */
    return 1 + (int)(from % 7);
}

/* ---- reading ---- */

/* Reads 1 to `most` digits at *p, their count in *width; -1: none. */
static int read_digits(const char **p, const char *end, int most, int *width) {
    int v = 0, n = 0;
    while (*p < end && n < most && **p >= '0' && **p <= '9') {
        v = 10 * v + *(*p)++ - '0';
        n++;
    }
    *width = n;
    return n > 0 ? v : -1;
}

static bool skip(const char **p, const char *end, char c) {
    if (*p == end || **p != c) return false;
    ++*p;
    return true;
}

/* Reads two digits below `limit`, after the character `before` unless it is 0; -1: they are not there. */
static int read_two(const char **p, const char *end, char before, int limit) {
    int width, v;
    if (before && !skip(p, end, before)) return -1;
    v = read_digits(p, end, 2, &width);
    return width == 2 && v < limit ? v : -1;
}

/* Reads the UTC offset +hh:mm or Z, in minutes; an absent one is 0. */
static bool read_offset(const char **p, const char *end, int *minutes) {
    *minutes = 0;
    if (*p == end || skip(p, end, 'Z') || skip(p, end, 'z')) return true;
    int sign = skip(p, end, '+') ? 1 : skip(p, end, '-') ? -1 : 0;
    if (sign == 0) return false;
    int hours = read_two(p, end, 0, 24), rest = hours < 0 ? -1 : read_two(p, end, ':', 60);
    *minutes = sign * (60 * hours + rest);
    return rest >= 0;
}

/* Reads [T ]HH:MM[:SS[.fff]][Z|+hh:mm] up to the end, as a fraction of the day. */
static bool read_time(const char *p, const char *end, double *part) {
    *part = 0;
    if (p == end) return true;
    if (!skip(&p, end, 'T') && !skip(&p, end, 't') && !skip(&p, end, ' ')) return false;
    int hours = read_two(&p, end, 0, 24), minutes = hours < 0 ? -1 : read_two(&p, end, ':', 60), offset;
    if (minutes < 0) return false;
    double seconds = 0, unit = 1;
    if (p < end && *p == ':') {
        int whole = read_two(&p, end, ':', 60);
        if (whole < 0) return false;
        seconds = whole;
        if (skip(&p, end, '.')) {
            const char *from = p;
            for (; p < end && *p >= '0' && *p <= '9'; p++)
                if (p - from < 9) seconds += (*p - '0') * (unit /= 10);
            if (p == from) return false;
        }
    }
    if (!read_offset(&p, end, &offset) || p != end) return false;
    *part = (60.0 * (60 * hours + minutes - offset) + seconds) / 86400;
    return true;
}

/* A date before it is known which field is the day. */
typedef struct date_fields {
    int year, a, b; /* a comes before b if the year is last */
    bool fixed;     /* a is the day in every order */
    hsp_date_order orders;
    double part;
} date_fields;

/* Reads three numbers with the same character between them. */
static bool read_fields(const char *s, int64_t n, int field[3], int width[3], char *between, const char **rest) {
    const char *p = s, *end = s + n;
    for (int k = 0; k < 3; k++) {
        if (k == 1) *between = p < end ? *p : '\0';
        if (k > 0 && !skip(&p, end, *between)) return false;
        field[k] = read_digits(&p, end, 4, &width[k]);
        if (width[k] == 0 || width[k] == 3) return false;
    }
    *rest = p;
    return true;
}

/* ---- names of months ---- */

/* The month whose English name, or its first three letters or more, is at *p; 0: none. *p moves on. */
static int read_month(const char **p, const char *end) {
    static const char *const names[] = {"january", "february", "march",     "april",   "may",      "june",
                                        "july",    "august",   "september", "october", "november", "december"};
    int64_t n = 0;
    while (*p + n < end && ((unsigned char)(((*p)[n] | 0x20) - 'a') < 26)) n++;
    for (int k = 0; k < 12 && n >= 3; k++) {
        if (n > (int64_t)strlen(names[k]) || !hsp_text_same_letters(*p, names[k], n)) continue;
        *p += n;
        return k + 1;
    }
    return 0;
}

/* Skips what may stand between the parts of a date with the name of a month. */
static bool skip_between(const char **p, const char *end) {
    const char *from = *p;
    if (*p < end && strchr("-/.,", **p)) ++*p;
    while (*p < end && **p == ' ' && *p - from < 3) ++*p;
    return *p > from;
}

static int whole_year(int year, int width) {
    return width == 2 ? year + (year < 69 ? 2000 : 1900) : year;
}

/* 05-Mar-23, 5 March 2024, Mar 5, 2024, 2024-Mar-05. */
static hsp_date_order read_named(const char *s, int64_t n, date_fields *r) {
    const char *p = s, *end = s + n;
    int width[2] = {0, 0}, first = read_digits(&p, end, 4, &width[0]), second;
    if (width[0] > 0 && !skip_between(&p, end)) return HSP_DATE_NONE;
    r->b = read_month(&p, end);
    if (r->b == 0 || !skip_between(&p, end)) return HSP_DATE_NONE;
    second = read_digits(&p, end, 4, &width[1]);
    if (width[0] == 0) { /* Mar 5, 2024 */
        first = second;
        width[0] = width[1];
        if (!skip_between(&p, end)) return HSP_DATE_NONE;
        second = read_digits(&p, end, 4, &width[1]);
    }
    bool year_first = width[0] == 4;
    int year_width = width[!year_first], day_width = width[year_first];
    if ((year_width != 2 && year_width != 4) || day_width < 1 || day_width > 2) return HSP_DATE_NONE;
    if (!read_time(p, end, &r->part)) return HSP_DATE_NONE;
    r->year = whole_year(year_first ? first : second, year_width);
    r->a = year_first ? second : first;
    r->fixed = true;
    r->orders = is_valid(r->year, r->b, r->a) ? HSP_DATE_EITHER : HSP_DATE_NONE;
    return r->orders;
}

/* ---- dates of numbers ---- */

/* A date with a year of two digits, in the order that was asked for. */
static hsp_date_order read_short(const int field[3], char between, hsp_date_order asked, date_fields *r) {
    bool year_first = asked & HSP_DATE_YEAR_FIRST;
    if (between != '/' && between != '-' && between != '.') return HSP_DATE_NONE;
    r->year = whole_year(field[year_first ? 0 : 2], 2);
    r->fixed = true;
    r->a = year_first || (asked & HSP_DATE_EITHER) == HSP_DATE_MONTH_FIRST ? field[year_first ? 2 : 1] : field[0];
    r->b = year_first ? field[1] : (asked & HSP_DATE_EITHER) == HSP_DATE_MONTH_FIRST ? field[0] : field[1];
    r->orders = is_valid(r->year, r->b, r->a) ? HSP_DATE_EITHER : HSP_DATE_NONE;
    return r->orders;
}

static hsp_date_order read_date(const char *s, int64_t n, hsp_date_order asked, date_fields *r) {
    int field[3], width[3];
    char between;
    const char *rest;
    *r = (date_fields){0};
    if (n < 6 || n > 64) return HSP_DATE_NONE;
    if (*s < '0' || *s > '9' || !read_fields(s, n, field, width, &between, &rest)) return read_named(s, n, r);
    if (!read_time(rest, s + n, &r->part)) return HSP_DATE_NONE;
    bool year_first = width[0] == 4, year_last = width[2] == 4;
    if ((asked & HSP_DATE_SHORT) && width[0] <= 2 && width[1] <= 2 && width[2] == 2)
        return read_short(field, between, asked, r);
    if (n < 8 || width[1] > 2 || year_first == year_last || (!year_first && width[0] > 2)) return HSP_DATE_NONE;
    r->year = field[year_first ? 0 : 2];
    r->a = field[year_first ? 2 : 0]; /* the day, unless the order is open */
    r->b = field[1];
    bool day_first = is_valid(r->year, r->b, r->a), month_first = is_valid(r->year, r->a, r->b);
    if (year_first && between != '-' && between != '/') return HSP_DATE_NONE;
    if (year_first || between == '.')
        r->orders = day_first ? HSP_DATE_EITHER : HSP_DATE_NONE;
    else if (between == '/' || between == '-')
        r->orders = (day_first ? HSP_DATE_DAY_FIRST : 0) | (month_first ? HSP_DATE_MONTH_FIRST : 0);
    return r->orders;
}

/* Whether the spelling leaves open which field is the day. */
static bool has_open_order(const char *s, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (s[i] < '0' || s[i] > '9') return i < 4 && s[i] != '.';
    return false;
}

hsp_date_order hsp_date_orders_as(const char *s, int64_t n, hsp_date_order asked, bool *differ) {
    date_fields r;
    hsp_date_order orders = read_date(s, n, asked, &r);
    if (differ) *differ = orders == HSP_DATE_EITHER && !r.fixed && r.a != r.b && has_open_order(s, n);
    return orders;
}

hsp_date_order hsp_date_orders(const char *s, int64_t n, bool *differ) {
    return hsp_date_orders_as(s, n, HSP_DATE_NONE, differ);
}

static bool make_date(int year, int month, int day, double part, hsp_date *out) {
    if (!is_valid(year, month, day)) return false;
    *out = (hsp_date){year, month, day, (double)day_number(year, month, day) + part};
    return true;
}

bool hsp_date_read(const char *s, int64_t n, hsp_date_order order, hsp_date *out) {
    date_fields r;
    hsp_date_order orders = read_date(s, n, order, &r);
    hsp_date_order among = order & HSP_DATE_EITHER;
    bool open = !r.fixed && has_open_order(s, n), swapped = open && (orders & among) == HSP_DATE_MONTH_FIRST;
    if (!(orders & among) || (open && among == HSP_DATE_EITHER && orders == HSP_DATE_EITHER && r.a != r.b)) return false;
    return make_date(r.year, swapped ? r.a : r.b, swapped ? r.b : r.a, r.part, out);
}

bool hsp_date_of_number(double v, hsp_date *out) {
    if (!(v >= 10101 && v <= 99991231) || floor(v) != v) return false;
    int whole = (int)v;
    return make_date(whole / 10000, whole / 100 % 100, whole % 100, 0, out);
}
