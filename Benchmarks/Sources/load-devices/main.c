#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void fail(const char *what) {
    fprintf(stderr, "load-devices: %s: %s\n", what, strerror(errno));
    exit(1);
}

int connecting(const struct server *server, int number) {
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    if (descriptor < 0) fail("socket");
    fcntl(descriptor, F_SETFL, O_NONBLOCK);
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct sockaddr_in address = {.sin_family = AF_INET};
#ifdef __linux__
    // An address has fewer free ports than there may be devices; elsewhere only 127.0.0.1 is there.
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)(number / 10000));
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) fail("bind");
#else
    (void)number;
#endif
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)server->port);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0 && errno != EINPROGRESS) fail("connect");
    return descriptor;
}

static int ascending(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void print_latencies(const char *fields, int64_t *nanoseconds, size_t count) {
    qsort(nanoseconds, count, sizeof *nanoseconds, ascending);
    double of[3] = {0, 0, 0};
    if (count > 0) {
        of[0] = (double)nanoseconds[count / 2];
        of[1] = (double)nanoseconds[count * 99 / 100];
        of[2] = (double)nanoseconds[count - 1];
    }
    printf("{%s, \"count\": %zu, \"p50ms\": %.3f, \"p99ms\": %.3f, \"maxms\": %.3f}\n", fields, count, of[0] / 1e6,
           of[1] / 1e6, of[2] / 1e6);
    fflush(stdout);
}

// The tokens come by the environment: DEVICE_TOKEN and OPERATOR_TOKEN.
//
//   load-devices connect PORT CAPABILITY COUNT
//     prints a line when COUNT event streams have had their first event; then, for each line of standard input, "kill" or
//     "resume", makes that order and prints when the streams had it, counted from the order's acknowledgement.
//   load-devices post PORT CAPABILITY RATE SECONDS CONNECTIONS UNITS FIRST
//     posts RATE requests each second, each with UNITS units, from the unit FIRST on; a latency is counted from the time at
//     which the request was due.
int main(int count, char **arguments) {
    signal(SIGPIPE, SIG_IGN);
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    const char *operator_token = getenv("OPERATOR_TOKEN");
    struct server server = {.token = getenv("DEVICE_TOKEN")};
    if (count >= 4) {
        server.port = atoi(arguments[2]);
        server.capability = arguments[3];
    }
    if (server.token && operator_token && count == 5 && strcmp(arguments[1], "connect") == 0) {
        stay_connected(&server, operator_token, atoi(arguments[4]));
    } else if (server.token && count == 9 && strcmp(arguments[1], "post") == 0) {
        post_evidence(&server, atof(arguments[4]), atof(arguments[5]), atoi(arguments[6]), atoi(arguments[7]),
                      atoll(arguments[8]));
    } else {
        fprintf(stderr, "usage: load-devices connect PORT CAPABILITY COUNT\n"
                        "       load-devices post PORT CAPABILITY RATE SECONDS CONNECTIONS UNITS FIRST\n");
        return 64;
    }
    return 0;
}
