import CofferdamContracts
import Foundation
import NIOCore

/// A client's request. Only requests without a body are understood.
struct Request: Sendable {
    var path: String
    var query: [String: String] = [:]
    private var lines: [Substring]

    init?(head: String) {
        lines = head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3, words[0] == "GET" else { return nil }
        let target = words[1].split(separator: "?", maxSplits: 1)
        path = String(target.first ?? "")
        for pair in target.dropFirst().first?.split(separator: "&") ?? [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if sides.count == 2 { query[String(sides[0])] = String(sides[1]).removingPercentEncoding }
        }
    }

    /// The token that the caller presents.
    var token: String? {
        lines.first { $0.lowercased().hasPrefix("authorization: bearer ") }.map { String($0.dropFirst(22)) }
    }

    func accepts(_ coding: ContentCoding) -> Bool {
        lines.contains { line in
            let line = line.lowercased()
            return line.hasPrefix("accept-encoding:") && line.contains(coding.rawValue)
        }
    }
}

/// A client's connection, which handles one request after the other.
final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: (Request) -> ByteBuffer
    private let end: () -> Void
    private var received = ""

    init(answer: @escaping (Request) -> ByteBuffer, end: @escaping () -> Void) {
        (self.answer, self.end) = (answer, end)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += String(buffer: unwrapInboundIn(data))
        while let range = received.range(of: "\r\n\r\n") {
            let head = String(received[..<range.lowerBound])
            received.removeSubrange(..<range.upperBound)
            guard let request = Request(head: head) else { return context.close(promise: nil) }
            context.writeAndFlush(wrapOutboundOut(answer(request)), promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Returns the bytes in that coding, without compressing them; nil if there is no encoder for it.
func encoded(_ bytes: [UInt8], _ coding: ContentCoding) -> [UInt8]? {
    // Stored blocks of at most 65,535 bytes.
    var stored: [UInt8] = []
    var rest = bytes[...]
    repeat {
        let block = rest.prefix(65_535)
        rest = rest.dropFirst(65_535)
        stored += [rest.isEmpty ? 1 : 0] + bigEndian(UInt16(block.count)).reversed()
        stored += bigEndian(~UInt16(block.count)).reversed() + block
    } while !rest.isEmpty
    switch coding {
    case .gzip:
        let end = bigEndian(checksum(bytes)).reversed() + bigEndian(UInt32(truncatingIfNeeded: bytes.count)).reversed()
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF] + stored + end
    case .deflate:
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return [0x78, 0x01] + stored + bigEndian(b << 16 | a)
    case .brotli: return nil
    }
}

private func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
}

/// Returns the CRC-32 of the bytes.
private func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { sum, byte in
        (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
}
