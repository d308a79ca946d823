import CofferdamStand

/// The part of PostgreSQL's protocol in which a connection's past decides: a start-up message has no type, and an execution names no
/// statement. A request ends at a Query, or at the Sync behind other messages.
struct PostgresFraming: Framing {
    let name = "PostgreSQL"
    private var hasStarted = false
    /// The first word of each prepared statement, by its name.
    private var statements: [String: String] = [:]

    mutating func requestParser() -> any FrameParser { hasStarted ? Messages(last: "QS") : StartUp() }

    func replyParser(to request: [UInt8]?) -> any FrameParser {
        // The answer to the question for TLS is one byte.
        request == Self.tlsRequest ? Byte() : Messages(last: "Z")
    }

    mutating func operation(of request: [UInt8]) throws -> String {
        guard hasStarted else {
            if request == Self.tlsRequest { return "tls" }
            hasStarted = true
            return "start"
        }
        var (rest, operation) = (request[...], "sync")
        while let type = rest.first {
            let length = 1 + (Messages.length(in: rest.dropFirst()) ?? 0)
            let texts = rest.prefix(length).dropFirst(5).split(separator: 0, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            switch type {
            case UInt8(ascii: "Q"): operation = Self.word(texts[0])
            case UInt8(ascii: "P"): statements[texts[0]] = Self.word(texts[1])
            // The portal's name comes first.
            case UInt8(ascii: "B"): operation = statements[texts[1]] ?? "unknown"
            default: break
            }
            rest = rest.dropFirst(length)
        }
        return operation
    }

    private static func word(_ sql: String) -> String { String(sql.prefix { $0 != " " }) }

    // MARK: Bytes

    static let tlsRequest: [UInt8] = [0, 0, 0, 8, 4, 210, 22, 47]
    static let startUp: [UInt8] = [0, 0, 0, 9, 0, 3, 0, 0, 0]

    /// - Parameter texts: each ends with a zero.
    static func message(_ type: Character, _ texts: String...) -> [UInt8] {
        let body: [UInt8] = texts.flatMap { (text: String) -> [UInt8] in Array(text.utf8) + [0] }
        let length = body.count + 4
        let bytes: [UInt8] = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
        return Array("\(type)".utf8) + bytes + body
    }

    private struct Byte: FrameParser {
        mutating func parse(_ bytes: ArraySlice<UInt8>) -> Int? { 1 }
    }

    private struct StartUp: FrameParser {
        private var head: [UInt8] = []
        private var count = 0

        mutating func parse(_ bytes: ArraySlice<UInt8>) -> Int? {
            head += bytes.prefix(4 - head.count)
            guard let length = Messages.length(in: head[...]) else {
                count += bytes.count
                return nil
            }
            defer { count += bytes.count }
            return length - count <= bytes.count ? length - count : nil
        }
    }

    private struct Messages: FrameParser {
        let last: String
        private var head: [UInt8] = []
        private var count = 0

        init(last: String) { self.last = last }

        static func length(in bytes: ArraySlice<UInt8>) -> Int? {
            bytes.count < 4 ? nil : bytes.prefix(4).reduce(0) { $0 << 8 + Int($1) }
        }

        mutating func parse(_ bytes: ArraySlice<UInt8>) throws -> Int? {
            for (offset, byte) in bytes.enumerated() {
                if head.count < 5 { head.append(byte) }
                count += 1
                guard head.count == 5, let length = Self.length(in: head[1...]) else { continue }
                guard length >= 4 else { throw MalformedFrame("a message of \(length) bytes") }
                guard count == 1 + length else { continue }
                let isLast = last.utf8.contains(head[0])
                (head, count) = ([], 0)
                if isLast { return offset + 1 }
            }
            return nil
        }
    }
}
