/// Runs the world behind the service: for tests and demonstrations, in the same process.
public struct SandboxControl: Sendable {
    let sandbox: Sandbox

    private var world: Monitor<World> { sandbox.world }

    /// Begins anew from a baseline. Counters, faults, quirks and the clock are as at the start, too; tokens stay valid.
    /// Open streams end, held calls and long polls are answered.
    public func reset(baseline: Baseline) { sandbox.reset(to: baseline) }

    // MARK: Time and sessions

    /// Moves the service's clock. Timers (long polls, heartbeats, delays) do not follow it.
    public func advanceClock(by duration: Duration) { world.update { $0.clockOffset += duration } }

    /// Seconds since 1970 by the service's clock.
    public var now: Double { world.read { $0.now.seconds } }

    /// Lets the access tokens given so far expire on v2 (`token_expired`); refresh tokens and v1's tokens stay valid.
    public func expireAccessTokens() { world.update { $0.sessions.expireAccessTokens(at: $0.now) } }

    /// Ends every session of both APIs.
    public func revokeSessions() { world.update { $0.sessions.revokeAll(at: $0.now) } }

    // MARK: Requests

    /// How many requests for an operation have reached the service, faults included.
    public func calls(of operation: Operation) -> Int { world.read { $0.calls.counts[operation] ?? 0 } }

    /// Returns when so many requests for an operation have reached the service, or when the task is cancelled.
    public func waitForCalls(of operation: Operation, atLeast count: Int) async {
        await wait { ($0.calls.counts[operation] ?? 0) >= count }
    }

    /// The latest request for an operation, with all that was sent: also its secrets.
    public func lastRequest(of operation: Operation) -> RecordedRequest? { world.read { $0.calls.last[operation] } }

    // MARK: Faults

    /// Lets calls of an operation fail: the first `times` of them after `skips` proper ones. Faults of an operation
    /// follow one another in the order they were injected.
    public func inject(_ fault: Fault, on operation: Operation, times: Int = 1, after skips: Int = 0) {
        world.update { $0.faults.inject(fault, on: operation, times: times, after: skips) }
    }

    /// Forgets the faults that are still to come.
    public func clearFaults() { world.update { $0.faults.clear() } }

    /// Lets the held calls go on.
    public func releaseHeld() { world.update { $0.faults.releases += 1 } }

    /// How many calls are held now.
    public var held: Int { world.read { $0.faults.held } }

    /// Returns when exactly so many calls are held, or when the task is cancelled.
    public func waitForHeld(exactly count: Int) async { await wait { $0.faults.held == count } }

    // MARK: Events

    /// How many long polls (v1) and streams (v2) wait for events now.
    public func subscribers(of channel: EventChannel) -> Int { world.read { $0.subscribers(of: channel) } }

    /// Returns when exactly so many wait for events, or when the task is cancelled. Note that a client of v1 is not
    /// counted between two polls.
    public func waitForSubscribers(of channel: EventChannel, exactly count: Int) async {
        await wait { $0.subscribers(of: channel) == count }
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
