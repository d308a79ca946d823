import Cofferdam
import CofferdamSupport
public import CofferdamUpgrade  // conforms to UpgradeStore

/// A read-only store with the upgrades of a `cofferdam-server`, for a device that follows them. The server's gate and
/// its operators make the changes. An abort on the device takes effect on that device, and ends when the server has
/// gone back too.
public final class ServerUpgradeStore: UpgradeStore {
    private let server: UpgradeServer
    private let pacing: Pacing
    private let last = Mutex([String: ServedStage]())

    /// How long one long poll waits, in seconds.
    private static let wait = 50
    /// If an answer without a new stage arrives sooner than this, the server did not wait.
    private static let minimumPollTime = Duration.seconds(1)

    /// Reads the upgrades of that server.
    public convenience init(_ server: UpgradeServer) { self.init(server, pacing: Pacing()) }

    init(_ server: UpgradeServer, pacing: Pacing) { (self.server, self.pacing) = (server, pacing) }

    /// Reads the capability's state; nil before the first change.
    public func read(_ capability: String) async throws -> StoredUpgrade? {
        try await stage(of: capability).stored
    }

    /// Throws `unavailable`: a device cannot change an upgrade.
    public func commit(_ change: UpgradeChange) async throws -> StoredUpgrade? {
        throw UpgradeStoreError(
            .unavailable,
            "a device does not change an upgrade; the server's gate and its operators do",
            subject: change.before.state.capability
        )
    }

    /// Nil: the audit log stays on the server.
    public func entry(_ id: String, of capability: String) async throws -> AuditEntry? { nil }

    /// Empty: the audit log stays on the server.
    public func history(of capability: String, last count: Int) async throws -> [AuditEntry] { [] }

    private func stage(of capability: String) async throws -> ServedStage {
        let known = last.withLock { $0[capability] }
        if let stage = try await server.stage(of: capability, known: known?.tag) {
            last.withLock { $0[capability] = stage }
            return stage
        }
        guard let known else {
            throw UpgradeStoreError(.unreadable, "the server gave no stage", subject: capability)
        }
        return known
    }
}

extension ServerUpgradeStore: UpgradeStoreWatching {
    /// Yields for the first stage, and whenever a long poll returns a new one.
    public func changes(of capability: String) -> AsyncStream<Void> {
        let tag = Mutex(String?.none)
        return AsyncStream {
            do {
                let stage = try await self.change(of: capability, known: tag.withLock { $0 })
                tag.withLock { $0 = stage.tag }
                return ()
            } catch {
                // Only the reader's cancellation is thrown.
                return nil
            }
        }
    }

    /// - Parameter tag: nil to return the stage as soon as it can be read.
    /// - Throws: `CancellationError`.
    private func change(of capability: String, known tag: String?) async throws -> ServedStage {
        var failures = 0
        while true {
            try Task.checkCancellation()
            let start = pacing.now()
            do {
                if let stage = try await server.stage(of: capability, known: tag, wait: Self.wait) {
                    last.withLock { $0[capability] = stage }
                    return stage
                }
                // If a proxy does not let the server wait, pause before the next request.
                failures = start.duration(to: pacing.now()) < Self.minimumPollTime ? failures + 1 : 0
            } catch {
                try Task.checkCancellation()
                failures += 1
            }
            guard failures > 0 else { continue }
            try await pacing.pause(Backoff().wait(attempt: failures, random: pacing.random()))
        }
    }
}
