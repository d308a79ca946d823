public import CofferdamContracts  // the faults that a framing can act out

/// A protocol in which a request is one line, and so is a reply; the operation is the line's first word.
public struct LineFraming: Framing {
    /// "lines", as errors name it.
    public let name = "lines"
    private let isLastLine: @Sendable (_ line: [UInt8]) -> Bool

    /// - Parameter isLastLine: for replies of several lines, whether a line, without its end, is the last one.
    public init(isLastLine: @escaping @Sendable (_ line: [UInt8]) -> Bool = { _ in true }) {
        self.isLastLine = isLastLine
    }

    /// Makes a parser for one connection's requests.
    public func requestParser() -> any FrameParser { LineParser { _ in true } }

    /// Makes a parser for the reply to that request.
    public func replyParser(to request: [UInt8]?) -> any FrameParser { LineParser(isLast: isLastLine) }

    /// The request's first word.
    public func operation(of request: [UInt8]) -> String {
        String(decoding: request.prefix { !$0.isLineSpace }, as: UTF8.self)
    }

    /// Acts out garbage as a line of invalid bytes, and other faults as on any connection.
    public func action(for fault: VendorFault) -> ProxyAction? {
        fault == .garbage ? .answer([0xFF, 0x00, 0xFE, .lineFeed]) : connectionAction(for: fault)
    }
}

/// Reads lines up to the last one of a frame.
private struct LineParser: FrameParser {
    /// How many bytes of a line `isLast` receives; longer lines are passed on in full.
    private static let shown = 65_536
    let isLast: @Sendable ([UInt8]) -> Bool
    private var line: [UInt8] = []

    init(isLast: @escaping @Sendable ([UInt8]) -> Bool) { self.isLast = isLast }

    mutating func parse(_ bytes: ArraySlice<UInt8>) -> Int? {
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: .lineFeed) {
            append(bytes[start..<end])
            if line.last == .carriageReturn { line.removeLast() }
            start = end + 1
            if isLast(line) { return start - bytes.startIndex }
            line = []
        }
        append(bytes[start...])
        return nil
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        line += bytes.prefix(max(0, Self.shown - line.count))
    }
}

extension UInt8 {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")

    /// Whether this character ends a word in a line.
    var isLineSpace: Bool {
        self == .lineFeed || self == .carriageReturn || self == UInt8(ascii: " ") || self == UInt8(ascii: "\t")
    }
}

/// Parses all of `text` as a decimal number; nil if it has a sign or spaces, or is too large.
func decimal(_ text: some Collection<UInt8>) -> Int? {
    guard !text.isEmpty, text.count <= 15 else { return nil }
    var number = 0
    for byte in text {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return number
}
