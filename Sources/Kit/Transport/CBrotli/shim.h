#ifndef COFFERDAM_CBROTLI_SHIM_H
#define COFFERDAM_CBROTLI_SHIM_H

#include <brotli/decode.h>

#endif
