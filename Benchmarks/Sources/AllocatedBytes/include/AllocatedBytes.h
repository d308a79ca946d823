#pragma once
#include <stddef.h>

/// What the allocator has given out and not got back, with what it keeps beside each block; 0 where it cannot be asked.
size_t allocated_bytes(void);
