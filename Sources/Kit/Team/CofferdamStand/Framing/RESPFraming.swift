public import CofferdamContracts  // the faults that a framing can act out

/// The framing of RESP2 and RESP3, the protocols of Redis and its relatives, pipelined or not.
///
/// The operation is the command's name in capitals: "GET". A RESP3 push answers no command; one that arrives while a
/// reply is awaited is passed on with that reply. A subscription gets one reply for each channel that it names.
/// Commands that turn replies off are not supported.
public struct RESPFraming: Framing {
    /// "RESP", as errors name it.
    public let name = "RESP"

    /// Creates the framing; it has no settings.
    public init() {}

    /// Makes a parser for one connection's requests.
    public func requestParser() -> any FrameParser { RESPParser(.request) }

    /// Makes a parser for the reply to that request.
    public func replyParser(to request: [UInt8]?) -> any FrameParser {
        guard let request else { return RESPParser(.anything) }
        // A malformed request has already been refused; anything that arrives after it is taken for a plain reply.
        let words = (try? words(of: request, atMost: 1)) ?? []
        guard let command = words.first.map(Self.capitals), Self.subscriptions.contains(command) else {
            return RESPParser(.reply)
        }
        return RESPParser(.anything, frames: max(1, argumentCount(of: request)))
    }

    /// The command's name, in capitals.
    public func operation(of request: [UInt8]) throws -> String {
        guard let command = try words(of: request, atMost: 1).first, !command.isEmpty else {
            throw MalformedFrame("a command without a name")
        }
        return Self.capitals(command)
    }

    /// Acts out garbage as a reply of an unknown type, and other faults as on any connection.
    public func action(for fault: VendorFault) -> ProxyAction? {
        // No type has this first byte.
        fault == .garbage ? .answer(Array("\u{1}garbage\r\n".utf8)) : connectionAction(for: fault)
    }

    private static let subscriptions: Set = [
        "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE",
    ]

    private static func capitals(_ word: ArraySlice<UInt8>) -> String {
        String(decoding: word, as: UTF8.self).uppercased()
    }

    private func argumentCount(of request: [UInt8]) -> Int {
        guard request.first == UInt8(ascii: "*") else { return request.split(whereSeparator: \.isLineSpace).count - 1 }
        return (decimal(request.dropFirst().prefix { $0 != .carriageReturn && $0 != .lineFeed }) ?? 1) - 1
    }

    /// Returns the first words of a command that a parser has read to its end.
    private func words(of request: [UInt8], atMost count: Int) throws -> [ArraySlice<UInt8>] {
        guard request.first == UInt8(ascii: "*") else {
            return Array(request.split(whereSeparator: \.isLineSpace).prefix(count))
        }
        var rest = request[...]
        func line() throws -> ArraySlice<UInt8> {
            guard let end = rest.firstIndex(of: .lineFeed) else { throw MalformedFrame("a command that is cut short") }
            defer { rest = rest[(end + 1)...] }
            return rest[..<end].filter { $0 != .carriageReturn }[...]
        }
        _ = try line()
        var words: [ArraySlice<UInt8>] = []
        while words.count < count, !rest.isEmpty {
            let head = try line()
            guard head.first == UInt8(ascii: "$"), let length = decimal(head.dropFirst()), rest.count >= length else {
                throw MalformedFrame("a command that is not an array of strings")
            }
            words.append(rest.prefix(length))
            rest = rest.dropFirst(length + 2)
        }
        return words
    }
}

/// Reads one value of any depth without recursion, by counting the values that are still to come.
private struct RESPParser: FrameParser {
    enum Kind {
        /// An array of strings, or a line of words.
        case request
        /// A value; pushes before it are part of it.
        case reply
        /// A value or a push.
        case anything
    }

    private enum State {
        case type
        case line(type: UInt8)
        /// The bytes of a string, including the line end after it.
        case string(left: Int)
    }

    private static let longestNumber = 24
    private static let maxValues = 1 << 30

    private let kind: Kind
    private var state = State.type
    private var frames: Int
    private var valuesLeft = 1
    private var isAtStart = true
    private var isPush = false
    private var isEmptyLine = true
    private var number: [UInt8] = []

    init(_ kind: Kind, frames: Int = 1) {
        self.kind = kind
        self.frames = frames
    }

    mutating func parse(_ bytes: ArraySlice<UInt8>) throws -> Int? {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if case .string(let left) = state {
                let count = min(left, bytes.endIndex - index)
                if left - count < 1, bytes[index + count - 1] != .lineFeed {
                    throw MalformedFrame("a string is longer than it says")
                }
                index += count
                state = .string(left: left - count)
                if left == count { valueEnded() }
            } else {
                try read(bytes[index])
                index += 1
            }
            if try frameEnded() { return index - bytes.startIndex }
        }
        return nil
    }

    /// Returns whether the last frame has ended; after an earlier one, begins the next.
    private mutating func frameEnded() throws -> Bool {
        guard valuesLeft == 0 else { return false }
        if !(isPush && kind == .reply) { frames -= 1 }
        if frames == 0 { return true }
        (state, valuesLeft, isAtStart, isPush) = (.type, 1, true, false)
        return false
    }

    private mutating func valueEnded() {
        valuesLeft -= 1
        state = .type
    }

    private mutating func read(_ byte: UInt8) throws {
        switch state {
        case .type: try begin(byte)
        case .line(let type):
            guard byte == .lineFeed else {
                if byte != .carriageReturn, byte != UInt8(ascii: " ") { isEmptyLine = false }
                guard hasLength(type) else { return }
                number.append(byte)
                if number.count > Self.longestNumber { throw MalformedFrame("a length that is not a number") }
                return
            }
            try lineEnded(type)
        case .string: break
        }
    }

    private mutating func begin(_ byte: UInt8) throws {
        defer { isAtStart = false }
        (number, isEmptyLine) = ([], true)
        if kind == .request {
            let expected = UInt8(ascii: isAtStart ? "*" : "$")
            if byte != expected {
                guard isAtStart, Character(UnicodeScalar(byte)).isLetter, byte < 0x80 else {
                    throw MalformedFrame("a command that starts with byte \(byte)")
                }
                isEmptyLine = false
            }
        } else {
            guard "+-:$*_#,(!=%~>|".utf8.contains(byte) else {
                throw MalformedFrame("no type of value starts with byte \(byte)")
            }
            if isAtStart, byte == UInt8(ascii: ">") { isPush = true }
        }
        state = .line(type: byte)
    }

    private func hasLength(_ type: UInt8) -> Bool { "$!=*~>%|".utf8.contains(type) }

    private mutating func lineEnded(_ type: UInt8) throws {
        guard hasLength(type) else {
            if kind == .request, isEmptyLine { throw MalformedFrame("an empty command") }
            return valueEnded()
        }
        if number.last == .carriageReturn { number.removeLast() }
        // RESP2's null.
        if kind != .request, number == Array("-1".utf8) { return valueEnded() }
        guard let length = decimal(number) else { throw MalformedFrame("a length that is not a number") }
        if "$!=".utf8.contains(type) {
            state = .string(left: length + 2)
            return
        }
        if kind == .request, length == 0 { throw MalformedFrame("an empty command") }
        let isMap = "%|".utf8.contains(type)
        guard length <= Self.maxValues, valuesLeft <= Self.maxValues else {
            throw MalformedFrame("\(length) values in one reply")
        }
        valueEnded()
        // Attributes precede the value that they belong to.
        valuesLeft += length * (isMap ? 2 : 1) + (type == UInt8(ascii: "|") ? 1 : 0)
    }
}
