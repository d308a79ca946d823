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

struct body {
    char *bytes;
    size_t count, capacity;
};

// A request and its caller.
struct slot {
    CURL *easy;
    struct curl_slist *headers;
    struct body body;
    double started;
    char error[CURL_ERROR_SIZE];
    const struct options *options;
    // Used by the handover only.
    CURLcode result;
    struct slot *next;
};

struct outcome {
    long requests;
    double seconds;
    // In nanoseconds.
    uint32_t *latencies;
    long capacity;
};

// Ends the process with a message.
void fail(const char *what, const char *why) __attribute__((noreturn));

double monotonic_seconds(void);
double processor_seconds(void);
// The process's own high-water mark.
long peak_kilobytes(void);

struct curl_slist *make_headers(void);

struct outcome make_outcome(void);
// The options that a safe wrapper must set on each request if it does not rely on libcurl's defaults.
void set_safely(struct slot *slot);
// Ends the process if the request has failed, and otherwise frees its body.
void check(struct slot *slot, CURLcode result);
void record(struct outcome *outcome, double latency);

void run_requests(const struct options *options);
// As `run` of requests.c, with the callers on another thread than libcurl.
struct outcome run_handover(CURLM *multi, struct slot *slots, const struct options *options, double seconds, long count);
void run_stream(const struct options *options);

#endif
