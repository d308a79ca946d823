import Cofferdam
public import DownloadsPort
import Foundation

/// The port over HTTP, on any client: the part that both adapters share.
public final class HTTPDownloads: Downloads {
    private let transport: any HTTPTransport
    private let server: String
    private let token: String
    private let clock: any Clock<Duration>
    private let deadline: Duration
    private let work = RunningWork()

    /// - Parameters:
    ///   - server: the server's address, without a trailing slash.
    ///   - token: the token that authorises callers at the server.
    ///   - deadline: the longest time that `file` and `files` may take. A download has no deadline; its caller can
    ///     cancel it.
    public init(
        _ transport: any HTTPTransport,
        server: String,
        token: String,
        clock: any Clock<Duration> = ContinuousClock(),
        deadline: Duration = .seconds(30)
    ) {
        (self.transport, self.server, self.token) = (transport, server, token)
        (self.clock, self.deadline) = (clock, deadline)
    }

    /// The port, and the closure that closes it.
    public var service: DownloadsService {
        DownloadsService(self) { [self] in
            await work.close()
            await transport.close()
        }
    }

    public func file(_ name: String) async throws -> FileInfo {
        try await decoded(FileInfo.self, "/files/\(Self.encoded(name))")
    }

    public func files(after name: String?, limit: Int) async throws -> FilePage {
        let after = name.map { "&after=\(Self.encoded($0))" } ?? ""
        let page = try await decoded(FilePage.self, "/files?limit=\(max(1, limit))\(after)")
        guard page.next != name || name == nil else {
            throw DownloadsError(.unreadable, "the page leads to itself")
        }
        return page
    }

    public func download(
        _ name: String,
        to path: String,
        progress: @escaping @Sendable (Double) -> Void
    ) async throws {
        try await work.run { [self] in
            let reply = try await bytes(of: name)
            let length = try Self.length(of: reply)
            let file = try PartialFile(path)
            do {
                var received = 0
                for try await chunk in reply.body {
                    try file.append(chunk)
                    received += chunk.count
                    // The download is complete only once the file is in place.
                    if let length, received < length { progress(Double(received) / Double(length)) }
                }
                try Task.checkCancellation()
                try file.complete()
                progress(1)
            } catch {
                file.remove()
                throw Self.portError(error)
            }
        }
    }

    public func blocks(of name: String) -> any AsyncSequence<Block, any Error> & Sendable {
        let buffer = EventBuffer<Block>(limit: Block.most)
        let reading = Task { [self] in
            do {
                try await work.run { [self] in
                    var blocks = BlockCutter()
                    for try await chunk in try await bytes(of: name).body {
                        for block in blocks.append(chunk) {
                            buffer.send(block) { DownloadsError(.overrun, "the reader is too far behind") }
                        }
                    }
                    try Task.checkCancellation()
                    if let rest = blocks.rest {
                        buffer.send(rest) { DownloadsError(.overrun, "the reader is too far behind") }
                    }
                }
                buffer.finish()
            } catch {
                buffer.finish(throwing: Self.portError(error))
            }
        }
        buffer.onTermination { reading.cancel() }
        return buffer.events
    }

    // MARK: Requests

    private func bytes(of name: String) async throws -> HTTPReply {
        let reply = try await reply("/files/\(Self.encoded(name))/bytes")
        // The login page of a hotel's network is not the file.
        guard reply.header("Content-Type") == "application/octet-stream" else {
            throw DownloadsError(.unreadable, "the answer has another type")
        }
        return reply
    }

    private func decoded<Value: Decodable & Sendable>(_ type: Value.Type, _ target: String) async throws -> Value {
        try await work.run { [self] in
            do {
                return try JSONDecoder().decode(type, from: Data(try await body(of: target)))
            } catch {
                throw Self.portError(error)
            }
        }
    }

    private func body(of target: String) async throws -> [UInt8] {
        try await limited(to: deadline, clock) { [self] in
            var bytes: [UInt8] = []
            for try await chunk in try await reply(target).body { bytes += chunk }
            try Task.checkCancellation()
            return bytes
        }
    }

    private func reply(_ target: String) async throws -> HTTPReply {
        // Requests the file as it is stored: if a client decoded it, its length would differ.
        let headers = ["Accept-Encoding": "identity", "Authorization": "Bearer \(token)"]
        let reply: HTTPReply
        do {
            reply = try await transport.get(server + target, headers: headers)
        } catch {
            throw Self.portError(error)
        }
        let seconds = reply.header("Retry-After").flatMap { Int($0) }
        func failure(_ code: DownloadsError.Code) -> DownloadsError {
            DownloadsError(code, "status \(reply.status)", retryAfter: seconds.map { .seconds($0) })
        }
        switch reply.status {
        case 200: return reply
        case 400, 422: throw failure(.invalidRequest)
        case 401, 403: throw failure(.forbidden)
        case 404: throw failure(.notFound)
        case 429: throw failure(.rateLimited)
        case 500, 502, 503: throw failure(.unavailable)
        case 504: throw failure(.timeout)
        default: throw failure(.unknown)
        }
    }

    /// - Returns: nil if the answer does not declare one.
    private static func length(of reply: HTTPReply) throws -> Int? {
        guard let text = reply.header("Content-Length") else { return nil }
        // URLSession joins two lengths into one text, and believes one of them.
        guard let length = Int(text) else { throw portError(TransportError.broken) }
        return length
    }

    private static func encoded(_ name: String) -> String {
        let plain = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        return name.addingPercentEncoding(withAllowedCharacters: plain) ?? name
    }

    private static func portError(_ error: any Error) -> any Error {
        switch error {
        case is DownloadsError, is CancellationError: error
        case is DeadlineExceeded: DownloadsError(.timeout, "no answer in time")
        case is DecodingError: DownloadsError(.unreadable, "the answer is not of the expected type")
        case TransportError.unreachable: DownloadsError(.unreachable, "the server cannot be reached")
        case TransportError.broken: DownloadsError(.truncated, "the answer is truncated")
        case TransportError.redirects: DownloadsError(.unknown, "too many redirects")
        default: DownloadsError(.unknown, "\(type(of: error))")
        }
    }
}
