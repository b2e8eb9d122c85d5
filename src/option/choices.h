/* Options whose choices are values of an enum. Each list pairs enumerators with their words: the enum takes its enumerators
 * from it (HSP_CHOICE_VALUE), the option table its choices (HSP_CHOICE_WORDS), and hsp_options_choice maps words to values.
 * A new choice is added only here. */
#ifndef HSP_OPTION_CHOICES_H
#define HSP_OPTION_CHOICES_H

#define HSP_SCHEDULE_CHOICES(X)          \
    X(HSP_SCHEDULE_CONSTANT, "constant") \
    X(HSP_SCHEDULE_HARMONIC, "harmonic") \
    X(HSP_SCHEDULE_DECAY, "decay")       \
    X(HSP_SCHEDULE_POWER, "power")       \
    X(HSP_SCHEDULE_PEGASOS, "pegasos")   \
    X(HSP_SCHEDULE_LINE_SEARCH, "line-search")
#define HSP_ORDERING_CHOICES(X)     \
    X(HSP_ORDER_CYCLIC, "cyclic")   \
    X(HSP_ORDER_SHUFFLE, "shuffle") \
    X(HSP_ORDER_RANDOM, "random")
#define HSP_START_CHOICES(X)              \
    X(HSP_START_ZERO, "zero")             \
    X(HSP_START_ONE_OVER_D, "one-over-d") \
    X(HSP_START_RANDOM, "random")
#define HSP_UPDATE_ON_CHOICES(X)         \
    X(HSP_ON_NONPOSITIVE, "nonpositive") \
    X(HSP_ON_NEGATIVE, "negative")       \
    X(HSP_ON_MISMATCH, "mismatch")
#define HSP_KEEP_CHOICES(X)  \
    X(HSP_KEEP_LAST, "last") \
    X(HSP_KEEP_BEST, "best") \
    X(HSP_KEEP_AVERAGE, "average")
#define HSP_INTERCEPT_CHOICES(X)  \
    X(HSP_INTERCEPT_FREE, "free") \
    X(HSP_INTERCEPT_NONE, "none") \
    X(HSP_INTERCEPT_PENALISED, "penalised")
#define HSP_KINK_CHOICES(X)  \
    X(HSP_KINK_OPEN, "open") \
    X(HSP_KINK_CLOSED, "closed")

/* The enumerators of a list, for the body of its enum. */
#define HSP_CHOICE_VALUE(value, word) value,
/* The words of a list: "a|b|c". */
#define HSP_CHOICE_WORD(value, word) "|" word
#define HSP_CHOICE_WORDS(list) (&(list(HSP_CHOICE_WORD))[1])

#endif
