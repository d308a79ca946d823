import Cofferdam

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// One connection as the server's script sees it: blocking, on a thread of its own.
final class ServerConnection: Sendable {
    typealias Record = @Sendable ((inout ScriptedServer.Log) -> Void) -> Void

    private let socket: Int32
    private let record: Record
    private let isReset = Mutex(false)
    private let isClosed = Mutex(false)
    private let count = Mutex(0)

    init(_ socket: Int32, record: @escaping Record) {
        self.socket = socket
        self.record = record
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        var on: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
            setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Answers requests until one side ends the connection.
    func serve(_ script: ScriptedServer.Script) {
        var input: [UInt8] = []
        while !isReset.withLock({ $0 }), let request = readRequest(&input) {
            count.withLock { $0 += 1 }
            record { $0.requests.append(request) }
            script(self, request)
        }
        close(socket)
    }

    // MARK: For scripts

    /// How many requests came on this connection.
    var requestCount: Int { count.withLock { $0 } }

    /// - Returns: whether all of it was taken; not when the client has gone.
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

    /// Blocks until the client ends the connection.
    func waitForClientToClose() {
        while read() != nil {}
    }

    /// Ends the connection after what was sent.
    func end() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Ends the connection with a reset when the script returns.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        isReset.withLock { $0 = true }
    }

    // MARK: Reading

    private func readRequest(_ input: inout [UInt8]) -> ServerRequest? {
        let blank = Array("\r\n\r\n".utf8)
        while true {
            if let end = input.firstRange(of: blank)?.upperBound {
                let head = String(decoding: input[..<end], as: UTF8.self)
                let length = Self.contentLength(of: head)
                while input.count < end + length {
                    guard let more = read() else { return nil }
                    input += more
                }
                let body = Array(input[end..<end + length])
                input.removeFirst(end + length)
                return ServerRequest(head: head, body: body)
            }
            guard let more = read() else { return nil }
            input += more
        }
    }

    /// `nil` at the end.
    private func read() -> [UInt8]? {
        var block = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &block, block.count, 0)
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
        #if canImport(Darwin)
            Darwin.send(socket, bytes.baseAddress, bytes.count, 0)
        #elseif canImport(Musl)
            Musl.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #else
            Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }

    private func wait(for events: Int16, milliseconds: Int32) -> Bool {
        var descriptor = pollfd(fd: socket, events: events, revents: 0)
        return poll(&descriptor, 1, milliseconds) > 0
    }

    private static func contentLength(of head: String) -> Int {
        for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length:") {
            return Int(line.dropFirst("content-length:".count).filter { $0 != " " }) ?? 0
        }
        return 0
    }
}
