/* What the reference LAPACK expects of a Fortran run-time library, for the Python wheel, which has none. The usual xerbla
 * prints and ends the process, which a library must not do; after this one the routine returns its error as a status. The
 * callers check their arguments, so none is expected. */
#include <string.h>

/* As gfortran calls them. */
void xerbla_(const char *routine, const int *argument, size_t length);
void _gfortran_concat_string(size_t size, char *out, size_t na, const char *a, size_t nb, const char *b);

void xerbla_(const char *routine, const int *argument, size_t length) {
    (void)routine, (void)argument, (void)length;
}

/* out = a, then b, cut or filled up with blanks to size characters. */
void _gfortran_concat_string(size_t size, char *out, size_t na, const char *a, size_t nb, const char *b) {
    if (na > size) na = size;
    if (nb > size - na) nb = size - na;
    memcpy(out, a, na);
    memcpy(out + na, b, nb);
    memset(out + na + nb, ' ', size - na - nb);
}
