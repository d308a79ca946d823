import Cofferdam
import CofferdamSupport
public import CofferdamUpgrade  // an installation runs its engines

/// The upgrades of one installation of an app, through the life of an app that the system suspends and ends.
///
/// ```swift
/// let device = try DeviceUpgrades(server, directory: directory, salt: salt)
/// let orders = try device.upgrade(
///     "orders", plan: .standard, failures: .orders, legacy: { V1Orders() }, candidate: { V2Orders() }
/// )
/// device.resume()                          // in the foreground: polls at once; calls wait for it for a short time
/// device.pause()                           // in the background: the counts are on disk, no call in flight is a crash
/// await device.flush(within: .seconds(20)) // in a background task: posts the counts
/// ```
///
/// No network, days without one and a wrong clock are no errors: the app follows what it knew last, as long as
/// `UpgradeEngineSettings` allows, and the counts wait in the directory.
public final class DeviceUpgrades: Sendable {
    /// The options of an installation.
    public struct Options: Sendable {
        /// The label of this build. For a build with one side, the label of ``arm`` replaces it.
        public var build = ""
        /// The only side of this build; nil if it has both.
        public var arm: Arm?
        /// The same as the recorders'.
        public var window = EvidenceRecorder.window
        /// How often unsent counts are posted in the foreground.
        public var postInterval = Duration.seconds(30)
        /// See ``ServerEvidence``.
        public var mismatchSamples = 0
        /// Proves to the server's verifier that the installation is genuine: see ``ServerEvidence``.
        public var attest: (@Sendable (_ publicKey: [UInt8]) async throws -> String?)?
        /// The time that the poll of ``DeviceUpgrades/resume()`` may take, and a call waits for it.
        public var patience = Duration.seconds(2)
        /// The clock for timing and deadlines.
        public var clock: any Clock<Duration> = ContinuousClock()

        init() {}
    }

    /// Reads the server's upgrades.
    public let store: ServerUpgradeStore
    /// Keeps and posts the counts of all upgrades of this installation.
    public let evidence: ServerEvidence
    private let memory: DeviceMemory
    private let directory: DeviceDirectory
    private let options: Options
    private let state = Mutex(State())

    private struct State {
        var calls: [String: InFlightFile] = [:]
        var upgrades: [Running] = []
        /// Whether the app is in the background.
        var isPaused = false
        /// The work in the foreground; nil in the background, and before the first ``DeviceUpgrades/resume()``.
        var work: Work?
        /// Ends when everything of the last time in the foreground is on disk.
        var pausing: Task<Void, Never>?
    }

    private struct Work {
        /// Ends when each upgrade has been polled, or ``Options/patience`` has passed.
        var polled: Task<Void, Never>
        var tasks: [Task<Void, Never>]
    }

    /// - Parameters:
    ///   - directory: an absolute path in the app's private container. It is created if it is missing; only one process
    ///     may use it.
    ///   - salt: the same in every installation of the app, at least 16 random characters; unknown to the server.
    /// - Throws: `UpgradeStoreError`, which names the file: `unavailable` if it cannot be read, as on a phone that was not
    ///   unlocked since it started; `unreadable` if it holds something else. Remove the file then; its counts are lost.
    public init(
        _ server: UpgradeServer,
        directory: String,
        salt: String,
        _ change: (inout Options) -> Void = { _ in }
    ) throws {
        var options = Options()
        change(&options)
        self.options = options
        self.directory = try DeviceDirectory(directory)
        store = ServerUpgradeStore(server)
        evidence = try ServerEvidence(
            server,
            file: self.directory.evidence,
            salt: salt,
            build: options.build,
            arm: options.arm,
            window: options.window,
            interval: options.postInterval,
            mismatchSamples: options.mismatchSamples,
            attest: options.attest
        )
        memory = try DeviceMemory(self.directory.memory, of: server.address)
    }

    /// Adds the upgrade of one capability. ``resume()`` starts and runs it, so call neither `start()` nor `run()`.
    ///
    /// The parameters are those of `Upgrade`, and so is what it throws; also `UpgradeStoreError`, if the file of its calls in
    /// flight cannot be used.
    public func upgrade<Services: Sendable>(
        _ capability: String,
        plan: UpgradePlan,
        failures: ErrorClassifier,
        legacy: @escaping @Sendable () async throws -> Services,
        candidate: @escaping @Sendable () async throws -> Services,
        _ change: (inout Upgrade<Services>.Options) -> Void = { _ in }
    ) throws -> Upgrade<Services> {
        // The gate of a single device would see too few users: it only goes back.
        var backend = UpgradeBackend(store: store, ledger: evidence, decides: false)
        (backend.memory, backend.watching) = (memory, store)
        let calls = try calls(of: capability)
        backend.calls = { _ in CallFiles(calls) }
        let upgrade = try Upgrade(
            capability,
            plan: plan,
            backend: backend,
            failures: failures,
            legacy: legacy,
            candidate: candidate
        ) {
            // A kill switch arrives by the watch.
            $0.engine.pollInterval = .seconds(60)
            $0.clock = options.clock
            if !options.build.isEmpty { $0.build = options.build }
            change(&$0)
        }
        let running = Running(engine: upgrade.engine, control: upgrade.control)
        state.withLock { state in
            state.upgrades.append(running)
            guard let work = state.work else { return }
            let polled = poll([running], after: work.polled)
            state.work?.polled = polled
            state.work?.tasks += [polled, run(running, after: polled)]
        }
        return upgrade
    }

