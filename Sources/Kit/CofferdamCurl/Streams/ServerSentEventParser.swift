/// Reads a `text/event-stream` block by block; where the blocks are cut makes no difference.
public struct ServerSentEventParser: Sendable {
    private let maximumEventSize: Int
    private var line: [UInt8] = []
    private var type = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var lastID: String?
    private var retry: Duration?
    /// A line feed that follows belongs to the line end already seen.
    private var isAfterCarriageReturn = false
    private var isFirstLine = true

    /// - Parameter maximumEventSize: in bytes, of a line and of an event's data.
    public init(maximumEventSize: Int = 1 << 20) { self.maximumEventSize = maximumEventSize }

    /// The events that the block completes.
    ///
    /// - Throws: ``CurlError`` with `tooLarge`; then the parser is not to be used again.
    public mutating func feed(_ block: some Sequence<UInt8>) throws(CurlError) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in block {
            let endsCarriageReturn = isAfterCarriageReturn
            isAfterCarriageReturn = byte == UInt8(ascii: "\r")
            switch byte {
            case UInt8(ascii: "\n") where endsCarriageReturn: break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if let event = takeLine() { events.append(event) }
            default:
                line.append(byte)
            }
            guard line.count <= maximumEventSize, data.count <= maximumEventSize else {
                throw CurlError(.tooLarge, "a server-sent event is over \(maximumEventSize) bytes", wasSent: true)
            }
        }
        return events
    }

    private mutating func takeLine() -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else { return dispatch() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": type = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            hasData = true
            data += value
        case "id":
            if !value.contains(0) { lastID = value.isEmpty ? nil : String(decoding: value, as: UTF8.self) }
        case "retry": setRetry(value)
        default: break  // a comment, or a field that the standard does not know
        }
        return nil
    }

    private mutating func setRetry(_ value: ArraySlice<UInt8>) {
        guard value.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let milliseconds = Int(String(decoding: value, as: UTF8.self))
        else { return }
        retry = .milliseconds(milliseconds)
    }

    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            type = ""
            data = []
            hasData = false
        }
        guard hasData else { return nil }
        let event = ServerSentEvent(
            event: type.isEmpty ? "message" : type,
            data: String(decoding: data, as: UTF8.self),
            id: lastID,
            retry: retry
        )
        retry = nil
        return event
    }
}
