#if Server
import Cofferdam
import CofferdamFleet
package import CofferdamUpgrade  // plans, stores and evidence are the kit's
import ServiceLifecycle

/// An upgrade that another part of this process runs, such as a rehearsal. The server shows it, and people change
/// it in its own store. Devices cannot post evidence for it.
package struct WatchedUpgrade: Sendable {
    /// The name: 1 to 100 letters, digits, dots, hyphens and underscores.
    var name: String
    /// The name of its plan on a page.
    var planName: String
    /// The plan.
    var plan: UpgradePlan
    /// The state and the audit log.
    var store: any UpgradeStore
    /// The evidence on which the gate decides.
    var evidence: any EvidenceSource
    /// Returns the baseline of the legacy side; nil while too little is known.
    package var baseline: @Sendable () -> LegacyBaseline? = { nil }
    /// Returns the upgrade's own time, in milliseconds since 1970.
    package var now: @Sendable () -> Int64 = WallTime.now

    /// Creates a value with defaults for the other properties.
    package init(
        _ name: String,
        planName: String,
        plan: UpgradePlan,
        store: any UpgradeStore,
        evidence: any EvidenceSource
    ) {
        (self.name, self.planName, self.plan, self.store, self.evidence) = (name, planName, plan, store, evidence)
    }
}

/// The evidence on which the gate of a hosted upgrade decides.
struct HostedEvidence: EvidenceSource {
    private let read: @Sendable (UpgradeState, _ seconds: Int) async throws -> (GateReading, gaps: [String])
    private let measure: @Sendable (UpgradeState, _ minimum: Int) async throws -> LegacyBaseline?
    /// What devices report about themselves to this server; nil if the evidence does not come from devices.
    private let devices: DeviceReports?

    /// Whether the evidence comes from devices.
    var isPosted: Bool { devices != nil }

    init(_ stored: StoredEvidence, _ devices: DeviceReports) {
        self.devices = devices
        read = { (try await stored.reading(of: $0, afterSeconds: $1), []) }
        measure = { try await stored.baseline(of: $0.capability, minimum: $1) }
    }

    init(_ watched: WatchedUpgrade) {
        devices = nil
        read = { [source = watched.evidence] in (try await source.reading(of: $0, afterSeconds: $1), []) }
        measure = { [baseline = watched.baseline] _, _ in baseline() }
    }

    /// The evidence of all servers.
    init(_ shared: PrometheusEvidence, _ devices: DeviceReports, now: @escaping @Sendable () -> Int64) {
        self.devices = devices
        read = { state, seconds in
            let found = try await shared.evidence(of: state, seconds: seconds, now: now())
            return (found.snapshot.reading, found.gaps)
        }
        measure = { state, minimum in
            // Before the first step, it is unknown since when the legacy side has been measured.
            let seconds = state.epoch == 0 ? Self.longestWatch : WallTime.since(state.since, at: now() / 1_000)
            do {
                return try await shared.baseline(
                    of: state,
                    seconds: Int(clamping: seconds),
                    minimum: minimum,
                    now: now()
                ).baseline
            } catch let error as CancellationError { throw error } catch {
                // A person may take the step without one.
                return nil
            }
        }
    }

    /// Two weeks, in seconds.
    private static let longestWatch: Int64 = 1_209_600

    func reading(of state: UpgradeState, afterSeconds seconds: Int) async throws -> GateReading {
        try await counted(of: state, afterSeconds: seconds).0
    }

    /// Returns the reading, and what is missing in it and why, for people.
    func counted(of state: UpgradeState, afterSeconds seconds: Int) async throws -> (GateReading, gaps: [String]) {
        var (reading, gaps) = try await read(state, seconds)
        if let gap = KnownOperations.gap(in: reading) {
            reading.isIncomplete = true
            gaps.append(gap)
        }
        return (reading, gaps)
    }

    func baseline(of state: UpgradeState, minimum: Int) async throws -> LegacyBaseline? {
        try await measure(state, minimum)
    }

    /// The breakers that opened on devices in the epoch of that state; nil if the evidence does not come from
    /// devices.
    func breakers(of state: UpgradeState) async throws -> [BreakerTotals]? {
        try await devices?.breakers(of: state.capability, epoch: state.epoch)
    }

    /// How long the calls of that epoch took; nil if the evidence does not come from devices.
    func latencies(of state: UpgradeState) async throws -> [LatencyTotals]? {
        try await devices?.latencies(of: state.capability, epoch: state.epoch)
    }

    /// A few mismatches of that epoch; nil if the evidence does not come from devices.
    func samples(of state: UpgradeState) async throws -> [MismatchSample]? {
        try await devices?.samples(of: state.capability, epoch: state.epoch)
    }
}

/// Notifies subscribers of changes that another part of the process makes.
struct WatchService: Service {
    let upgrade: HostedUpgrade
    let live: LiveUpdates
    let sleep: @Sendable (Duration) async throws -> Void

    /// How often the store and the evidence are read.
    static let interval = Duration.milliseconds(500)

    func run() async {
        await cancelWhenGracefulShutdown {
            var last: GateReading?
            repeat {
                // A failure to read may be temporary.
                guard let state = try? await upgrade.store.read(upgrade.name)?.state,
                    let reading = try? await upgrade.evidence.reading(of: state, afterSeconds: 0), reading != last
                else { continue }
                last = reading
                live.evidenceChanged(of: upgrade.name)
            } while (try? await sleep(Self.interval)) != nil
        }
    }
}
#endif
