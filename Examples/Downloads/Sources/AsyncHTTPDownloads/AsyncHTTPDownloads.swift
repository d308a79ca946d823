import AsyncHTTPClient
public import DownloadsHTTP
public import DownloadsPort
import NIOCore
import NIOHTTP1

/// Opens the port on async-http-client.
public func openAsyncHTTPDownloads(
    server: String,
    token: String,
    clock: any Clock<Duration> = ContinuousClock()
) -> DownloadsService {
    HTTPDownloads(AsyncHTTPTransport(), server: server, token: token, clock: clock).service
}

/// HTTP over async-http-client.
final class AsyncHTTPTransport: HTTPTransport {
    private let client: HTTPClient

    init() {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .follow(max: 5, allowCycles: true))
        configuration.timeout.connect = .seconds(10)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        // Otherwise a refused connection is retried until the connect timeout.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// A client that is released without being shut down ends the process.
    deinit { client.shutdown { _ in } }

    func get(_ url: String, headers: [String: String]) async throws -> HTTPReply {
        var request = HTTPClientRequest(url: url)
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        do {
            let response = try await client.execute(request, deadline: .distantFuture)
            return HTTPReply(
                status: Int(response.status.code),
                header: { response.headers.first(name: $0) },
                body: Body(body: response.body)
            )
        } catch {
            throw Self.meaning(of: error, otherwise: .unreachable)
        }
    }

    func close() async {
        do {
            try await client.shutdown()
        } catch {
            // It has already been shut down.
        }
    }

    /// - Parameter other: the meaning of an error of an unknown kind.
    fileprivate static func meaning(of error: any Error, otherwise other: TransportError) -> any Error {
        switch error {
        case is CancellationError: error
        case let error as HTTPClientError where error == .cancelled: CancellationError()
        case let error as HTTPClientError where error == .redirectLimitReached: TransportError.redirects
        case is HTTPParserError: TransportError.broken
        default: other
        }
    }

    private struct Body: AsyncSequence, Sendable {
        typealias Failure = any Error
        let body: HTTPClientResponse.Body

        func makeAsyncIterator() -> Iterator { Iterator(iterator: body.makeAsyncIterator()) }

        struct Iterator: AsyncIteratorProtocol {
            var iterator: HTTPClientResponse.Body.AsyncIterator

            mutating func next() async throws -> [UInt8]? {
                do {
                    return try await iterator.next().map { Array(buffer: $0) }
                } catch {
                    throw AsyncHTTPTransport.meaning(of: error, otherwise: .broken)
                }
            }
        }
    }
}

/// Returns what the package's shared client makes of an answer, to find the differences between the two clients.
///
/// - Returns: the last answer.
public func askAsyncHTTPClient(_ url: String, times: Int, patience: Duration) async -> PlainAnswer {
    var last = PlainAnswer.error("not asked")
    for _ in 0..<times {
        do {
            let timeout = TimeAmount.seconds(patience.components.seconds)
            let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: timeout)
            let bytes = try await response.body.collect(upTo: 1 << 24)
            last = .answer(status: Int(response.status.code), bytes: Array(buffer: bytes))
        } catch let error as HTTPClientError {
            last = .error("HTTPClientError: \(error.shortDescription)")
        } catch {
            last = .error("\(type(of: error))")
        }
    }
    return last
}
