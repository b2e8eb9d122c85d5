/* The losses, in the order in which they are listed. A line here needs src/loss/NAME_loss.c, which defines hsp_loss_NAME,
 * and src/verify/loss/NAME_claim.c, which defines the loss independently for verify: without either the build fails. The
 * meson.build files read the names from here. */
#ifndef HSP_LOSS_LOSS_LIST_H
#define HSP_LOSS_LOSS_LIST_H

#define HSP_EACH_LOSS(X) \
    X(zero_one)          \
    X(perceptron)        \
    X(hinge)             \
    X(squared_hinge)     \
    X(smoothed_hinge)    \
    X(modified_huber)    \
    X(logistic)          \
    X(squared)           \
    X(huber)             \
    X(softmax)           \
    X(crammer_singer)

#endif
