#if Sandbox
import HTTPTypes

/// A reply as sent on the wire, which may be malformed.
struct RawReply {
    var status: Int
    var fields: [(name: String, value: String)]
    var body: [UInt8]

    /// Creates a reply after which the connection ends. A stream has no body here.
    init(_ answer: Answer) throws {
        status = answer.status
        fields = answer.fields.map { ($0.name.rawName, $0.value) }.filter { $0.0.lowercased() != "connection" }
        fields.append(("Connection", "close"))
        body =
            switch answer.body {
            case .json(let value): try value.text()
            case .bytes(let bytes, _): bytes
            case .events, .nothing: []
            }
    }

    /// Returns the head, with or without a length.
    func head(length: Int?, _ more: (name: String, value: String)...) -> [UInt8] {
        var lines = ["HTTP/1.1 \(status) \(status == 200 ? "OK" : "Other")"]
        for (name, value) in fields + more { lines.append("\(name): \(value)") }
        if let length { lines.append("Content-Length: \(length)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    var whole: [UInt8] { head(length: body.count) + body }

    func cut(afterBytes count: Int) -> [UInt8] {
        // At least one byte must be missing.
        head(length: max(body.count, count + 1)) + body.prefix(max(0, count))
    }

    func wrongLength(by difference: Int) -> [UInt8] { head(length: max(0, body.count + difference)) + body }

    var conflictingLengths: [UInt8] {
        head(length: body.count, ("Content-Length", "\(body.count / 2 + 1)")) + body
    }

    var chunked: [UInt8] {
        let size = Array("\(String(body.count, radix: 16))\r\n".utf8)
        return head(length: nil, ("Transfer-Encoding", "chunked"))
            + (body.isEmpty ? [] : size + body + Array("\r\n".utf8)) + Array("0\r\n\r\n".utf8)
    }

    var malformedChunk: [UInt8] {
        let half = body.prefix(max(1, body.count / 2))
        let first = Array("\(String(half.count, radix: 16))\r\n".utf8) + half + Array("\r\n".utf8)
        return head(length: nil, ("Transfer-Encoding", "chunked")) + first + Array("zebra\r\n".utf8)
            + body.dropFirst(half.count) + Array("\r\n0\r\n\r\n".utf8)
    }
}
#endif
