#if TestStand
import Cofferdam
import CofferdamTesting
import NIOCore
import NIOPosix
import Testing

@testable import CofferdamStand

/// Checks connections that end between acceptance and their first event, because an event loop accepts in two
/// steps.
@Suite("A client that is accepted while the proxy closes", .timeLimit(.minutes(1)))
struct EarlyEndTests {
    @Test("Does not keep the proxy from closing")
    func closes() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let ledger = ProxyLedger(limits: .defaults)
        let framing = ClosingFraming(loop: loop)
        let setup = ProxySetup(upstream: nil, framing: framing, ledger: ledger, clock: TestClock())
        let hub = try await loop.submit { NIOLoopBound(ProxyHub(loop: loop, setup: setup), eventLoop: loop) }.get()
        framing.close.withLock { $0 = { hub.value.close() } }
        let port = try await loop.flatSubmit { hub.value.listen() }.get()
        let client = try await TinyClient(port: port)
        #expect(await client.readToEnd().end != nil)
        try await framing.closed.futureResult.get()
        #expect(ledger.counts.connections == 0)
    }
}

/// A framing of lines that closes the proxy when a client is accepted, which creates its parser.
private final class ClosingFraming: Framing {
    let close = Mutex<(@Sendable () -> EventLoopFuture<Void>)?>(nil)
    let closed: EventLoopPromise<Void>
    private let loop: any EventLoop

    init(loop: any EventLoop) {
        self.loop = loop
        closed = loop.makePromise()
    }

    var name: String { "lines" }

    func requestParser() -> any FrameParser {
        let (close, closed) = (close.withLock { $0 }, closed)
        // After the acceptance, and before the loop activates the connection.
        if let close { loop.execute { close().cascade(to: closed) } }
        return LineFraming().requestParser()
    }

    func replyParser(to request: [UInt8]?) -> any FrameParser { LineFraming().replyParser(to: request) }

    func operation(of request: [UInt8]) throws -> String { LineFraming().operation(of: request) }
}
#endif
