#if Curl
import Cofferdam

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A connection as seen by the server's script: blocking, on a separate thread.
final class ServerConnection: Sendable {
    typealias Record = @Sendable ((inout ScriptedServer.Log) -> Void) -> Void

    private let socket: Int32
    private let tls: TLSSession?
    private let record: Record
    private let isReset = Mutex(false)
    private let isClosed = Mutex(false)
    private let count = Mutex(0)
    /// The bytes that were received but not read.
    private let input = Mutex<[UInt8]>([])

    /// - Parameter tls: the server's certificate; nil for a connection without TLS.
    init(_ socket: Int32, tls: TLSContext? = nil, record: @escaping Record) {
        self.socket = socket
        self.tls = tls.flatMap { TLSSession($0, on: socket) }
        self.record = record
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        var on: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Handles the connection from start to end on the server's side.
    func run(_ body: (ServerConnection) -> Void) {
        body(self)
        close(socket)
        record { $0.finished += 1 }
    }

    /// Answers requests until one side ends the connection.
    func serve(_ script: ScriptedServer.Script) {
        while !isResetting, let head = readHead(), let body = readBody(of: head) {
            note(ServerRequest(head: head, body: body))
            script(self, ServerRequest(head: head, body: body))
        }
    }

    /// Remembers a request.
    func note(_ request: ServerRequest) {
        count.withLock { $0 += 1 }
        record { $0.requests.append(request) }
    }

    // MARK: For scripts

    /// The number of requests on this connection.
    var requestCount: Int { count.withLock { $0 } }

    /// Whether the connection ends with a reset when the script returns.
    var isResetting: Bool { isReset.withLock { $0 } }

    /// - Returns: whether all bytes were sent; `false` when the client has disconnected.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let written = bytes[offset...].withUnsafeBytes { write($0) }
            if written >= 0 {
                offset += written
                record { $0.bytesWritten += written }
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                if !wait(for: Int16(POLLOUT), milliseconds: 100) { record { $0.stalls += 1 } }
            } else {
                recordClose()
                return false
            }
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Relays bytes between the client and another server, until one of them ends, or the client sends more than
    /// allowed.
    ///
    /// - Parameter answers: how much of the other server's next answer is passed to the client.
    func relay(to port: UInt16, unless isCut: () -> Bool = { false }, answers: ([UInt8]) -> [UInt8] = { $0 }) {
        guard let other = try? ScriptedServer.connect(to: port) else { return end() }
        let far = ServerConnection(other, record: { _ in })
        var block = [UInt8](repeating: 0, count: 65_536)
        var sources = [socket, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        relaying: while poll(&sources, 2, -1) >= 0 {
            for (source, target) in [(0, far), (1, self)] where sources[source].revents != 0 {
                let count = recv(sources[source].fd, &block, block.count, 0)
                guard count > 0, source == 1 || !isCut() else { break relaying }
                let bytes = Array(block[..<count])
                guard target.send(source == 1 ? answers(bytes) : bytes) else { break relaying }
            }
        }
        close(other)
        end()
    }

    /// Blocks until the client ends the connection.
    func waitForClientToClose() {
        while read() != nil {}
    }

    /// Ends only the direction to the client, after the bytes sent.
    func endSending() {
        tls?.end()
        shutdown(socket, Int32(SHUT_WR))
    }

    /// Ends the connection after the bytes sent.
    func end() {
        tls?.end()
        shutdown(socket, Int32(SHUT_RDWR))
    }

    /// Ends the connection with a reset when the script returns.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        isReset.withLock { $0 = true }
    }

    // MARK: Reading

    /// A request's head with its blank line; `nil` at the end.
    func readHead() -> String? {
        readPart { Self.end(of: "\r\n\r\n", in: $0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads the body that a head announces, by its length or in chunks; `nil` at the end.
    func readBody(of head: String) -> [UInt8]? {
        guard let encoding = Self.value(of: "transfer-encoding", in: head) else {
            return read(Self.value(of: "content-length", in: head).flatMap { Int($0) } ?? 0)
        }
        guard encoding == "chunked" else { return nil }
        var body: [UInt8] = []
        while let size = readLine().flatMap({ Int($0, radix: 16) }) {
            guard let chunk = read(size), readLine() == "" else { return nil }
            if size == 0 { return body }
            body += chunk
        }
        return nil
    }

    /// That many bytes; `nil` at the end.
    func read(_ count: Int) -> [UInt8]? { readPart { $0.count >= count ? count : nil } }

    private func readLine() -> String? {
        let line = readPart { Self.end(of: "\r\n", in: $0) }
        return line.map { String(decoding: $0.dropLast(2), as: UTF8.self) }
    }

    /// The position after the first occurrence of a text that ends with a line feed; `nil` if there is none. Collections
    /// search byte by byte, which takes seconds for a long head under a sanitizer.
    private static func end(of text: String, in bytes: [UInt8]) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return nil }
            var end = 0
            while let found = memchr(start + end, 10, bytes.count - end) {
                end = UnsafeRawPointer(found) - start + 1
                if bytes[..<end].suffix(text.utf8.count).elementsEqual(text.utf8) { return end }
            }
            return nil
        }
    }

    /// Takes as many bytes as `end` returns, once it returns a number.
    private func readPart(_ end: ([UInt8]) -> Int?) -> [UInt8]? {
        while true {
            let part = input.withLock { input -> [UInt8]? in
                guard let end = end(input) else { return nil }
                defer { input.removeFirst(end) }
                return Array(input[..<end])
            }
            if let part { return part }
            guard let more = receive() else { return nil }
            input.withLock { $0 += more }
        }
    }

    /// Returns the next bytes, as they arrive; `nil` at the end.
    func read() -> [UInt8]? {
        let kept = input.withLock { input in
            defer { input = [] }
            return input
        }
        return kept.isEmpty ? receive() : kept
    }

    private func receive() -> [UInt8]? {
        var block = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = block.withUnsafeMutableBytes { tls?.read($0) ?? recv(socket, $0.baseAddress, $0.count, 0) }
            if count > 0 { return Array(block[..<count]) }
            if count < 0, errno == EAGAIN || errno == EWOULDBLOCK {
                _ = wait(for: Int16(POLLIN), milliseconds: 1000)
                continue
            }
            if count == 0 || errno == ECONNRESET { recordClose() }
            return nil
        }
    }

    private func recordClose() {
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        if isFirst { record { $0.closedByClient += 1 } }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        if let tls { return tls.write(bytes) }
        #if canImport(Darwin)
        return Darwin.send(socket, bytes.baseAddress, bytes.count, 0)
        #elseif canImport(Musl)
        return Musl.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #else
        return Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }

    private func wait(for events: Int16, milliseconds: Int32) -> Bool {
        var descriptor = pollfd(fd: socket, events: events, revents: 0)
        return poll(&descriptor, 1, milliseconds) > 0
    }

    private static func value(of name: String, in head: String) -> String? {
        for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("\(name):") {
            return line.dropFirst(name.count + 1).lowercased().filter { $0 != " " }
        }
        return nil
    }
}
#endif
