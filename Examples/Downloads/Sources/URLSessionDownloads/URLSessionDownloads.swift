import Cofferdam
public import DownloadsHTTP
public import DownloadsPort
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Opens the port on URLSession.
public func openURLSessionDownloads(
    server: String,
    token: String,
    clock: any Clock<Duration> = ContinuousClock()
) -> DownloadsService {
    HTTPDownloads(URLSessionTransport(), server: server, token: token, clock: clock).service
}

/// HTTP over Foundation's URLSession.
final class URLSessionTransport: HTTPTransport {
    /// Nil once it is closed: an invalidated session traps when it is asked for a task.
    private let session: Mutex<URLSession?>
    private let exchanges = Exchanges()

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        // The port has its own deadline, and a download has none.
        configuration.timeoutIntervalForRequest = 7 * 24 * 60 * 60
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = 64
        session = Mutex(URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil))
    }

    func get(_ url: String, headers: [String: String]) async throws -> HTTPReply {
        guard let address = URL(string: url) else { throw TransportError.unreachable }
        var request = URLRequest(url: address)
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        guard let task = session.withLock({ [request] in $0?.dataTask(with: request) }) else {
            throw TransportError.unreachable
        }
        // On Linux, URLSession has no back-pressure, so nothing may be dropped here.
        let body = EventBuffer<[UInt8]>(limit: .max)
        let response: HTTPURLResponse = try await vendorCall { complete in
            exchanges.begin(task.taskIdentifier, Exchange(body: body, answer: complete))
            task.resume()
            return VendorCancellation { task.cancel() }
        }
        body.onTermination { task.cancel() }
        return HTTPReply(
            status: response.statusCode,
            header: { response.value(forHTTPHeaderField: $0) },
            body: body.events
        )
    }

    func close() async { session.withLock { $0.take() }?.invalidateAndCancel() }
}

/// A request in progress.
private struct Exchange: Sendable {
    var body: EventBuffer<[UInt8]>
    var answer: @Sendable (Result<HTTPURLResponse, any Error>) -> Void
    var hasAnswer = false
    var redirects = 0
}

/// The delegate for all requests of a session.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    private let running = Mutex<[Int: Exchange]>([:])

    func begin(_ id: Int, _ exchange: Exchange) { running.withLock { $0[id] = exchange } }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let response = response as? HTTPURLResponse else { return completionHandler(.cancel) }
        let answer = running.withLock { running in
            running[dataTask.taskIdentifier]?.hasAnswer = true
            return running[dataTask.taskIdentifier]?.answer
        }
        answer?(.success(response))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let body = running.withLock { $0[dataTask.taskIdentifier]?.body }
        body?.send(Array(data)) { TransportError.broken }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let count = running.withLock { running in
            running[task.taskIdentifier]?.redirects += 1
            return running[task.taskIdentifier]?.redirects ?? 0
        }
        if count > 5 {
            fail(task, TransportError.redirects)
            task.cancel()
        } else {
            completionHandler(request)
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error {
            fail(task, error)
        } else {
            running.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.body.finish()
        }
    }

    private func fail(_ task: URLSessionTask, _ error: any Error) {
        guard let exchange = running.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        let meaning: any Error =
            switch error {
            case let error as URLError where error.code == .cancelled: CancellationError()
            case let error as TransportError: error
            default: exchange.hasAnswer ? TransportError.broken : TransportError.unreachable
            }
        exchange.answer(.failure(meaning))
        exchange.body.finish(throwing: meaning)
    }
}

/// Returns what a session with Foundation's defaults makes of an answer, to find the differences between the two
/// clients.
///
/// - Returns: the last answer.
public func askURLSession(_ url: String, times: Int, patience: Duration) async -> PlainAnswer {
    guard let address = URL(string: url) else { return .error("no URL") }
    // Its cookies and its cache are not stored on disk, but otherwise work as usual.
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = Double(patience.components.seconds)
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    var last = PlainAnswer.error("not asked")
    for _ in 0..<times {
        do {
            let (data, response) = try await session.data(from: address)
            last = .answer(status: (response as? HTTPURLResponse)?.statusCode ?? 0, bytes: Array(data))
        } catch let error as URLError {
            last = .error("URLError \(error.code.rawValue)")
        } catch {
            last = .error("\(type(of: error))")
        }
    }
    return last
}
