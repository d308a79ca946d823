import Cofferdam
import CofferdamSupport
public import CofferdamUpgrade  // conforms to EvidenceLedger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Keeps a device's counts in a file of the app and posts them to a `cofferdam-server`, as soon as the server can be
/// reached. A unit counts once, whatever is repeated, restarted or lost on the way.
///
/// With the units it posts facts about the device: which breakers are open (if the recorder knows them), how long calls
/// took on each side, and a few mismatches if the app asks for them. A random number in the file identifies the device.
///
/// The server never learns who a unit is: it receives a hash with the app's salt.
///
/// Before its first post it enrols at a server that offers it, with a key in `FILE.key`, and signs its posts. Then it counts for at most eight units.
public final class ServerEvidence: EvidenceLedger {
    private let server: UpgradeServer
    private let file: DurableFile
    private let salt: String
    private let build: String
    private let side: String?
    private let window: Int
    private let interval: Duration
    private let maxSamples: Int
    private let pacing: Pacing
    /// Nil for an installation that does not enrol.
    private let enrolment: Enrolment?
    private let state: Mutex<[String: DeviceEvidence]>
    /// One post at a time.
    private let turns = AsyncMutex()
    /// One write at a time.
    private let writes = AsyncMutex()

    /// When this device last reported open breakers, by capability.
    private let reportedBreakers = Mutex<[String: ContinuousClock.Instant]>([:])

    /// The maximum number of mismatches of each operation.
    private static let sampleLimit = 5
    /// The maximum number of windows in one post.
    private static let maxWindows = 500
    /// How often a device repeats that a breaker is open.
    package static let breakerInterval = Duration.seconds(600)

    /// - Parameters:
    ///   - server: where to post.
    ///   - file: created when it is first needed, in an existing directory of the app. On a phone, ``DeviceUpgrades``
    ///     gives it one.
    ///   - salt: the same in every installation of the app, at least 16 random characters; unknown to the server.
    ///   - build: the label of this build. For a build with one side, the label of `arm` replaces it.
    ///   - arm: the only side of this build; nil if it has both.
    ///   - window: the same as the recorder's.
    ///   - interval: how often unsent counts are posted.
    ///   - mismatchSamples: how many mismatches of each operation are posted in an epoch, 0 to 5, with the texts that
    ///     the comparator shows. They leave the device unchanged: compare personal data with
    ///     `Comparator.redactedField`.
    ///   - enrols: whether the installation enrols. A server counts one that has for at most eight units in an epoch, so
    ///     a process that serves more users must not.
    ///   - attest: returns what proves to the server's verifier that the installation with that public key (65 bytes,
    ///     X9.63) is the team's app on a real device, such as an App Attest object over the key's SHA-256; nil if this
    ///     device cannot. If it throws, it is asked again later. Not called by a server that enrols no installations.
    /// - Throws: `UpgradeStoreError` if the file cannot be read. Remove the file then; its counts are lost.
    public convenience init(
        _ server: UpgradeServer,
        file: String,
        salt: String,
        build: String = "",
        arm: Arm? = nil,
        window: Duration = EvidenceRecorder.window,
        interval: Duration = .seconds(30),
        mismatchSamples: Int = 0,
        enrols: Bool = true,
        attest: (@Sendable (_ publicKey: [UInt8]) async throws -> String?)? = nil
    ) throws {
        try self.init(server, file, salt, build, arm, window, interval, mismatchSamples, Pacing(), enrols, attest)
    }

    init(
        _ server: UpgradeServer,
        _ path: String,
        _ salt: String,
        _ build: String,
        _ arm: Arm?,
        _ window: Duration,
        _ interval: Duration,
        _ maxSamples: Int,
        _ pacing: Pacing,
        _ enrols: Bool = true,
        _ attest: Enrolment.Attest? = nil
    ) throws {
        (self.server, self.salt, self.interval, self.pacing) = (server, salt, interval, pacing)
        self.maxSamples = min(max(0, maxSamples), Self.sampleLimit)
        file = DurableFile(path: path)
        let key = DurableFile(path: path + ".key")
        enrolment = enrols ? Enrolment(file: key, server: server.address, attest: attest, now: pacing.now) : nil
        (self.build, side) = (arm?.build ?? build, arm?.side.rawValue)
        self.window = Int(window.components.seconds)
        var known: [String: DeviceEvidence] = [:]
        if let data = try file.read() {
            do { known = try JSONDecoder().decode([String: DeviceEvidence].self, from: data) } catch {
                throw UpgradeStoreError(.unreadable, "the file holds no counts", subject: path, cause: error)
            }
        }
        for capability in known.keys { known[capability]?.processEnded(at: WallTime.now() / 1_000) }
        state = Mutex(known)
    }

