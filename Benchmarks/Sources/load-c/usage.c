#include "load.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

double monotonic_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double processor_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

long peak_kilobytes(void) {
    // Not ru_maxrss: there a child begins with the peak of the process that started it.
    FILE *status = fopen("/proc/self/status", "r");
    long kilobytes = 0;
    char line[256];
    while (status && fgets(line, sizeof line, status)) {
        if (sscanf(line, "VmHWM: %ld", &kilobytes) == 1) break;
    }
    if (status) fclose(status);
    return kilobytes;
}
