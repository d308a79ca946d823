#pragma once
#include <stddef.h>

/// The bytes allocated and not freed, including the allocator's overhead; 0 where that is unknown.
size_t allocated_bytes(void);
