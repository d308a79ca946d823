#ifndef COFFERDAM_LIBFUZZER_SHIM_H
#define COFFERDAM_LIBFUZZER_SHIM_H

#include <stddef.h>
#include <stdint.h>

// libFuzzer's entry for a program that has a main of its own; clang ships no header for it.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif
