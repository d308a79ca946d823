#if Curl
import Cofferdam

/// The server's side of an HTTP/2 connection (RFC 9113), frame by frame. It does not parse the client's header blocks.
final class HTTP2ServerConnection: Sendable {
    enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case reset = 3
        case settings = 4
        case pushPromise = 5
        case ping = 6
        case goAway = 7
        case windowUpdate = 8
        case continuation = 9
    }

    struct Frame: Sendable {
        var kind: UInt8
        var flags: UInt8 = 0
        var stream: UInt32 = 0
        var payload: [UInt8] = []

        init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
            self.kind = kind.rawValue
            self.flags = flags
            self.stream = stream
            self.payload = payload
        }

        func `is`(_ kind: Kind) -> Bool { self.kind == kind.rawValue }
        var endsStream: Bool { (`is`(.data) || `is`(.headers)) && flags & 1 == 1 }
        /// The payload's number: a setting's value, a window increment or an error.
        var number: UInt32 { payload.suffix(4).reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// `:status: 200`, from HPACK's table.
    static let ok: [UInt8] = [0x88]
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    static let refusedStream: UInt32 = 7

    let connection: ServerConnection
    /// The remaining window of the connection, and the maximum for a stream.
    private let windows = Mutex<(connection: Int, stream: Int)>((65_535, 65_535))

    /// What `together` sends at its end; `nil` outside it.
    private let held = Mutex<[UInt8]?>(nil)
    /// The number of clients that have connected.
    private let prefaces: Count

    init(_ connection: ServerConnection, prefaces: Count = Count()) {
        self.connection = connection
        self.prefaces = prefaces
    }

    private func begin() {
        prefaces.add()
        windows.withLock { $0 = (65_535, 65_535) }
        send(Frame(.settings))
    }

    /// Returns the next frame of a stream, or the connection's end; `nil` at the end of the socket.
    func next() -> Frame? {
        while let head = connection.read(9) {
            // Each client begins with it.
            if head[...] == Self.preface[..<9] {
                guard connection.read(15) == Array(Self.preface[9...]) else { return nil }
                begin()
                continue
            }
            let length = head[..<3].reduce(0) { $0 << 8 | Int($1) }
            guard let payload = connection.read(length) else { return nil }
            var frame = Frame(.data, flags: head[4], stream: head[5...].reduce(0) { $0 << 8 | UInt32($1) }, payload)
            frame.kind = head[3]
            if frame.is(.settings), frame.flags & 1 == 0 {
                note(frame.payload)
                send(Frame(.settings, flags: 1))
            } else if frame.is(.windowUpdate), frame.stream == 0 {
                windows.withLock { $0.connection += Int(frame.number) }
            } else if frame.is(.ping), frame.flags & 1 == 0 {
                send(Frame(.ping, flags: 1, frame.payload))
            } else if !frame.is(.settings) {
                return frame
            }
        }
        return nil
    }

    private func note(_ settings: [UInt8]) {
        for start in stride(from: 0, to: settings.count, by: 6) where settings[start + 1] == 4 {
            let size = settings[(start + 2)..<(start + 6)].reduce(0) { $0 << 8 | Int($1) }
            windows.withLock { $0.stream = size }
        }
    }

    /// Whether a body of that size fits the window of a new stream.
    func maySend(_ count: Int) -> Bool { windows.withLock { $0.connection >= count && $0.stream >= count } }

    @discardableResult
    func send(_ frame: Frame) -> Bool {
        let count = Array(Self.bytes(UInt32(frame.payload.count)).suffix(3))
        return send(raw: count + [frame.kind, frame.flags] + Self.bytes(frame.stream) + frame.payload)
    }

    @discardableResult
    func send(raw bytes: [UInt8]) -> Bool {
        let isHeld = held.withLock { held in
            held?.append(contentsOf: bytes)
            return held != nil
        }
        return isHeld || connection.send(bytes)
    }

    /// Sends all that `body` sends at once, so that no request of the client's can come in between.
    func together(_ body: () -> Void) {
        held.withLock { $0 = [] }
        body()
        if let bytes = held.withLock({ $0.take() }) { connection.send(bytes) }
    }

    /// Returns a complete reply with status 200, in frames of at most 16 KB.
    func reply(_ body: [UInt8], on stream: UInt32) {
        send(Frame(.headers, flags: 4, stream: stream, Self.ok))
        var rest = body[...]
        repeat {
            let part = rest.prefix(16_384)
            rest = rest.dropFirst(part.count)
            send(Frame(.data, flags: rest.isEmpty ? 1 : 0, stream: stream, Array(part)))
        } while !rest.isEmpty
    }

    func reset(_ stream: UInt32, _ error: UInt32) { send(Frame(.reset, stream: stream, Self.bytes(error))) }

    func goAway(last: UInt32, _ error: UInt32 = 0) { send(Frame(.goAway, Self.bytes(last) + Self.bytes(error))) }

    func grow(_ stream: UInt32, by count: Int) {
        send(Frame(.windowUpdate, stream: stream, Self.bytes(UInt32(count))))
    }

    /// Returns a literal header that HPACK's table does not contain.
    static func field(_ name: String, _ value: String) -> [UInt8] {
        [name, value].reduce(into: [0x00]) { $0 += [UInt8($1.utf8.count)] + $1.utf8 }
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
#endif
