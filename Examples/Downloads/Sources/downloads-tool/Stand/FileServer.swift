import Cofferdam
import CofferdamContracts
import DownloadsPort
import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A small, real file server over HTTP/1.1 on loopback.
///
/// `GET /files?limit=10&after=NAME`, `GET /files/NAME`, `GET /files/NAME/bytes`.
final class FileServer: Sendable {
    private struct Entry: Encodable {
        var name: String
        var size: Int
        var note: String?
    }

    private struct State {
        var files: [String: Entry] = [:]
        var bytes: [String: [UInt8]] = [:]
        var growing: Set<String> = []
        /// The readers of files that are still being written, by connection.
        var readers: [ObjectIdentifier: (name: String, channel: any Channel)] = [:]
        var waiting: [(count: Int, complete: @Sendable (Result<Void, any Error>) -> Void)] = []
        var coding: (ContentCoding, isForced: Bool)?
        var quirk: PagingQuirk?
        /// Additional header fields of each file's answer.
        var fields: [String] = []
    }

    /// The token that authorises callers of the port. The comparison of the default clients has none: `/files/…/bytes`
    /// needs no token.
    static let token = "sandbox-token-7f3a"

    let port: Int
    private let listener: any Channel
    private let state: Box

    private final class Box: Sendable { let value = Mutex(State()) }

    private init(_ listener: any Channel, _ state: Box) {
        (self.listener, self.state) = (listener, state)
        port = listener.localAddress?.port ?? 0
    }

    static func start() async throws -> FileServer {
        let state = Box()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Connection(
                            answer: { answer(to: $0, on: channel, state) },
                            end: { forget(channel, state) }
                        )
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return FileServer(listener, state)
    }

    /// Closes the port, and the connections to readers of growing files.
    func stop() async {
        let readers = state.value.withLock { Array($0.readers.values) }
        for reader in readers { reader.channel.close(promise: nil) }
        do { try await listener.close() } catch {}
    }

    // MARK: The shelf

    func set(_ files: [FileInfo]) {
        state.value.withLock { state in
            state.files = [:]
            for file in files { state.files[file.name] = Entry(name: file.name, size: file.size, note: file.note) }
            (state.bytes, state.growing, state.quirk) = ([:], [], nil)
        }
    }

    func put(_ bytes: [UInt8], as name: String, isGrowing: Bool = false) {
        state.value.withLock { state in
            state.files[name] = Entry(name: name, size: bytes.count)
            state.bytes[name] = bytes
            if isGrowing { state.growing.insert(name) }
        }
    }

    func append(_ bytes: [UInt8], to name: String) {
        let channels = state.value.withLock { state in
            state.bytes[name, default: []] += bytes
            return state.readers.values.filter { $0.name == name }.map(\.channel)
        }
        for channel in channels { channel.writeAndFlush(Self.chunk(bytes), promise: nil) }
    }

    /// Encodes the next file in transit: for clients that accept the coding, or for all.
    func encodeNext(_ coding: ContentCoding, isForced: Bool = false) {
        state.value.withLock { $0.coding = (coding, isForced) }
    }

    /// Adds a header to the answer of each file.
    func add(_ field: String) { state.value.withLock { $0.fields.append(field) } }

    /// Makes paging odd from now on: names as cursors allow an empty page, and one that leads to itself.
    func setQuirk(_ quirk: PagingQuirk) { state.value.withLock { $0.quirk = quirk } }

    // MARK: Readers of growing files

    func simulate(_ incident: StreamIncident) {
        for (_, channel) in state.value.withLock({ Array($0.readers.values) }) {
            switch incident {
            // HTTP has no heartbeat in the middle of a body.
            case .heartbeat: break
            case .end: channel.writeAndFlush(ByteBuffer(string: "0\r\n\r\n"), promise: nil)
            case .truncation:
                channel.writeAndFlush(ByteBuffer(string: "400\r\nhalf a block"), promise: nil)
                channel.close(promise: nil)
            case .loss: channel.close(promise: nil)
            }
            // The reader is no longer served, though its connection may stay open.
            if incident == .end { Self.forget(channel, state) }
        }
    }

    func waitForReaders(exactly count: Int) async throws {
        try await vendorCall { complete in
            state.value.withLock { $0.waiting.append((count, complete)) }
            Self.resumeWaiting(state)
            return .none
        }
    }