    /// The candidate's calls in flight of one capability.
    private func calls(of capability: String) throws -> InFlightFile {
        try state.withLock { state in
            if let file = state.calls[capability] { return file }
            let name = Digest.sha256(of: capability).prefix(16)
            let file = try InFlightFile(path: "\(directory.path)/calls-\(name)")
            if state.isPaused { file.pause() }
            state.calls[capability] = file
            return file
        }
    }

    // MARK: The app's life

    /// Follows the server from now on: call it when the app comes to the foreground, the first time too. It polls at once,
    /// and calls of the routes that begin now wait for the answer, for ``Options/patience`` or, if the disk is slow, twice
    /// as long. So a kill switch reaches an app that was away before its first call.
    ///
    /// - Returns: a task that ends with the poll.
    @discardableResult
    public func resume() -> Task<Void, Never> {
        state.withLock { state in
            if let work = state.work { return work.polled }
            state.isPaused = false
            for file in state.calls.values { file.resume() }
            let polled = poll(state.upgrades, after: state.pausing)
            var tasks = state.upgrades.map { run($0, after: polled) }
            tasks.append(
                Task(executorPreference: nil) { [evidence] in
                    await polled.value
                    // Ends only by cancellation.
                    try? await evidence.run()
                }
            )
            state.work = Work(polled: polled, tasks: [polled] + tasks)
            return polled
        }
    }

    /// Prepares for an app that the system suspends, and perhaps ends without a word: call it when the app goes to the
    /// background. At once, calls in flight are set aside: none counts as a crash until ``resume()``. The watch and the
    /// posts end.
    ///
    /// - Returns: a task that ends when all counts are on disk.
    @discardableResult
    public func pause() -> Task<Void, Never> {
        state.withLock { state in
            state.isPaused = true
            for file in state.calls.values { file.pause() }
            let (tasks, upgrades, before) = (state.work?.tasks ?? [], state.upgrades, state.pausing)
            for task in tasks { task.cancel() }
            state.work = nil
            let pausing = Task(executorPreference: nil) {
                await before?.value
                for task in tasks { await task.value }
                for upgrade in upgrades { await upgrade.engine.save() }
            }
            state.pausing = pausing
            return pausing
        }
    }

    /// Posts what the server does not have: call it in a background task, after ``pause()``. A cancelled task ends it.
    ///
    /// - Returns: whether the server has everything. What it has not stays on disk.
    @discardableResult
    public func flush(within limit: Duration) async -> Bool {
        let (upgrades, pausing) = state.withLock { ($0.upgrades, $0.pausing) }
        do {
            try await abandoning(after: limit, on: options.clock, executor: nil) { [evidence] in
                await pausing?.value
                for upgrade in upgrades { await upgrade.engine.save() }
                try await evidence.deliver()
            }
            return true
        } catch {
            return false
        }
    }

    // MARK: Tasks

    /// Calls of the upgrades' routes wait until the task ends.
    private func poll(_ upgrades: [Running], after before: Task<Void, Never>?) -> Task<Void, Never> {
        let (patience, clock) = (options.patience, options.clock)
        let polled = Task(executorPreference: nil) {
            await before?.value
            _ = try? await withDeadline(of: patience, on: clock) {
                await withTaskGroup { group in
                    for upgrade in upgrades { group.addTask { await upgrade.poll() } }
                }
            }
        }
        // A disk that hangs must not hold calls for longer.
        let settled = Task(executorPreference: nil) {
            _ = try? await abandoning(after: patience * 2, on: clock, executor: nil) { await polled.value }
        }
        for upgrade in upgrades { upgrade.control.hold(until: settled) }
        return polled
    }

    private func run(_ upgrade: Running, after polled: Task<Void, Never>) -> Task<Void, Never> {
        Task(executorPreference: nil) {
            await polled.value
            // Ends only by cancellation.
            try? await upgrade.engine.run()
        }
    }
}

/// One upgrade of an installation.
private final class Running: Sendable {
    let engine: UpgradeEngine
    let control: StageControl
    private let hasStarted = Mutex(false)

    init(engine: UpgradeEngine, control: StageControl) { (self.engine, self.control) = (engine, control) }

    /// Reads the server's stage and follows it. The first time, it also continues what an earlier process left.
    func poll() async {
        let isFirst = hasStarted.withLock { hasStarted in
            defer { hasStarted = true }
            return !hasStarted
        }
        if isFirst { await engine.start() } else { await engine.refresh() }
    }
}

/// Opens the clock's type.
private func withDeadline<Value: Sendable>(
    of limit: Duration,
    on clock: any Clock<Duration>,
    _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    func run(_ clock: some Clock<Duration>) async throws -> Value {
        try await withDeadline(limit, clock: clock, operation)
    }
    return try await run(clock)
}
