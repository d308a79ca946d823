#if Curl
import Cofferdam
import CofferdamCurl
import CofferdamSupport
import HTTPTypes

/// Records waits, which take no time. The randomness always gives the longest wait.
final class PacingRecord: Sendable {
    private let state = Mutex((waits: [Duration](), now: ContinuousClock.now))
    private let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
    private let step: Duration
    private let isEndless: Bool

    /// - Parameters:
    ///   - step: how far each reading of the clock advances it.
    ///   - isEndless: whether a wait ends only by cancellation.
    init(step: Duration = .zero, isEndless: Bool = false) {
        self.step = step
        self.isEndless = isEndless
    }

    var waits: [Duration] { state.withLock { $0.waits } }

    /// Returns once a wait has begun. For a single caller.
    func waitForPause() async {
        for await _ in begun { return }
    }

    var pacing: Pacing {
        Pacing(
            pause: { [self] wait in
                state.withLock { $0.waits.append(wait) }
                hasBegun.yield()
                if isEndless { try await Task.sleep(for: .seconds(86_400)) }
                try Task.checkCancellation()
            },
            random: { 1 },
            now: { [self] in
                state.withLock { state in
                    state.now += step
                    return state.now
                }
            }
        )
    }
}

extension ScriptedServer {
    /// Answers each request with the next reply and ends the connection; after the last reply with 204.
    static func replying(_ replies: [String]) throws -> ScriptedServer {
        let rest = Mutex(replies[...])
        return try ScriptedServer { connection, _ in
            var reply = rest.withLock { $0.popFirst() } ?? "HTTP/1.1 204 No Content\r\n\r\n"
            // Otherwise the client might reuse the connection before it sees the end.
            if let line = reply.firstRange(of: "\r\n") {
                reply.replaceSubrange(line, with: "\r\nConnection: close\r\n")
            }
            connection.send(reply)
            connection.end()
        }
    }
}

extension ServerRequest {
    func header(_ name: String) -> String? {
        let start = "\(name): ".lowercased()
        return head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(start) }
            .map { String($0.dropFirst(start.count)) }
    }
}
#endif
