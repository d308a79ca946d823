import Foundation
import Load
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct URLSessionLoad: LoadClient {
    private let session: URLSession
    private let request: URLRequest
    private let configuration: URLSessionConfiguration

    init(_ options: LoadOptions) throws {
        guard let url = URL(string: options.url) else { throw LoadError("no URL") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = options.concurrency
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        self.configuration = configuration
        session = URLSession(configuration: configuration)
        var request = URLRequest(url: url)
        for header in requestHeaders { request.setValue(header.value, forHTTPHeaderField: header.name) }
        self.request = request
    }

    func get() async throws -> Int {
        let (body, reply) = try await session.data(for: request)
        try check(reply)
        return body.count
    }

    /// A delegate receives the blocks, and a slow consumer blocks its queue, the only way to apply back-pressure here.
    func download(at pace: inout Pace) async throws {
        let consumer = Consumer(pace)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let session = URLSession(configuration: configuration, delegate: consumer, delegateQueue: queue)
        defer { session.invalidateAndCancel() }
        let reply: URLResponse? = try await withCheckedThrowingContinuation { continuation in
            consumer.begin(continuation)
            session.dataTask(with: request).resume()
        }
        if let reply { try check(reply) }
        pace = consumer.pace
    }

    func close() async { session.invalidateAndCancel() }

    private func check(_ reply: URLResponse) throws {
        guard let status = (reply as? HTTPURLResponse)?.statusCode, status == 200 else {
            throw LoadError("no status 200")
        }
    }
}

/// Takes a streamed body on the session's queue, one block at a time.
private final class Consumer: NSObject, URLSessionDataDelegate {
    private struct State {
        var pace: Pace
        var waiter: CheckedContinuation<URLResponse?, any Error>?
    }

    private let state: Mutex<State>

    init(_ pace: Pace) { state = Mutex(State(pace: pace)) }

    var pace: Pace { state.withLock { $0.pace } }

    func begin(_ waiter: CheckedContinuation<URLResponse?, any Error>) { state.withLock { $0.waiter = waiter } }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let pause = state.withLock { $0.pace.take(data.count) }
        if let pause { Thread.sleep(forTimeInterval: pause / .seconds(1)) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let waiter = state.withLock { $0.waiter.take() }
        if let error { waiter?.resume(throwing: error) } else { waiter?.resume(returning: task.response) }
    }
}
