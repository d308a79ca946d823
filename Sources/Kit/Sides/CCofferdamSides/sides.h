#ifndef COFFERDAM_SIDES_H
#define COFFERDAM_SIDES_H

#ifdef __APPLE__
#include <dlfcn.h>
#endif

/// The version of the Clang inside the Swift compiler that reads this header, with the commit that it was built from.
static inline const char *cofferdam_sides_compiler(void) { return __VERSION__; }

/// The process's environment: Swift 6 does not let Swift code read the global variable.
static inline char **cofferdam_sides_environment(void) {
    extern char **environ;
    return environ;
}

#ifndef __APPLE__
// dlfcn.h declares dladdr only with _GNU_SOURCE, which a module's header cannot define.
typedef struct {
    const char *file;
    void *base;
    const char *symbol;
    void *address;
} cofferdam_sides_symbol;
extern int cofferdam_sides_dladdr(const void *, cofferdam_sides_symbol *) __asm__("dladdr");
#endif

/// The path of the library that contains an address, as it was passed to the loader; null if none does.
static inline const char *cofferdam_sides_library(const void *address) {
#ifdef __APPLE__
    Dl_info found;
    return dladdr(address, &found) ? found.dli_fname : 0;
#else
    cofferdam_sides_symbol found;
    return cofferdam_sides_dladdr(address, &found) ? found.file : 0;
#endif
}

#endif
