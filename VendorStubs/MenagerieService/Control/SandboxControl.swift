/// Runs the world behind the service: for tests and demonstrations, in the same process.
public struct SandboxControl: Sendable {
    let sandbox: Sandbox

    private var world: Monitor<World> { sandbox.world }

    /// Begins anew from a baseline. Counters, faults, quirks and the clock are as at the start, too; tokens stay valid.
    /// Open streams end, held calls and long polls are answered.
    public func reset(baseline: Baseline) { sandbox.reset(to: baseline) }

    // MARK: Time and sessions

    /// Moves the service's clock. Delays end when it passes their end; long polls and heartbeats do not follow it.
    public func advanceClock(by duration: Duration) { world.update { $0.clockOffset += duration } }

    /// Seconds since 1970 by the service's clock.
    public var now: Double { world.read { $0.now.seconds } }

    /// Lets the access tokens given so far expire on v2 (`token_expired`); refresh tokens and v1's tokens stay valid.
    public func expireAccessTokens() { world.update { $0.sessions.expireAccessTokens(at: $0.now) } }

    /// Ends every session of both APIs.
    public func revokeSessions() { world.update { $0.sessions.revokeAll(at: $0.now) } }

    // MARK: Requests

    /// Tells which operation a request is for, as counts and faults have it; nil for one that counts as none.
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

    /// How many requests for an operation have reached the service, faults included.
    ///
    /// - Parameter major: one API's only; nil: both.
    public func calls(of operation: Operation, via major: Major? = nil) -> Int {
        world.read { $0.calls.count(of: operation, via: major) }
    }

    /// How many requests of any operation have reached the service.
    public var totalCalls: Int { world.read(\.calls.total) }

    /// Returns when so many requests for an operation have reached the service, or when the task is cancelled.
    public func waitForCalls(of operation: Operation, atLeast count: Int) async {
        await wait { $0.calls.count(of: operation, via: nil) >= count }
    }

    /// The latest request for an operation, with all that was sent: also its secrets.
    public func lastRequest(of operation: Operation) -> RecordedRequest? {
        world.read { $0.calls.requests(of: operation).last }
    }

    /// The requests for an operation, oldest first, with all that was sent. The last 256 are held, and of large ones
    /// fewer.
    public func requests(of operation: Operation) -> [RecordedRequest] {
        world.read { $0.calls.requests(of: operation) }
    }

    /// Whose tokens the requests for an operation bore, expired or not, as ``requests(of:)`` has them: users' ids. Requests
    /// without a token of this service are left out.
    public func users(of operation: Operation) -> [String] {
        world.read { world in
            world.calls.requests(of: operation).compactMap { request in
                let parts = (request.header("Authorization") ?? "").split(separator: " ")
                return parts.last.flatMap { world.sessions.owner(ofToken: String($0)) }
            }
        }
    }

    /// What stands for a secret in echoes: equal for equal texts, and of no other use.
    public func fingerprint(of secret: String) -> String { sandbox.fingerprint(of: secret) }

    // MARK: Faults

    /// Lets calls of an operation fail: the first `times` of them after `skips` proper ones. Faults of an operation
    /// follow one another in the order they were injected.
    ///
    /// - Parameters:
    ///   - major: only calls of that API have the fault; nil: of both.
    ///   - probability: how likely each call is to have it; which have it follows from the seed.
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

    /// Forgets the faults that are still to come.
    public func clearFaults() { world.update { $0.faults.clear() } }

    /// Lets the held calls go on, and the delayed ones.
    public func releaseHeld() { world.update { $0.faults.releases += 1 } }

    /// How many calls are held now.
    public var held: Int { world.read { $0.faults.held } }

    /// Returns when exactly so many calls are held, or when the task is cancelled.
    public func waitForHeld(exactly count: Int) async { await wait { $0.faults.held == count } }

    /// How many calls are delayed now.
    public var delayed: Int { world.read { $0.faults.delayed } }

    /// Returns when exactly so many calls are delayed, or when the task is cancelled.
    public func waitForDelayed(exactly count: Int) async { await wait { $0.faults.delayed == count } }

    // MARK: Events

    /// How many long polls (v1) and streams (v2) wait for events now.
    public func subscribers(of channel: EventChannel) -> Int { world.read { $0.subscribers(of: channel) } }

    /// Returns when exactly so many wait for events, or when the task is cancelled. Note that a client of v1 is not
    /// counted between two polls.
    public func waitForSubscribers(of channel: EventChannel, exactly count: Int) async {
        await wait { $0.subscribers(of: channel) == count }
    }

    /// Lets something befall those who listen now.
    public func befall(_ channel: EventChannel, _ incident: EventIncident) {
        world.update { world in
            switch channel {
            case .messages: world.messages.log.befall(incident)
            case .accessories: world.accessories.log.befall(incident)
            }
        }
    }

    private func wait(until isDue: @escaping @Sendable (World) -> Bool) async {
        // The only error is the cancellation of who waits: that ends the waiting, too.
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