    // MARK: The recorder's rows

    /// Merges the rows into those of the file. ``run()`` posts them later.
    public func merge(_ rows: EvidenceRows, of capability: String) async throws -> EvidenceCounts {
        let counts = state.withLock { $0[capability, default: DeviceEvidence()].merge(rows, maxSamples: maxSamples) }
        try await write()
        return counts
    }

    /// The counts of this device under that key; nil if there are none.
    public func counts(of capability: String, under key: EpochKey) async throws -> EvidenceCounts? {
        state.withLock { $0[capability]?.counts(under: key) }
    }

    /// The counts of this device in that epoch.
    public func builds(of capability: String, epoch: Int) async throws -> [EvidenceCounts] {
        state.withLock { $0[capability]?.builds(of: epoch) ?? [] }
    }

    /// The epoch that this device counts in; nil if there is none.
    public func newestEpoch(of capability: String) async throws -> Int? { state.withLock { $0[capability]?.epoch } }

    private func write() async throws {
        try await writes.run {
            let data = try state.withLock { try JSONEncoder().encode($0) }
            try file.write(data)
        }
    }

    // MARK: Posting

    /// Posts everything that the server does not have yet.
    ///
    /// - Throws: the first `UpgradeStoreError` if the server cannot be reached or refuses, once each upgrade has had its
    ///   turn. Reports that it has not acknowledged are posted again later. A report that it will never accept is
    ///   dropped, so that it does not block others.
    public func deliver() async throws {
        if let problem = try await deliverEach().problem { throw problem }
    }

    /// Posts the reports of each upgrade, whatever becomes of those of others.
    ///
    /// - Returns: the first problem, and whether the server has failed, rather than refused a report.
    /// - Throws: only `CancellationError`.
    private func deliverEach() async throws -> (problem: (any Error)?, hasFailed: Bool) {
        try await turns.run {
            var outcome: (problem: (any Error)?, hasFailed: Bool) = (nil, false)
            for capability in state.withLock({ $0.keys.sorted() }) {
                do {
                    let refusal = try await deliver(capability)
                    outcome.problem = outcome.problem ?? refusal
                } catch let error as CancellationError { throw error } catch {
                    outcome = (outcome.problem ?? error, true)
                }
            }
            return outcome
        }
    }

    /// - Returns: why the server refuses a report; nil if it has taken all.
    private func deliver(_ capability: String) async throws -> (any Error)? {
        repeatOpenBreakers(of: capability)
        while let report = nextReport(of: capability) {
            let receipt = try await server.post(report, of: capability, enrolment)
            if case .notHosted(let error) = receipt { return error }
            state.withLock { $0[capability]?.acknowledge(report, hash: hash) }
            if report.breakers != nil { reportedBreakers.withLock { $0[capability] = pacing.now() } }
            try await write()
            if case .refused(let error) = receipt { return error }
        }
        return nil
    }

    /// The server forgets an open breaker that is not reported again: the app may have ended.
    private func repeatOpenBreakers(of capability: String) {
        guard let last = reportedBreakers.withLock({ $0[capability] }),
            last.duration(to: pacing.now()) >= Self.breakerInterval
        else { return }
        state.withLock { $0[capability]?.repeatOpenBreakers() }
    }

    private func nextReport(of capability: String) -> EvidenceReport? {
        state.withLock { state in
            state[capability]?.report(window: window, build: build, side: side, limit: Self.maxWindows, hash: hash)
        }
    }

    /// Posts the counts until it is cancelled, with a longer pause after each failure of the server.
    ///
    /// - Throws: only `CancellationError`.
    public func run() async throws {
        var failures = 0
        while true {
            failures = try await deliverEach().hasFailed ? failures + 1 : 0
            let wait = Backoff(initial: interval, maximum: max(interval, .seconds(600)))
                .wait(attempt: failures, random: pacing.random())
            try await pacing.pause(failures == 0 ? interval : max(interval, wait))
        }
    }

    /// 64 bits of SHA-256, in hexadecimal.
    private func hash(_ unit: UInt64) -> String { String(Digest.sha256(of: "\(salt):\(unit.hexadecimal)").prefix(16)) }
}
