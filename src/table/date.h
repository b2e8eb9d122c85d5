/* Dates as tables spell them:
 *
 *     2024-03-05  2024/03/05  5.3.2024      the order of year, month and day is known
 *     05-Mar-23  5 March 2024  Mar 5, 2024  English names of months; a year of two digits is one of 1969 to 2068
 *     03/05/2024  03-05-2024                other cells of the column decide which is the day
 *     03/05/24                              only if the order is asked for
 *
 * each with an optional time [T ]HH:MM[:SS[.fff]][Z|+hh:mm]. The calendar is the Gregorian one, in the years 1 to 9999. */
#ifndef HSP_TABLE_DATE_H
#define HSP_TABLE_DATE_H

#include <stdbool.h>
#include <stdint.h>

/* A set of orders in which a cell is a date. The last three are those that --date-order asks for, in which years may have two
 * digits. */
typedef enum hsp_date_order {
    HSP_DATE_NONE = 0,
    HSP_DATE_DAY_FIRST = 1,
    HSP_DATE_MONTH_FIRST = 2,
    HSP_DATE_EITHER = 3,
    HSP_DATE_SHORT = 4,      /* years of two digits are read */
    HSP_DATE_YEAR_FIRST = 8, /* and come first */
    HSP_DATE_DMY = HSP_DATE_DAY_FIRST | HSP_DATE_SHORT,
    HSP_DATE_MDY = HSP_DATE_MONTH_FIRST | HSP_DATE_SHORT,
    HSP_DATE_YMD = HSP_DATE_EITHER | HSP_DATE_SHORT | HSP_DATE_YEAR_FIRST
} hsp_date_order;

typedef struct hsp_date {
    int year, month, day; /* as written */
    double days;          /* since 1970-01-01 UTC, with the fraction of the day */
} hsp_date;

/* The orders in which the n bytes are a date; *differ, unless NULL: they are two different dates. */
hsp_date_order hsp_date_orders(const char *s, int64_t n, bool *differ);
/* The same, with years of two digits if the order `asked` allows them. */
hsp_date_order hsp_date_orders_as(const char *s, int64_t n, hsp_date_order asked, bool *differ);
/* Reads the date in the given order; false: it is not a date, or (either) two different ones. */
bool hsp_date_read(const char *s, int64_t n, hsp_date_order order, hsp_date *out);
/* The number 20240305 as a date. */
bool hsp_date_of_number(double v, hsp_date *out);
/* The date of days since 1970-01-01, which must be in the years 1 to 9999 (hsp_date_days_valid). */
hsp_date hsp_date_of_days(double days);
bool hsp_date_days_valid(double days);
/* Monday 1 .. Sunday 7. */
int hsp_date_weekday(const hsp_date *d);

#endif
