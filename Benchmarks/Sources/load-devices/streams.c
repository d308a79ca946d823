#include "load.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// How many connections are being opened at a time: the server's queue of new ones is short.
enum { OPENING = 128 };

static const char mark[] = "event: stage\n";

struct stream {
    int events;
    // How much of the mark was read.
    int matched;
    int was_sent;
};

static struct stream *streams;
static struct pollfd *polled;
static int64_t *arrivals;

// Sends the request when the connection is there.
static void send_request(const struct server *server, int place) {
    char request[1024];
    int length = snprintf(request, sizeof request,
                          "GET /v1/capabilities/%s/stage HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
                          "Authorization: Bearer %s\r\n\r\n",
                          server->capability, server->token);
    if (send(polled[place].fd, request, (size_t)length, 0) != length) fail("a request cannot be sent");
    streams[place].was_sent = 1;
    polled[place].events = POLLIN;
}

// Counts the events in what has arrived; returns how many.
static int read_events(int place) {
    char bytes[8192];
    int found = 0;
    for (;;) {
        ssize_t count = recv(polled[place].fd, bytes, sizeof bytes, 0);
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return found;
        if (count <= 0) fail("a stream has ended");
        struct stream *stream = &streams[place];
        for (ssize_t i = 0; i < count; i++) {
            stream->matched = bytes[i] == mark[stream->matched] ? stream->matched + 1 : bytes[i] == mark[0];
            if (mark[stream->matched] == 0) {
                stream->matched = 0;
                stream->events++;
                found++;
            }
        }
    }
}

// Makes an order over a connection that blocks; returns when it was acknowledged.
static int64_t order(const struct server *server, const char *token, const char *move) {
    int connection = connecting(server, 0);
    struct pollfd ready = {.fd = connection, .events = POLLOUT};
    poll(&ready, 1, 10000);
    const char *body = strcmp(move, "kill") == 0 ? "{\"reason\": \"a benchmark\", \"target\": \"legacy\"}"
                                                 : "{\"reason\": \"a benchmark\"}";
    char request[1024];
    int length = snprintf(request, sizeof request,
                          "POST /v1/capabilities/%s/%s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                          "Authorization: Bearer %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
                          server->capability, move, token, strlen(body), body);
    if (send(connection, request, (size_t)length, 0) != length) fail("an order cannot be sent");
    ready.events = POLLIN;
    if (poll(&ready, 1, 60000) != 1) fail("an order is not answered");
    char answer[64] = {0};
    if (recv(connection, answer, sizeof answer - 1, 0) <= 0 || strncmp(answer, "HTTP/1.1 200", 12) != 0) {
        fprintf(stderr, "load-devices: the order %s is answered: %.12s\n", move, answer);
        exit(1);
    }
    int64_t acknowledged = now();
    close(connection);
    return acknowledged;
}

// Reads until each stream has had that many events.
static void wait_for(const struct server *server, int count, int events, int *opened) {
    int waiting = 0;
    for (int place = 0; place < count; place++) waiting += streams[place].events < events;
    int64_t end = now() + 120 * (int64_t)1000000000;
    int opening = 0;
    while (waiting > 0) {
        while (*opened < count && opening < OPENING) {
            polled[*opened] = (struct pollfd){.fd = connecting(server, *opened), .events = POLLOUT};
            (*opened)++;
            opening++;
        }
        if (now() > end) fail("the streams do not get their events in two minutes");
        if (poll(polled, (nfds_t)*opened, 1000) < 0) fail("poll");
        int64_t time = now();
        for (int place = 0; place < *opened; place++) {
            if (polled[place].revents == 0) continue;
            if (!streams[place].was_sent) {
                send_request(server, place);
                continue;
            }
            int before = streams[place].events;
            if (read_events(place) == 0 || before >= events || streams[place].events < events) continue;
            if (events == 1) opening--;
            arrivals[place] = time;
            waiting--;
        }
    }
}

void stay_connected(const struct server *server, const char *operator_token, int count) {
    streams = calloc((size_t)count, sizeof *streams);
    polled = calloc((size_t)count, sizeof *polled);
    arrivals = calloc((size_t)count, sizeof *arrivals);
    if (!streams || !polled || !arrivals) fail("memory");
    int opened = 0;
    int64_t start = now();
    wait_for(server, count, 1, &opened);
    printf("{\"connected\": %d, \"seconds\": %.3f}\n", count, (double)(now() - start) / 1e9);
    fflush(stdout);
    char line[64];
    for (int events = 2; fgets(line, sizeof line, stdin); events++) {
        line[strcspn(line, "\n")] = 0;
        // What arrived meanwhile is of no order.
        int64_t acknowledged = order(server, operator_token, line);
        wait_for(server, count, events, &opened);
        for (int place = 0; place < count; place++) {
            arrivals[place] = arrivals[place] > acknowledged ? arrivals[place] - acknowledged : 0;
        }
        char fields[96];
        snprintf(fields, sizeof fields, "\"order\": \"%s\"", line);
        print_latencies(fields, arrivals, (size_t)count);
    }
}
