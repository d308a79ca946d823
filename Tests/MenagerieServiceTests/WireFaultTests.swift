#if Sandbox
import Foundation
import Testing

@testable import MenagerieService

/// A fault, and its effect on the bytes of an answer.
struct WireFault: Sendable, CustomTestStringConvertible {
    let fault: Fault
    let isAsPromised: @Sendable (_ exchange: RawExchange, _ proper: [UInt8]) -> Bool

    init(_ fault: Fault, _ isAsPromised: @escaping @Sendable (RawExchange, [UInt8]) -> Bool) {
        self.fault = fault
        self.isAsPromised = isAsPromised
    }

    var testDescription: String { "\(fault)" }

    static let all: [WireFault] = [
        .init(.reset) { exchange, _ in exchange.bytes.isEmpty && exchange.ending == .reset },
        .init(.emptyReply) { exchange, _ in exchange.bytes.isEmpty && exchange.ending == .closed },
        .init(.commitThenCut) { exchange, _ in exchange.bytes.isEmpty && exchange.ending == .closed },
        .init(.truncated) { exchange, proper in
            exchange.parts.body == Array(proper.prefix(proper.count / 2)) && exchange.ending == .closed
                && exchange.header("Content-Length") == "\(proper.count)"
        },
        .init(.cut(afterBytes: 7)) { exchange, proper in
            exchange.parts.body == Array(proper.prefix(7)) && exchange.ending == .closed
        },
        // A reset may overtake unread bytes.
        .init(.cut(afterBytes: 7, .reset)) { exchange, _ in
            exchange.parts.body.count <= 7 && exchange.ending == .reset
        },
        .init(.cut(afterBytes: 0)) { exchange, _ in
            exchange.parts.head.first == "HTTP/1.1 200 OK" && exchange.parts.body.isEmpty
        },
        .init(.cut(afterBytes: 1_000_000)) { exchange, proper in
            exchange.parts.body == proper && exchange.header("Content-Length") == "1000001"
        },
        .init(.wrongContentLength(by: 5)) { exchange, proper in
            exchange.parts.body == proper && exchange.header("Content-Length") == "\(proper.count + 5)"
        },
        .init(.wrongContentLength(by: -5)) { exchange, proper in
            exchange.parts.body == proper && exchange.header("Content-Length") == "\(proper.count - 5)"
        },
        .init(.malformedChunk) { exchange, _ in
            exchange.header("Transfer-Encoding") == "chunked" && exchange.header("Content-Length") == nil
                && exchange.text.contains("\r\nzebra\r\n")
        },
        .init(.dribble()) { exchange, proper in exchange.parts.body == proper && exchange.ending == .closed },
        .init(.slowClose(.milliseconds(1))) { exchange, proper in
            exchange.parts.body == proper && exchange.header("Content-Length") == nil && exchange.ending == .closed
        },
        .init(.delay(.milliseconds(1))) { exchange, proper in exchange.parts.body == proper },
        .init(.logNormalDelay(median: .milliseconds(1), sigma: 0.5)) { exchange, proper in
            exchange.parts.body == proper
        },
        .init(.html) { exchange, _ in
            exchange.parts.head.first == "HTTP/1.1 200 OK"
                && exchange.header("Content-Type") == "text/html; charset=utf-8"
        },
        .init(.garbage) { exchange, _ in (try? JSON(reading: exchange.parts.body)) == nil },
        .init(.gateway(502)) { exchange, _ in
            exchange.parts.head.first == "HTTP/1.1 502 Bad Gateway" && exchange.header("Retry-After") == nil
        },
        .init(.gateway(503, retryAfter: .seconds(7))) { exchange, _ in exchange.header("Retry-After") == "7" },
        .init(.gateway(429, retryAfter: .date(after: .seconds(60)))) { exchange, _ in
            exchange.header("Retry-After") == "Tue, 14 Nov 2023 22:14:20 GMT"
        },
        .init(.gateway(599, retryAfter: .text("soon"))) { exchange, _ in
            exchange.parts.head.first?.hasPrefix("HTTP/1.1 599") == true && exchange.header("Retry-After") == "soon"
        },
        .init(.redirect(to: "http://elsewhere.invalid/v1")) { exchange, _ in
            exchange.parts.head.first == "HTTP/1.1 307 Temporary Redirect"
                && exchange.header("Location") == "http://elsewhere.invalid/v1"
        },
        .init(.redirectLoop) { exchange, _ in
            exchange.header("Location")?.hasSuffix("/v1/animals/1?lang=de") == true
        },
        .init(.gzipBomb(bytes: 1_000_000)) { exchange, _ in
            exchange.header("Content-Encoding") == "gzip" && (1_000...10_000).contains(exchange.parts.body.count)
        },
        .init(.altered(.extraField)) { exchange, _ in exchange.text.contains("moonPhase") },
        .init(.altered(.missing("name"))) { exchange, _ in !exchange.text.contains("\"name\"") },
        .init(.altered(.null("name"))) { exchange, _ in exchange.text.contains("\"name\":null") },
        .init(.altered(.wrongType("legs"))) { exchange, _ in exchange.text.contains("\"legs\":\"not a number\"") },
        .init(.altered(.unknownValue("kind"))) { exchange, _ in exchange.text.contains("\"kind\":\"unheard-of\"") },
    ]
}

@Suite(.timeLimit(.minutes(5)))
struct WireFaultTests {
    private static let beginning = ServiceClock.frozen(secondsSince1970: 1_700_000_000)
    private static let request =
        "GET /v1/animals/1?lang=de HTTP/1.1\r\nHost: here\r\nX-Menagerie-Key: k\r\nConnection: close\r\n\r\n"

