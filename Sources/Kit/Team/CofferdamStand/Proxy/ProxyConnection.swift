#if TestStand
import Cofferdam
import NIOCore
import NIOPosix

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A client's connection, and its counterpart to the server.
///
/// Used only on its event loop.
final class ProxyConnection {
    /// How many pieces of a split reply are written before other connections get their turn.
    private static let piecesAtOnce = 64

    private let id: Int
    private let client: any Channel
    private let setup: ProxySetup
    private let ended: (ProxyConnection) -> Void
    /// With what this connection has said before.
    private var framing: any Framing
    private var server: (any Channel)?

    private var requestParser: any FrameParser
    private var partialRequest: [UInt8] = []
    private var replyParser: (parser: any FrameParser, exchange: ProxyExchange?)?
    /// The exchanges in the order in which the client gets the replies.
    private var queue: [ProxyExchange] = []
    /// The exchanges in the order in which the server sends the replies.
    private var awaited: [ProxyExchange] = []
    /// The size of all requests in `queue`, in bytes.
    private var queuedBytes = 0
    private var exchangeCount = 0
    private var timers: [Int: Task<Void, Never>] = [:]
    private var lastWrite: EventLoopFuture<Void>?
    private var isServerConnecting = false
    private var hasServerEnded = false
    private var isEnding = false
    private var hasRefused = false
    private var isClientOpen = true
    /// The operation of the latest request that the server has begun to answer.
    private var served: String?

    init(
        id: Int,
        client: any Channel,
        setup: ProxySetup,
        ended: @escaping (ProxyConnection) -> Void
    ) {
        self.id = id
        self.client = client
        self.setup = setup
        self.ended = ended
        framing = setup.framing
        requestParser = framing.requestParser()
    }

    private var loop: any EventLoop { client.eventLoop }
    private var ledger: ProxyLedger { setup.ledger }

    // MARK: The connection to the server

