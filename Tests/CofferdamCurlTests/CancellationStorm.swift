#if Curl
import Cofferdam
import CofferdamSupport

#if os(Linux)
import CofferdamCurl
import HTTPTypes
import Testing

/// The state of a request when it is cancelled, and the server that holds it there.
enum CancellationMoment: Int, CaseIterable, Sendable {
    case connecting
    case greeting
    case waiting
    case inHead
    case inBody
    case uploading
    case paused
    case resolving
    /// A reply that arrives at about that time.
    case ending
}

/// Cancels requests at random times, and checks what they leave behind.
struct CancellationStorm: Sendable {
    /// The port of the servers, which run in another process.
    let port: Int
    let fullPort: Int
    let seed: UInt64
    static let batch = 40

    static func server() throws -> ScriptedServer {
        try ScriptedServer(connection: { connection in
            // A greeting is not followed by a head.
            while let head = connection.readHead() {
                switch head.split(separator: " ").dropFirst().first {
                case "/inHead": connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\nX-Some: thi")
                case "/inBody": connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nsome")
                case "/paused":
                    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n")
                    connection.send(Array(repeating: 1, count: 400_000))
                case "/ending":
                    connection.reply(Array(repeating: 1, count: 50_000))
                    continue
                default: break
                }
                // The body of an upload stays unread.
                return connection.waitForClientToClose()
            }
        })
    }

    /// - Returns: how many requests were cancelled in each state.
    func run(_ count: Int, with client: CurlClient, atEachTenth: (Int) async -> Void) async throws -> [Int] {
        var random = SplitMix64(seed: seed)
        var cancelled = Array(repeating: 0, count: CancellationMoment.allCases.count)
        for round in 0..<count / Self.batch {
            let moments = (0..<Self.batch).map { _ in CancellationMoment.allCases.randomElement(using: &random) }
            let waits = (0..<Self.batch).map { _ in Int.random(in: 0...3000, using: &random) }.sorted()
            let start = ContinuousClock.now
            let tasks = try moments.map { moment in
                let moment = try #require(moment)
                let request = try request(for: moment)
                let isStream = Bool.random(using: &random)
                return (moment, Task { try await Self.send(request, moment, isStream, client) })
            }
            for (wait, (_, task)) in zip(waits, tasks) {
                while ContinuousClock.now < start + .microseconds(wait) { await Task.yield() }
                task.cancel()
            }
            for (moment, task) in tasks {
                switch await task.result {
                case .success: #expect(moment == .ending || moment == .paused, "seed \(seed): \(moment) ended")
                case .failure(let error):
                    #expect(error is CancellationError, "seed \(seed): \(moment) failed with \(error)")
                    cancelled[moment.rawValue] += 1
                }
            }
            if HangingResolver.isInPlace { HangingResolver.release() }
            if (round + 1) * Self.batch * 10 % count == 0 {
                await atEachTenth((round + 1) * Self.batch * 10 / count)
            }
        }
        return cancelled
    }

    private func request(for moment: CancellationMoment) throws -> HTTPRequest {
        let url =
            switch moment {
            case .connecting: "http://127.0.0.1:\(fullPort)/"
            case .greeting: "https://127.0.0.1:\(port)/"
            case .resolving:
                HangingResolver.isInPlace ? "http://a.hanging.invalid/" : "http://127.0.0.1:\(fullPort)/"
            default: "http://127.0.0.1:\(port)/\(moment)"
            }
        return try HTTPRequest(moment == .uploading ? .put : .get, url: url)
    }

    private static func send(
        _ request: HTTPRequest,
        _ moment: CancellationMoment,
        _ isStream: Bool,
        _ client: CurlClient
    ) async throws {
        let body: CurlRequestBody =
            moment != .uploading
            ? .empty
            : .stream(
                PulledBlocks { index in
                    if index == 16 { try await PulledBlocks.waitForCancellation() }
                    return Array(repeating: 1, count: 64 << 10)
                }
            )
        guard isStream || moment == .paused else {
            _ = try await client.send(request, body: body)
            return
        }
        let stream = try await client.stream(request, body: body)
        // The stream is not pulled until the task is cancelled; then it is dropped.
        if moment == .paused { return await withCheckedStream(stream) }
        for try await _ in stream.body {}
    }

    private static func withCheckedStream(_ stream: CurlStream) async {
        for await _ in AsyncStream<Void>.makeStream().stream {}
        withExtendedLifetime(stream) {}
    }
}
#endif
#endif
