#if TestStand
import Cofferdam
import CofferdamStand
import CofferdamTesting
import Testing
import TestSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Checks clients that reset their connection while the reply arrives. The proxy notices when it writes the first
/// bytes.
@Suite("A client that is gone when its reply is written", .timeLimit(.minutes(1)))
struct LostClientTests {
    /// Runs in a separate process, because the defect is a trap.
    @Test("The write ends the connection at once, and the proxy continues")
    func whole() async {
        await #expect(processExitsWith: .success) { try await losingClient(nil) }
    }

    @Test("Nothing is written later to a client that has gone")
    func paused() async throws {
        let clock = TestClock()
        try await losingClient(.split(intoPiecesOf: 1, pause: .seconds(1)), clock: clock)
        #expect(clock.sleeperCount == 0)
    }
}

/// Loses one client, and then makes a request from another.
private func losingClient(_ action: ProxyAction?, clock: TestClock = TestClock()) async throws {
    let lost = Log<ResettingClient>()
    let framing = LosingFraming { for client in lost.entries { client.reset() } }
    let server = try await TinyServer.lines()
    let proxy = try await TestProxy.start(to: server.upstream, framing: framing, clock: clock)
    let client = try ResettingClient(port: proxy.port)
    lost.add(client)
    if let action { proxy.apply(action) }
    client.send("a\nb\n")
    try await proxy.waitForArrivals(atLeast: 2)
    try await proxy.waitForConnections(exactly: 0)
    let other = try await TinyClient(port: proxy.port)
    guard try await other.ask("c\n", for: "re: c\n") == "re: c\n" else { throw TestError("no answer") }
    await proxy.close()
    try await server.close()
}

/// A framing of lines that announces replies before they are read, on the connection's own loop: the proxy does not
/// see what happens then until it writes.
private struct LosingFraming: Framing {
    struct Parser: FrameParser {
        var lines: any FrameParser
        let announce: @Sendable () -> Void

        mutating func parse(_ bytes: ArraySlice<UInt8>) throws -> Int? {
            announce()
            return try lines.parse(bytes)
        }
    }

    let name = "lines"
    private let lines = LineFraming()
    private let announce: @Sendable () -> Void

    init(_ announce: @escaping @Sendable () -> Void) { self.announce = announce }

    func requestParser() -> any FrameParser { lines.requestParser() }
    func replyParser(to request: [UInt8]?) -> any FrameParser {
        Parser(lines: lines.replyParser(to: request), announce: announce)
    }
    func operation(of request: [UInt8]) throws -> String { lines.operation(of: request) }
}

/// A system socket, which can be reset without an event loop.
private final class ResettingClient: Sendable {
    private let open: Mutex<Int32?>

    init(port: Int) throws {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        open = Mutex(descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafeBytes(of: &address) { bytes in
            // `connect` takes the general type of socket address.
            connect(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        guard result == 0 else { throw TestError("cannot connect: error \(errno)") }
    }

    deinit { reset() }

    func send(_ text: String) {
        open.withLock { open in
            guard let open else { return }
            let count = Array(text.utf8).withUnsafeBytes { write(open, $0.baseAddress, $0.count) }
            #expect(count == text.utf8.count)
        }
    }

    /// Resets the connection if it is open.
    func reset() {
        open.withLock { open in
            guard let descriptor = open else { return }
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
            close(descriptor)
            open = nil
        }
    }

}
#endif