    private static func resumeWaiting(_ state: Box) {
        let met = state.value.withLock { state in
            let met = state.waiting.filter { $0.count == state.readers.count }
            state.waiting.removeAll { $0.count == state.readers.count }
            return met.map(\.complete)
        }
        for complete in met { complete(.success(())) }
    }

    private static func forget(_ channel: any Channel, _ state: Box) {
        state.value.withLock { _ = $0.readers.removeValue(forKey: ObjectIdentifier(channel)) }
        resumeWaiting(state)
    }

    // MARK: Answers

    private static func answer(to request: Request, on channel: any Channel, _ state: Box) -> ByteBuffer {
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            .map { $0.removingPercentEncoding ?? "" }
        guard parts.count == 3 || request.token == token else { return head("401 Unauthorized", length: 0) }
        let answer = state.value.withLock { state -> ByteBuffer in
            switch (parts.first, parts.count) {
            case ("files", 1):
                if let after = request.query["after"], state.quirk == .repeatedCursor {
                    return json(Page(files: [], next: after))
                }
                if let after = request.query["after"], state.quirk == .emptyPageWithCursor {
                    state.quirk = nil
                    return json(Page(files: [], next: after + " "))
                }
                let limit = min(request.query["limit"].flatMap { Int($0) } ?? 100, 100)
                let rest = state.files.keys
                    .filter { name in request.query["after"].map { isBefore($0, name) } ?? true }
                    .sorted(by: isBefore)
                let page = rest.prefix(limit)
                let next = page.count < rest.count ? page.last : nil
                return json(Page(files: page.compactMap { state.files[$0] }, next: next))
            case ("files", 2):
                guard let file = state.files[parts[1]] else { return head("404 Not Found", length: 0) }
                return json(file)
            case ("files", 3) where parts[2] == "bytes":
                guard let bytes = state.bytes[parts[1]] else { return head("404 Not Found", length: 0) }
                guard state.growing.contains(parts[1]) else {
                    return whole(bytes, request, state.coding.take(), state.fields)
                }
                state.readers[ObjectIdentifier(channel)] = (parts[1], channel)
                var answer = head("200 OK", "application/octet-stream", fields: ["Transfer-Encoding: chunked"])
                if !bytes.isEmpty { answer.writeImmutableBuffer(chunk(bytes)) }
                return answer
            default: return head("404 Not Found", length: 0)
            }
        }
        resumeWaiting(state)
        return answer
    }

    private struct Page: Encodable {
        var files: [Entry]
        var next: String?
    }

    private static func json(_ value: some Encodable) -> ByteBuffer {
        guard let body = try? JSONEncoder().encode(value) else { return head("500 Internal Error", length: 0) }
        var answer = head("200 OK", "application/json", length: body.count)
        answer.writeBytes(body)
        return answer
    }

    private static func whole(
        _ bytes: [UInt8],
        _ request: Request,
        _ coding: (ContentCoding, isForced: Bool)?,
        _ fields: [String]
    ) -> ByteBuffer {
        var (body, fields) = (bytes, fields)
        // This server has no brotli encoder.
        if let (coding, isForced) = coding, isForced || request.accepts(coding), let encoded = encoded(bytes, coding) {
            (body, fields) = (encoded, fields + ["Content-Encoding: \(coding.rawValue)"])
        }
        var answer = head("200 OK", "application/octet-stream", length: body.count, fields: fields)
        answer.writeBytes(body)
        return answer
    }

    private static func head(
        _ status: String,
        _ type: String? = nil,
        length: Int? = nil,
        fields: [String] = []
    ) -> ByteBuffer {
        let lines =
            ["HTTP/1.1 \(status)"] + (type.map { ["Content-Type: \($0)"] } ?? [])
            + (length.map { ["Content-Length: \($0)"] } ?? []) + fields
        return ByteBuffer(string: lines.joined(separator: "\r\n") + "\r\n\r\n")
    }

    private static func chunk(_ bytes: [UInt8]) -> ByteBuffer {
        var chunk = ByteBuffer(string: String(bytes.count, radix: 16) + "\r\n")
        chunk.writeBytes(bytes)
        chunk.writeString("\r\n")
        return chunk
    }

    private static func isBefore(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
}
