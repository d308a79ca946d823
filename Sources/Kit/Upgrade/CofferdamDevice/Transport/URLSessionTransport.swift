import Cofferdam
import HTTPTypes

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking  // URLSessionConfiguration
#else
public import Foundation  // URLSessionConfiguration
#endif

extension DeviceTransport {
    /// Sends requests through a `URLSession` of its own, which ends with the last copy of the transport.
    ///
    /// - Parameters:
    ///   - configuration: copied, for example with a proxy or without cellular data. Its cache, its cookies and its
    ///     stored credentials are not used, and a request does not wait for a network.
    ///   - maximumBody: in bytes. A longer body is an error.
    public static func urlSession(
        _ configuration: URLSessionConfiguration = .ephemeral,
        maximumBody: Int = 4 << 20
    ) -> DeviceTransport {
        let session = OwnedSession(configuration, maximumBody)
        return DeviceTransport { try await session.send($0, $1, $2) }
    }
}

private typealias Answer = (head: HTTPResponse, body: [UInt8])

private final class OwnedSession: Sendable {
    private let session: URLSession
    private let exchanges: OpenExchanges

    init(_ configuration: URLSessionConfiguration, _ maximumBody: Int) {
        let own = configuration.copy() as? URLSessionConfiguration ?? configuration
        own.urlCache = nil
        own.requestCachePolicy = .reloadIgnoringLocalCacheData
        own.httpCookieStorage = nil
        own.httpShouldSetCookies = false
        own.httpCookieAcceptPolicy = .never
        own.urlCredentialStorage = nil
        #if canImport(Darwin)
        // No network is an answer too: the server is asked again later.
        own.waitsForConnectivity = false
        #endif
        exchanges = OpenExchanges(maximumBody)
        session = URLSession(configuration: own, delegate: exchanges, delegateQueue: nil)
    }

    // A session keeps its delegate until then.
    deinit { session.invalidateAndCancel() }

    func send(_ request: HTTPRequest, _ body: [UInt8], _ time: Duration) async throws -> Answer {
        let request = try URLRequest(request, body, time)
        do {
            return try await withDeadline(time, clock: ContinuousClock()) { [session, exchanges] in
                try await vendorCall { complete in
                    let task = session.dataTask(with: request)
                    exchanges.add(task, complete)
                    task.resume()
                    return VendorCancellation { task.cancel() }
                }
            }
        } catch is DeadlineExceeded {
            throw DeviceTransportError("no response within \(time)")
        }
    }
}

/// The requests that wait for their responses.
private final class OpenExchanges: NSObject, URLSessionDataDelegate, Sendable {
    private struct Exchange {
        let complete: @Sendable (Result<Answer, any Error>) -> Void
        var body: [UInt8] = []
        var isTooLong = false
    }

    private let open = Mutex([Int: Exchange]())
    private let maximumBody: Int

    init(_ maximumBody: Int) { self.maximumBody = maximumBody }

    func add(_ task: URLSessionTask, _ complete: @escaping @Sendable (Result<Answer, any Error>) -> Void) {
        open.withLock { $0[task.taskIdentifier] = Exchange(complete: complete) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = open.withLock { open in
            guard var exchange = open.removeValue(forKey: dataTask.taskIdentifier) else { return false }
            exchange.isTooLong = exchange.isTooLong || exchange.body.count + data.count > maximumBody
            if exchange.isTooLong { exchange.body = [] } else { exchange.body += data }
            open[dataTask.taskIdentifier] = exchange
            return exchange.isTooLong
        }
        if isTooLong { dataTask.cancel() }
    }

    /// Returns the redirect to the caller: the next host must not get the token.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = open.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        exchange.complete(Result { try answer(exchange, task, error) })
    }

    private func answer(_ exchange: Exchange, _ task: URLSessionTask, _ error: (any Error)?) throws -> Answer {
        if exchange.isTooLong { throw DeviceTransportError("a response of more than \(maximumBody) bytes") }
        if let error { throw DeviceTransportError(error.localizedDescription, cause: error) }
        guard let response = task.response as? HTTPURLResponse, let head = HTTPResponse(response) else {
            throw DeviceTransportError("a response that is not HTTP")
        }
        return (head, exchange.body)
    }
}

extension HTTPResponse {
    /// Nil for a status that HTTP does not have.
    fileprivate init?(_ response: HTTPURLResponse) {
        guard (100...599).contains(response.statusCode) else { return nil }
        self.init(status: Status(code: response.statusCode))
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let field = HTTPField.Name(name), let value = value as? String else {
                continue
            }
            headerFields[field] = value
        }
    }
}

extension URLRequest {
    fileprivate init(_ request: HTTPRequest, _ body: [UInt8], _ time: Duration) throws(DeviceTransportError) {
        guard let url = URL(string: "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")") else {
            throw DeviceTransportError("the address is not a URL", wasSent: false)
        }
        self.init(
            url: url,
            cachePolicy: .reloadIgnoringLocalCacheData,
            // The time that passes without data; the deadline is for the whole exchange.
            timeoutInterval: Double(time.components.seconds + 1)
        )
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        for field in request.headerFields { addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        if !body.isEmpty { httpBody = Data(body) }
    }
}
