// A device's requests to cofferdam-server, many at a time, over plain sockets.
#ifndef LOAD_DEVICES_H
#define LOAD_DEVICES_H

#include <stddef.h>
#include <stdint.h>

struct server {
    const char *token;
    const char *capability;
    int port;
};

// Nanoseconds of a clock that is never set.
int64_t now(void);
// Ends the process with a message.
void fail(const char *what);
// A socket that does not block, connecting to the server on loopback; number chooses the source address.
int connecting(const struct server *server, int number);
// Prints count, median, 99th percentile and maximum in milliseconds, as one JSON object with more fields in front.
void print_latencies(const char *fields, int64_t *nanoseconds, size_t count);

// Opens many event streams, says so, and at each line of standard input pulls or resets the kill switch: see main.c.
void stay_connected(const struct server *server, const char *operator_token, int count);
// Posts evidence at a fixed rate, whether answers come or not: see main.c.
void post_evidence(const struct server *server, double rate, double seconds, int connections, int units, int64_t first);

#endif
