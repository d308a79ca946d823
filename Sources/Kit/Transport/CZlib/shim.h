#ifndef COFFERDAM_CZLIB_SHIM_H
#define COFFERDAM_CZLIB_SHIM_H

#include <zlib.h>

// inflateInit2 is a macro, which Swift cannot import.
static inline int cofferdam_inflate_init(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

#endif