    @Test("A fault has its effect on the wire once, and the next answer is correct", arguments: WireFault.all)
    func faults(_ wireFault: WireFault) async throws {
        try await withService(.init(clock: Self.beginning)) { service, _ async throws in
            let port = try #require(service.url.split(separator: ":").last.flatMap { UInt16($0) })
            let proper = try await rawExchange(port: port, Self.request).parts.body
            service.control.inject(wireFault.fault, on: .getAnimal, via: .v1)
            let exchange = try await rawExchange(port: port, Self.request)
            #expect(wireFault.isAsPromised(exchange, proper), "\(exchange.ending): \(exchange.text.prefix(600))")
            // The answer of a naive service, which ignores the fault.
            let next = try await rawExchange(port: port, Self.request)
            #expect(next.parts.body == proper)
            #expect(service.control.calls(of: .getAnimal) == 3)
            let isLateOnly =
                switch wireFault.fault {
                case .delay, .logNormalDelay, .dribble: true
                default: false
                }
            #expect(wireFault.isAsPromised(next, proper) == isLateOnly)
        }
    }

    @Test("A fault of one API does not affect the other, and one with a probability depends on the seed")
    func narrowing() async throws {
        try await withService { service, client async throws in
            service.control.inject(.status(500), on: .listAnimals, via: .v2)
            #expect(try await client.get("/v1/animals").status == 200)
            #expect(try await client.get("/v2/animals").status == 500)
            #expect(service.control.calls(of: .listAnimals, via: .v2) == 1)
            func pattern() async throws -> [Int] {
                service.control.reset(baseline: .empty)
                service.control.inject(.status(503), on: .listAnimals, times: .max, probability: 0.5)
                var statuses: [Int] = []
                for _ in 0..<32 { statuses.append(try await client.get("/v1/animals").status) }
                return statuses
            }
            let first = try await pattern()
            #expect(Set(first) == [200, 503])
            #expect(try await pattern() == first)
        }
    }

    @Test("A dribble sends one byte at a time, and ends when the client disconnects")
    func dribble() async throws {
        try await withService { service, _ async throws in
            let port = try #require(service.url.split(separator: ":").last.flatMap { UInt16($0) })
            service.control.inject(.dribble(pause: .seconds(3600)), on: .getAnimal)
            let exchange = try await rawExchange(port: port, Self.request) { !$0.bytes.isEmpty }
            #expect(exchange.text == "H")
            await service.control.waitForDelayed(exactly: 0)
        }
    }

    @Test("A delay ends when the service's clock passes its end: a test need not wait for it")
    func delayOnServiceClock() async throws {
        try await withService { service, client async throws in
            service.control.inject(.delay(.seconds(3600)), on: .getAnimal)
            async let reply = client.get("/v1/animals/1")
            await service.control.waitForDelayed(exactly: 1)
            service.control.advanceClock(by: .seconds(3599))
            #expect(service.control.delayed == 1)
            service.control.advanceClock(by: .seconds(2))
            #expect(try await reply.status == 200)
        }
    }

    @Test("Log-normal delays follow from the seed, and half of them are below the median")
    func logNormal() {
        func draws(seed: UInt64) -> [Duration] {
            var plan = FaultPlan(seed: seed)
            let fault = Fault.logNormalDelay(median: .milliseconds(100), sigma: 0.7)
            plan.inject(fault, on: .account, via: nil, times: 2000, after: 0, probability: 1)
            return (0..<2000).compactMap { _ in
                guard case .delay(let duration)? = plan.take(for: .account, via: .v1) else { return nil }
                return duration
            }
        }
        let some = draws(seed: 1)
        #expect(some == draws(seed: 1))
        #expect(some != draws(seed: 2))
        #expect((900...1100).contains(some.count { $0 < .milliseconds(100) }))
        // Within one sigma of the logarithm lie 68 of 100.
        #expect((1300...1430).contains(some.count { (.milliseconds(50) ... .milliseconds(201)).contains($0) }))
    }

    @Test("A stream is cut after so many bytes, and dribbles", arguments: [Fault.cut(afterBytes: 9), .dribble()])
    func streams(fault: Fault) async throws {
        try await withService { service, _ async throws in
            let port = try #require(service.url.split(separator: ":").last.flatMap { UInt16($0) })
            service.control.inject(fault, on: .accessoryEvents)
            let request = "GET /v2/accessories/stream HTTP/1.1\r\nHost: here\r\nX-Menagerie-Key: k\r\n\r\n"
            let exchange = try await rawExchange(port: port, request) { $0.text.hasSuffix("\n\r\n1\r\n\n\r\n") }
            if case .cut = fault {
                #expect(exchange.ending == .closed)
                #expect(exchange.text.hasSuffix("9\r\nevent: re\r\n"))
            } else {
                #expect(exchange.text.contains("1\r\ne\r\n1\r\nv\r\n"))
            }
        }
    }
}

struct GzipBombTests {
    @Test("The checksum of zeros is that of the bytes", arguments: [0, 1, 2, 255, 4096, 100_003])
    func checksum(count: Int) {
        var register: UInt32 = 0xFFFF_FFFF
        for _ in 0..<count {
            for _ in 0..<8 { register = (register >> 1) ^ (register & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        #expect(GzipBomb.checksum(ofZeros: count) == ~register)
    }
}
#endif
