#if Sandbox
/// Controls the world behind the service, for tests and demonstrations in the same process.
public struct SandboxControl: Sendable {
    let sandbox: Sandbox

    private var world: Monitor<World> { sandbox.world }

    /// Resets the world to a baseline. Counters, faults, quirks and the clock are reset too; tokens stay valid. Open
    /// streams end, held calls and long polls are answered.
    public func reset(baseline: Baseline) { sandbox.reset(to: baseline) }

    // MARK: Time and sessions

    /// Advances the service's clock. Delays end when it passes their end; long polls and heartbeats do not follow it.
    public func advanceClock(by duration: Duration) { world.update { $0.clockOffset += duration } }

    /// The service's clock, in seconds since 1970.
    public var now: Double { world.read { $0.now.seconds } }

    /// Expires all v2 access tokens issued so far (`token_expired`); refresh tokens and v1's tokens stay valid.
    public func expireAccessTokens() { world.update { $0.sessions.expireAccessTokens(at: $0.now) } }

    /// Ends every session of both APIs.
    public func revokeSessions() { world.update { $0.sessions.revokeAll(at: $0.now) } }

    // MARK: Requests

    /// Returns a function that classifies requests by operation, as counts and faults do; nil for a request that does
    /// not count.
    public func classifier() -> @Sendable (_ method: String, _ target: String, _ body: [UInt8]) -> Operation? {
        let apis = ["v1": V1API(sandbox: sandbox).routes, "v2": V2API(sandbox: sandbox).routes]
        return { method, target, body in
            let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let (path, query) = (parts[0], parts.count == 2 ? parts[1] : "")
            let request = RecordedRequest(method: method, path: path, query: query, headers: [], body: body)
            let call = Call(request, prefix: 1, origin: "")
            guard let name = Call.segments(of: path).first, let routes = apis[name] else { return nil }
            do throws(Refusal) {
                return try Route.matching(call, in: routes).operation(call)
            } catch {
                return nil
            }
        }
    }

    /// Returns the number of requests for an operation that reached the service, including faults.
    ///
    /// - Parameter major: one API only; nil for both.
    public func calls(of operation: Operation, via major: Major? = nil) -> Int {
        world.read { $0.calls.count(of: operation, via: major) }
    }

    /// The number of requests of any operation that reached the service.
    public var totalCalls: Int { world.read(\.calls.total) }

    /// Waits until that many requests for an operation have reached the service, or the task is cancelled.
    public func waitForCalls(of operation: Operation, atLeast count: Int) async {
        await wait { $0.calls.count(of: operation, via: nil) >= count }
    }

    /// Returns the latest request for an operation, including secrets.
    public func lastRequest(of operation: Operation) -> RecordedRequest? {
        world.read { $0.calls.requests(of: operation).last }
    }

    /// Returns the requests for an operation, oldest first, including secrets. The last 256 are kept, fewer if they are
    /// large.
    public func requests(of operation: Operation) -> [RecordedRequest] {
        world.read { $0.calls.requests(of: operation) }
    }

    /// Returns the user ids of the tokens in ``requests(of:)``, expired or not. Requests without a token of this
    /// service are left out.
    public func users(of operation: Operation) -> [String] {
        world.read { world in
            world.calls.requests(of: operation).compactMap { request in
                let parts = (request.header("Authorization") ?? "").split(separator: " ")
                return parts.last.flatMap { world.sessions.owner(ofToken: String($0)) }
            }
        }
    }

    /// Returns the text that replaces a secret in echoes: equal for equal texts, and otherwise meaningless.
    public func fingerprint(of secret: String) -> String { sandbox.fingerprint(of: secret) }

    // MARK: Faults

    /// Makes calls of an operation fail: `times` of them, after `skips` proper ones. An operation's faults occur in the
    /// order in which they were injected.
    ///
    /// - Parameters:
    ///   - major: the API to which the fault applies; nil for both.
    ///   - probability: the probability for each call; the choice is determined by the seed.
    public func inject(
        _ fault: Fault,
        on operation: Operation,
        via major: Major? = nil,
        times: Int = 1,
        after skips: Int = 0,
        probability: Double = 1
    ) {
        world.update { world in
            world.faults.inject(
                fault,
                on: operation,
                via: major,
                times: times,
                after: skips,
                probability: probability
            )
        }
    }

    /// Removes the faults that have not occurred yet.
    public func clearFaults() { world.update { $0.faults.clear() } }

    /// Releases the held and the delayed calls.
    public func releaseHeld() { world.update { $0.faults.releases += 1 } }

    /// The number of calls held now.
    public var held: Int { world.read { $0.faults.held } }

    /// Waits until exactly that many calls are held, or the task is cancelled.
    public func waitForHeld(exactly count: Int) async { await wait { $0.faults.held == count } }

    /// The number of calls delayed now.
    public var delayed: Int { world.read { $0.faults.delayed } }

    /// Waits until exactly that many calls are delayed, or the task is cancelled.
    public func waitForDelayed(exactly count: Int) async { await wait { $0.faults.delayed == count } }

    // MARK: Events

    /// Returns the number of long polls (v1) and streams (v2) that wait for events now.
    public func subscribers(of channel: EventChannel) -> Int { world.read { $0.subscribers(of: channel) } }

    /// Waits until exactly that many wait for events, or the task is cancelled. A client of v1 is not counted between
    /// two polls.
    public func waitForSubscribers(of channel: EventChannel, exactly count: Int) async {
        await wait { $0.subscribers(of: channel) == count }
    }

    /// Causes an incident for the current listeners.
    public func simulate(_ incident: EventIncident, on channel: EventChannel) {
        world.update { world in
            switch channel {
            case .messages: world.messages.log.simulate(incident)
            case .accessories: world.accessories.log.simulate(incident)
            }
        }
    }

    private func wait(until isDue: @escaping @Sendable (World) -> Bool) async {
        // The only error is cancellation, which ends the wait as well.
        do { try await world.wait(until: isDue) } catch {}
    }
}

extension World {
    fileprivate func subscribers(of channel: EventChannel) -> Int {
        switch channel {
        case .messages: messages.log.subscribers
        case .accessories: accessories.log.subscribers
        }
    }
}
#endif
