# Sums of histograms in their compact form (histogram.h).

from cpython.mem cimport PyMem_Free as _hist_free, PyMem_Malloc as _hist_malloc
from libc.stdint cimport uint8_t as _hist_byte

cdef extern from "histogram.h" nogil:
    enum:
        HISTOGRAM_OK
        HISTOGRAM_OVERFLOW
    int _histogram_merge "histogram_merge"(const _hist_byte *a, size_t a_size, const _hist_byte *b, size_t b_size,
                                           _hist_byte *out, size_t *out_size)


def histogram_merge(bytes a, bytes b):
    """The sum of two histograms in compact form, as bytes.

    Raises:
        ValueError: one of them is malformed.
        OverflowError: a count passes 64 bits.
    """
    cdef size_t size = 0
    cdef _hist_byte *out = <_hist_byte *> _hist_malloc(len(a) + len(b) + 1)
    cdef int code
    if out == NULL:
        raise MemoryError()
    try:
        code = _histogram_merge(<const _hist_byte *> <const char *> a, len(a), <const _hist_byte *> <const char *> b, len(b), out, &size)
        if code == HISTOGRAM_OVERFLOW:
            raise OverflowError("a count of a histogram passes 64 bits")
        if code != HISTOGRAM_OK:
            raise ValueError("a malformed histogram")
        return <bytes> (<char *> out)[:size]
    finally:
        _hist_free(out)
