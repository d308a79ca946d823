// A load on libcurl's multi interface in plain C: the base for measuring a wrapper of libcurl.
#ifndef LOAD_H
#define LOAD_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

struct options {
    const char *variant;
    const char *workload;
    const char *url;
    const char *authority;
    int concurrency;
    double warm;
    double seconds;
    // Replaces seconds, for figures that are counted, not timed.
    long count;
    // The expected length of each reply's body.
    uint64_t expected;
    // The pause of a slow consumer after each MB, in milliseconds.
    int pause;
    bool http2;
};

// Ends the process with a message.
void fail(const char *what, const char *why) __attribute__((noreturn));

double monotonic_seconds(void);
double processor_seconds(void);
// The process's own high-water mark.
long peak_kilobytes(void);

struct curl_slist *make_headers(void);

void run_requests(const struct options *options);
void run_stream(const struct options *options);

#endif