    func connect() {
        guard let upstream = setup.upstream else { return }
        isServerConnecting = true
        let bound = NIOLoopBound(self, eventLoop: loop)
        ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ProxyEnd(.server, of: bound.value))
                }
            }
            .connect(host: upstream.host, port: upstream.port)
            .assumeIsolated()
            .whenComplete { self.connected($0) }
    }

    private func connected(_ result: Result<any Channel, any Error>) {
        isServerConnecting = false
        switch result {
        case .success(let channel):
            server = channel
            channel.closeFuture.assumeIsolated().whenComplete { _ in self.closed(.server) }
            if isEnding { return channel.close(promise: nil) }
            proceed()
        case .failure(let error):
            if isEnding { return finishIfClosed() }
            fail("the server cannot be reached: \(error)", by: .reset)
        }
    }

    // MARK: What arrives

    func clientSent(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty, !isEnding, !hasRefused {
            do {
                let end = try checked(requestParser.parse(rest), within: rest)
                let piece = rest.prefix(end ?? rest.count)
                partialRequest += piece
                rest = rest.dropFirst(piece.count)
                guard partialRequest.count <= setup.ledger.limits.requestBytes else {
                    throw MalformedFrame("it is longer than \(setup.ledger.limits.requestBytes) bytes")
                }
                if end != nil { try requestEnded() }
            } catch {
                refuse("a request for \(setup.framing.name) is refused: \(error)")
            }
        }
        proceed()
    }

    /// Reads no further requests, and cuts the connection once the earlier ones are answered.
    private func refuse(_ problem: String) {
        hasRefused = true
        partialRequest = []
        note(problem)
        exchangeCount += 1
        let cut = ProxyAction.cut(.beforeForwarding, by: .close)
        queue.append(ProxyExchange(id: exchangeCount, operation: "", request: [], action: cut))
    }

    private func requestEnded() throws {
        let request = partialRequest
        partialRequest = []
        let operation = try framing.operation(of: request)
        requestParser = framing.requestParser()
        exchangeCount += 1
        let exchange = ProxyExchange(
            id: exchangeCount,
            operation: operation,
            request: request,
            action: ledger.arrived(request, operation: operation, connection: id)
        )
        queue.append(exchange)
        if exchange.isHeld { ledger.changeHeld(by: 1, of: operation) }
        if case .delay(let duration) = exchange.action { wake(exchange, after: duration) }
        queuedBytes += request.count
        if queuedBytes > ledger.limits.queuedBytes {
            fail("more than \(ledger.limits.queuedBytes) bytes of requests wait")
        }
    }

    func serverSent(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty, !isEnding {
            do {
                rest = rest.dropFirst(try readReply(rest))
            } catch {
                fail("a reply for \(setup.framing.name) is refused: \(error)")
            }
        }
        proceed()
    }

    /// Reads up to the end of a reply, and returns the number of bytes read.
    private func readReply(_ bytes: ArraySlice<UInt8>) throws -> Int {
        var (parser, exchange) =
            replyParser ?? (framing.replyParser(to: awaited.first?.request), awaited.first)
        let end = try checked(parser.parse(bytes), within: bytes)
        let piece = bytes.prefix(end ?? bytes.count)
        if let exchange {
            serve(exchange.operation)
            if exchange.receive(piece, headLength: parser.headLength) {
                ledger.changeHeld(by: 1, of: exchange.operation)
            }
            guard exchange.waitingCount <= ledger.limits.replyBytes else {
                throw MalformedFrame("more than \(ledger.limits.replyBytes) bytes of it wait")
            }
        } else {
            write(piece)
        }
        replyParser = end == nil ? (parser, exchange) : nil
        if end != nil, let exchange { try replyEnded(exchange) }
        return piece.count
    }

    private func serve(_ operation: String?) {
        guard operation != served else { return }
        ledger.changeServed(from: served, to: operation)
        served = operation
    }

    private func replyEnded(_ exchange: ProxyExchange) throws {
        if awaited.first === exchange { awaited.removeFirst() }
        if try exchange.replyEnded() { ledger.changeHeld(by: 1, of: exchange.operation) }
    }

    /// Checks that an adopter's parser does what it promises.
    private func checked(_ end: Int?, within bytes: ArraySlice<UInt8>) throws -> Int? {
        if let end, !(1...bytes.count).contains(end) {
            throw MalformedFrame("the parser ends the frame at byte \(end) of \(bytes.count)")
        }
        return end
    }

    // MARK: Forwarding

    /// Forwards the requests and writes the replies that may go out now.
    private func proceed() {
        guard !isEnding else { return }
        forward()
        while !isEnding, let head = queue.first {
            emit(head)
            // A write may end the connection at once.
            guard !isEnding else { break }
            if swapped(head) { continue }
            guard head.isFinished, timers[head.id] == nil else { break }
            queue.removeFirst()
            queuedBytes -= head.request.count
            if let ending = head.ending { end(by: ending) }
        }
        if hasServerEnded, !isEnding, !(queue.contains(where: isStillDelivering)) { end(by: .close) }
    }

    /// Whether the client still gets something from this exchange although the server has closed its connection.
    private func isStillDelivering(_ exchange: ProxyExchange) -> Bool {
        exchange.isHeld || exchange.isDelayed || exchange.waitingCount > 0 || timers[exchange.id] != nil
    }

    private func forward() {
        for exchange in queue {
            if !exchange.isForwarded, !forward(exchange) { return }
            // Nothing after it is answered.
            if exchange.endsConnection { return }
        }
    }

    /// Forwards a request, or answers it; returns whether that was possible.
    private func forward(_ exchange: ProxyExchange) -> Bool {
        if exchange.isDelayed || exchange.isHeld { return false }
        switch exchange.action {
        case .answer(let answer):
            do {
                exchange.answer(with: try answer(exchange.request))
            } catch {
                note("a rule cannot answer \(exchange.operation): \(error)")
                exchange.answer(with: [], then: .close)
            }
            return true
        case .cut(.beforeForwarding, let ending):
            exchange.answer(with: [], then: ending)
            return true
        default: break
        }
        if let server {
            exchange.isForwarded = true
            awaited.append(exchange)
            server.writeAndFlush(ByteBuffer(bytes: exchange.request), promise: nil)
            return true
        }
        guard setup.upstream == nil else { return false }
        note("no rule answers \(exchange.operation), and there is no server")
        exchange.answer(with: [], then: .close)
        return true
    }

    /// Writes those bytes of the reply that may be written now.
    private func emit(_ exchange: ProxyExchange) {
        guard case .split(let size, let pause) = exchange.action else {
            let bytes = exchange.takeOutput()
            if !bytes.isEmpty { write(bytes) }
            return
        }
        for _ in 0..<Self.piecesAtOnce where timers[exchange.id] == nil {
            let piece = exchange.takeOutput(max(1, size))
            if piece.isEmpty { return }
            write(piece)
            guard !isEnding else { return }
            if pause > .zero, exchange.waitingCount > 0 || !exchange.isAnswered { wake(exchange, after: pause) }
        }
        // Other connections get their turn.
        if timers[exchange.id] == nil { loop.assumeIsolated().execute { self.proceed() } }
    }

    /// Lets the next reply go first, if this one must be swapped and there is a next one.
    private func swapped(_ exchange: ProxyExchange) -> Bool {
        guard case .swapWithNext = exchange.action, exchange.isAnswered, exchange.isHeld, queue.count > 1 else {
            return false
        }
        exchange.isSwapped = true
        exchange.release()
        ledger.changeHeld(by: -1, of: exchange.operation)
        queue.swapAt(0, 1)
        return true
    }

    func belongs(to connections: ProxyConnections) -> Bool {
        guard !isEnding else { return false }
        return switch connections {
        case .all: true
        case .idle: queue.isEmpty && partialRequest.isEmpty && replyParser == nil
        case .serving(let operation): served == operation
        }
    }

    /// Writes bytes that neither a request nor the server has caused.
    func send(_ bytes: [UInt8], then ending: ProxyAction.Ending?) {
        if !bytes.isEmpty { write(bytes[...]) }
        if let ending { end(by: ending) }
    }

    private func write(_ bytes: ArraySlice<UInt8>) {
        lastWrite = client.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// Releases the requests and replies that are held.
    func release(_ operation: String?) {
        for exchange in queue where exchange.isHeld && (operation == nil || exchange.operation == operation) {
            exchange.release()
            ledger.changeHeld(by: -1, of: exchange.operation)
        }
        proceed()
    }

    private func wake(_ exchange: ProxyExchange, after duration: Duration) {
        let (bound, loop, clock, id) = (NIOLoopBound(self, eventLoop: loop), loop, setup.clock, exchange.id)
        timers[id] = Task(executorPreference: nil) {
            // A cancelled sleep wakes nothing.
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            loop.execute { bound.value.woke(id) }
        }
    }

    private func woke(_ id: Int) {
        timers[id] = nil
        queue.first { $0.id == id }?.isDelayed = false
        proceed()
    }

    /// Reads from one end no faster than the other accepts.
    func writability(of role: ProxyEnd.Role, is isWritable: Bool) {
        let other = role == .client ? server : client
        other?.setOption(.autoRead, value: isWritable).whenFailure { _ in }
    }

    // MARK: The end

    func closed(_ role: ProxyEnd.Role) {
        switch role {
        case .client:
            isClientOpen = false
            ledger.changeConnections(by: -1)
            end(by: .close)
        case .server:
            server = nil
            hasServerEnded = true
            guard !isEnding else { return finishIfClosed() }
            // The end of the connection may be the end of the reply.
            if let exchange = replyParser?.exchange {
                replyParser = nil
                do { try replyEnded(exchange) } catch { return fail("a reply is cut short: \(error)") }
            }
            proceed()
        }
    }

    func failed(_ role: ProxyEnd.Role, _ error: any Error) {
        let isReset = (error as? IOError)?.errnoCode == ECONNRESET
        end(by: role == .server && isReset ? .reset : .close)
    }

    private func fail(_ problem: String, by ending: ProxyAction.Ending = .close) {
        guard !isEnding else { return }
        note(problem)
        end(by: ending)
    }

    private func note(_ problem: String) { ledger.problem("connection \(id): \(problem)") }

    /// Closes both connections, the client's once everything written to it has been sent.
    ///
    /// - Parameter isUrgent: whether to discard what the client has not received yet.
    func end(by ending: ProxyAction.Ending, isUrgent: Bool = false) {
        if isUrgent, isEnding { client.close(promise: nil) }
        guard !isEnding else { return finishIfClosed() }
        isEnding = true
        serve(nil)
        for timer in timers.values { timer.cancel() }
        timers = [:]
        for exchange in queue where exchange.isHeld { ledger.changeHeld(by: -1, of: exchange.operation) }
        (queue, awaited, replyParser) = ([], [], nil)
        server?.close(promise: nil)
        // Otherwise the client's own close would go unnoticed.
        if isClientOpen { client.setOption(.autoRead, value: true).whenFailure { _ in } }
        guard let lastWrite, !isUrgent else { return closeClient(by: ending) }
        lastWrite.assumeIsolated().whenComplete { _ in self.closeClient(by: ending) }
    }

    private func closeClient(by ending: ProxyAction.Ending) {
        if ending == .reset, let socket = client as? any SocketOptionProvider {
            // Closing such a socket sends a reset.
            socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in }
        }
        client.close(promise: nil)
        finishIfClosed()
    }

    private func finishIfClosed() {
        if isEnding, !isClientOpen, server == nil, !isServerConnecting { ended(self) }
    }
}
#endif
