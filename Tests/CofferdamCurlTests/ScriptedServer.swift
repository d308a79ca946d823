#if Curl
import Cofferdam
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A server on a raw socket that follows a script and records what it saw. One blocking thread per connection.
final class ScriptedServer: Sendable {
    typealias Script = @Sendable (ServerConnection, ServerRequest) -> Void

    /// What happened so far.
    struct Log: Sendable {
        var accepted = 0
        var requests: [ServerRequest] = []
        /// Connections that the client has ended.
        var closedByClient = 0
        /// The number of writes that had to wait for the client.
        var stalls = 0
        var bytesWritten = 0
        /// The connections that the server has finished with.
        var finished = 0
    }

    private struct State {
        var log = Log()
        var watchers: [AsyncStream<Log>.Continuation] = []
    }

    private let state = Mutex(State())
    private let listener: Int32
    /// 0 on a Unix socket.
    let port: UInt16
    private let scheme: String

    /// Answers each request, once its body has been read.
    convenience init(_ script: @escaping Script) throws {
        try self.init { connection in connection.serve(script) }
    }

    /// Runs a script on each connection.
    ///
    /// - Parameters:
    ///   - unixSocket: the path to listen on, instead of a loopback port.
    ///   - tls: the server's certificate; nil for a server without TLS.
    init(
        unixSocket: String? = nil,
        tls: TLSContext? = nil,
        connection body: @escaping @Sendable (ServerConnection) -> Void
    ) throws {
        (listener, port) = try unixSocket.map { (try Self.listen(path: $0), 0) } ?? Self.listen()
        scheme = tls == nil ? "http" : "https"
        let listener = listener
        let isStarted = startThread { [weak self] in
            while true {
                let accepted = accept(listener, nil, nil)
                guard accepted >= 0 else { break }
                guard let server = self else {
                    close(accepted)
                    break
                }
                server.record { $0.accepted += 1 }
                let connection = ServerConnection(accepted, tls: tls) { [weak self] change in self?.record(change) }
                if !startThread({ connection.run(body) }) { close(accepted) }
            }
            close(listener)
        }
        if !isStarted { throw ServerFailure(step: "thread") }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    var url: String { "\(scheme)://127.0.0.1:\(port)" }

    var log: Log { state.withLock { $0.log } }

    /// Returns once the log meets the condition, or the test's time is over.
    func until(_ condition: @escaping @Sendable (Log) -> Bool) async {
        let (changes, continuation) = AsyncStream.makeStream(of: Log.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            continuation.yield(state.log)
            state.watchers.append(continuation)
        }
        for await log in changes where condition(log) { return }
        Issue.record("the server did not see it: \(log)")
    }

    private func record(_ change: (inout Log) -> Void) {
        state.withLock { state in
            change(&state.log)
            state.watchers.removeAll { watcher in
                if case .terminated = watcher.yield(state.log) { true } else { false }
            }
        }
    }

    static func listen(backlog: Int32 = 1024) throws -> (Int32, UInt16) {
        let (opened, port) = try bound()
        guard startListening(opened, backlog: backlog) else {
            close(opened)
            throw ServerFailure(step: "listen")
        }
        return (opened, port)
    }

    private static func bound() throws -> (Int32, UInt16) {
        let opened = try openSocket()
        var address = loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(opened, address, size) == 0 && getsockname(opened, address, &size) == 0
            }
        }
        guard isBound else {
            close(opened)
            throw ServerFailure(step: "bind")
        }
        return (opened, UInt16(bigEndian: address.sin_port))
    }

    private static func listen(path: String) throws -> Int32 {
        let opened = try openSocket(AF_UNIX)
        var address = unixAddress(path)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(opened, $0, size) == 0 }
        }
        guard isBound, startListening(opened) else {
            close(opened)
            throw ServerFailure(step: "listen")
        }
        return opened
    }

    private static func startListening(_ opened: Int32, backlog: Int32 = 1024) -> Bool {
        #if canImport(Darwin)
        Darwin.listen(opened, backlog) == 0
        #elseif canImport(Musl)
        Musl.listen(opened, backlog) == 0
        #else
        Glibc.listen(opened, backlog) == 0
        #endif
    }

    /// A client connection to a loopback port.
    static func connect(to port: UInt16) throws -> Int32 {
        let opened = try openSocket()
        guard connect(opened, to: port) else {
            close(opened)
            throw ServerFailure(step: "connect")
        }
        return opened
    }

    /// Starts a connection that may not be established.
    static func startConnecting(to port: UInt16) throws -> Int32 {
        let opened = try openSocket()
        _ = fcntl(opened, F_SETFL, O_NONBLOCK)
        _ = connect(opened, to: port)
        return opened
    }

    private static func connect(_ opened: Int32, to port: UInt16) -> Bool {
        var address = loopback(port: port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                #if canImport(Darwin)
                Darwin.connect(opened, address, size) == 0
                #elseif canImport(Musl)
                Musl.connect(opened, address, size) == 0
                #else
                Glibc.connect(opened, address, size) == 0
                #endif
            }
        }
    }

    /// A port that refuses connections. The socket stays bound for the life of the process; otherwise another server
    /// could get the port.
    static func unusedPort() throws -> UInt16 { try bound().1 }

    private static func openSocket(_ family: Int32 = AF_INET) throws -> Int32 {
        #if canImport(Glibc)
        let opened = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let opened = socket(family, SOCK_STREAM, 0)
        #endif
        guard opened >= 0 else { throw ServerFailure(step: "socket") }
        return opened
    }

    private static func unixAddress(_ path: String) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return address
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

struct ServerFailure: Error {
    let step: String
}

/// A request as it came over the wire.
struct ServerRequest: Sendable {
    var head: String
    var body: [UInt8]

    var path: String { head.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
}

func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
    let context = Unmanaged.passRetained(Body(run: body))
    #if canImport(Darwin)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    let result = pthread_create(
        &thread,
        nil,
        { context in
            let opaque: UnsafeMutableRawPointer? = context
            if let opaque { Unmanaged<Body>.fromOpaque(opaque).takeRetainedValue().run() }
            return nil
        },
        context.toOpaque()
    )
    guard result == 0 else {
        context.release()
        return false
    }
    #if canImport(Darwin)
    if let thread { pthread_detach(thread) }
    #else
    pthread_detach(thread)
    #endif
    return true
}
#endif
