# Which sources this was compiled from.

cdef extern from *:
    """
    #ifndef BEGGAR_SOURCES
    #define BEGGAR_SOURCES "unknown"
    #endif
    """
    const char *BEGGAR_SOURCES

sources = BEGGAR_SOURCES.decode("ascii")
