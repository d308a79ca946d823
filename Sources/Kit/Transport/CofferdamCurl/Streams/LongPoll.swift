#if Curl
import Cofferdam
package import CofferdamSupport  // waits that tests replace
public import HTTPTypes  // requests are HTTPRequest

extension CurlClient {
    /// Polls a server that holds each request until it has data.
    ///
    /// The sequence contains only replies with content, whatever their status. After an empty result (a time-out after
    /// the request was sent, or a reply with 204 or 304) the same request is sent again at once; if the empty result
    /// came sooner than the policy's initial wait, a wait comes first, so that a server that does not hold requests is
    /// not flooded. After a transient failure, and after 429, 500, 502, 503 or 504, the same request is sent again
    /// after a wait.
    ///
    /// A request that must not be repeated (RFC 9110, section 9.2.2: for example a POST or PATCH without an
    /// `Idempotency-Key`) is sent again only if the server has not seen it or has answered that there is no data;
    /// otherwise its failure is thrown, and any other reply is returned.
    ///
    /// All requests happen while the consumer waits for a reply. Cancelling the consumer cancels the request or the
    /// wait before it.
    ///
    /// - Parameters:
    ///   - first: the first request.
    ///   - next: returns the request that follows a reply with content, and is called once for each; `nil` ends the
    ///     sequence. An error it throws is thrown at the pull after that reply.
    /// - Returns: a sequence that throws ``CurlError`` when a failure is permanent or was the last allowed, with
    ///   `protocol` when that was a status; errors of `next`; `CancellationError`.
    public func longPoll(
        _ first: HTTPRequest,
        reconnect: ReconnectPolicy = .init(),
        next: @escaping @Sendable (CurlReply) throws -> HTTPRequest?
    ) -> LongPoll {
        longPoll(first, reconnect: reconnect, pacing: Pacing(), next: next)
    }

    package func longPoll(
        _ first: HTTPRequest,
        reconnect: ReconnectPolicy,
        pacing: Pacing,
        next: @escaping @Sendable (CurlReply) throws -> HTTPRequest?
    ) -> LongPoll {
        LongPoll(client: self, first: first, policy: reconnect, pacing: pacing, following: next)
    }
}

/// The replies with content to a series of requests.
public struct LongPoll: AsyncSequence, Sendable {
    /// A reply with content.
    public typealias Element = CurlReply
    /// Failures are ``CurlError``, `CancellationError`, or errors of `next`.
    public typealias Failure = any Error

    fileprivate let client: CurlClient
    fileprivate let first: HTTPRequest
    fileprivate let policy: ReconnectPolicy
    fileprivate let pacing: Pacing
    fileprivate let following: @Sendable (CurlReply) throws -> HTTPRequest?

    /// Starts an iteration with the first request.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iteration, which sends its requests while its consumer waits.
    public struct Iterator: AsyncIteratorProtocol {
        private let poll: LongPoll
        private var reconnection: Reconnection
        /// Waits after empty replies that came too soon. Their number is not limited, because they are not failures.
        private var emptyReplyBackoff: Reconnection
        private var upcoming: Result<HTTPRequest?, any Error>

        fileprivate init(_ poll: LongPoll) {
            self.poll = poll
            reconnection = Reconnection(poll.policy, poll.pacing)
            var unbounded = poll.policy
            unbounded.maximumAttempts = nil
            emptyReplyBackoff = Reconnection(unbounded, poll.pacing)
            upcoming = .success(poll.first)
        }

        /// Waits for the next reply; nil at the end.
        public mutating func next() async throws -> CurlReply? { try await next(isolation: #isolation) }

        /// Like ``next()``, for callers on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> CurlReply? {
            do {
                guard let request = try upcoming.get() else { return nil }
                let reply = try await ask(request)
                upcoming = Result { try poll.following(reply) }
                return reply
            } catch {
                upcoming = .success(nil)
                throw error
            }
        }

        private mutating func ask(_ request: HTTPRequest) async throws -> CurlReply {
            while true {
                let start = poll.pacing.now()
                switch try await outcome(of: request) {
                case .content(let reply):
                    reconnection.hasArrived()
                    emptyReplyBackoff.hasArrived()
                    return reply
                case .nothing:
                    reconnection.hasArrived()
                    if start.duration(to: poll.pacing.now()) >= poll.policy.backoff.initial {
                        emptyReplyBackoff.hasArrived()
                    } else {
                        _ = try await emptyReplyBackoff.wait(after: .end)
                    }
                case .interrupted(let cause):
                    // Throws when no further attempt is allowed.
                    _ = try await reconnection.wait(after: cause)
                }
            }
        }

        private enum Outcome {
            case content(CurlReply)
            case nothing
            case interrupted(Reconnection.Cause)
        }

        private func outcome(of request: HTTPRequest) async throws -> Outcome {
            do throws(any Error) {
                let reply = try await poll.client.send(request)
                if [204, 304].contains(reply.head.status.code) { return .nothing }
                let isRefused = request.isRepeatable && Reconnection.isRefusal(reply.head)
                return isRefused ? .interrupted(.refusal(reply.head)) : .content(reply)
            } catch let error as CurlError {
                guard request.isRepeatable || error.wasSent == false else { throw error }
                return error.code == .timeout && error.wasSent != false ? .nothing : .interrupted(.failure(error))
            }
        }
    }
}
#endif
