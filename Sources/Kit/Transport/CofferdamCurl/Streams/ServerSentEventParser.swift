#if Curl
/// Parses a `text/event-stream` block by block, independent of block boundaries.
///
/// Follows the WHATWG HTML standard, section 9.2.
package struct ServerSentEventParser: Sendable {
    private var lines: LineCutter
    private var fields: EventFields

    /// - Parameter maximumEventSize: the maximum size of a line and of an event's data, in bytes.
    package init(maximumEventSize: Int = 1 << 20) { self.init(maximumEventSize: maximumEventSize, lastEventID: nil) }

    /// - Parameter lastEventID: the id from the previous connection, which events without an id keep, as in browsers.
    init(maximumEventSize: Int, lastEventID: String?) {
        lines = LineCutter(ending: .any, maximumSize: maximumEventSize, subject: EventFields.subject)
        fields = EventFields(maximumSize: maximumEventSize, lastEventID: lastEventID)
    }

    /// The value for `Last-Event-ID` if the stream ends here: an incomplete event does not count.
    package var lastEventID: String? { fields.dispatchedID }

    /// The server's last `retry`, effective from its line on.
    package var reconnectionTime: Duration? { fields.reconnectionTime }

    /// Returns the events that the block completes.
    ///
    /// - Throws: ``CurlError`` with `tooLarge`; the parser must not be used afterwards.
    package mutating func feed(_ block: some Sequence<UInt8>) throws(CurlError) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        try feed(block, into: &events)
        return events
    }
}

extension ServerSentEventParser: BlockParser {
    mutating func feed(_ block: some Sequence<UInt8>, into events: inout [ServerSentEvent]) throws(CurlError) {
        try block.withContiguousBytes { bytes throws(CurlError) in
            try lines.cut(bytes) { line throws(CurlError) in
                if let event = try fields.take(line) { events.append(event) }
            }
        }
    }

    /// Does nothing: an event cut off by the end is discarded.
    func finish(into events: inout [ServerSentEvent]) {}
}

/// The fields of the event that is being parsed.
private struct EventFields: Sendable {
    static let subject = "a server-sent event"

    private(set) var dispatchedID: String?
    private(set) var reconnectionTime: Duration?
    private let maximumSize: Int
    private var type = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var id: String?
    private var retry: Duration?
    private var isFirstLine = true

    init(maximumSize: Int, lastEventID: String?) {
        self.maximumSize = maximumSize
        id = lastEventID
        dispatchedID = lastEventID
    }

    mutating func take(_ line: UnsafeBufferPointer<UInt8>) throws(CurlError) -> ServerSentEvent? {
        var line = line
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = UnsafeBufferPointer(rebasing: line.dropFirst(3)) }
        }
        guard !line.isEmpty else { return dispatch() }
        let colon = line.position(of: UInt8(ascii: ":")) ?? line.endIndex
        let name = UnsafeBufferPointer(rebasing: line[..<colon])
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        if name.equals("data") {
            try append(value)
        } else if name.equals("event") {
            type = String(decoding: value, as: UTF8.self)
        } else if name.equals("id") {
            if !value.contains(0) { id = value.isEmpty ? nil : String(decoding: value, as: UTF8.self) }
        } else if name.equals("retry") {
            setRetry(value)
        }
        // Otherwise a comment, or a field that the standard does not define.
        return nil
    }

    private mutating func append(_ value: Slice<UnsafeBufferPointer<UInt8>>) throws(CurlError) {
        guard data.count + value.count + (hasData ? 1 : 0) <= maximumSize else {
            throw CurlError(.tooLarge, "\(Self.subject) is over \(maximumSize) bytes", wasSent: true)
        }
        if hasData { data.append(UInt8(ascii: "\n")) }
        hasData = true
        data.append(contentsOf: UnsafeBufferPointer(rebasing: value))
    }

    private mutating func setRetry(_ value: Slice<UnsafeBufferPointer<UInt8>>) {
        guard value.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let milliseconds = Int(String(decoding: value, as: UTF8.self))
        else { return }
        retry = .milliseconds(milliseconds)
        reconnectionTime = retry
    }

    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            type = ""
            data.removeAll(keepingCapacity: true)
            hasData = false
        }
        dispatchedID = id
        guard hasData else { return nil }
        let event = ServerSentEvent(
            event: type.isEmpty ? "message" : type,
            data: String(decoding: data, as: UTF8.self),
            id: id,
            retry: retry
        )
        retry = nil
        return event
    }
}
#endif
