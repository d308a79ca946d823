#if SQLite
import Cofferdam
import CofferdamUpgrade
import Testing
import UpgradeTestSupport

/// An upgrade that is stopped while its store cannot be reached.
@Suite struct StopNoticeTests {
    private let bench: EngineBench
    private let channel = Channel()
    init() throws { bench = try EngineBench() }

    /// A second channel, which counts how often it is asked.
    private final class Channel: StopSource {
        private let state = Mutex<(notice: StopNotice?, isReachable: Bool, asked: Int)>((nil, true, 0))

        var asked: Int { state.withLock { $0.asked } }
        func set(_ notice: StopNotice?, isReachable: Bool = true) {
            state.withLock { ($0.notice, $0.isReachable) = (notice, isReachable) }
        }
        func stop(of capability: String) throws -> StopNotice? {
            try state.withLock { state in
                state.asked += 1
                guard state.isReachable else { throw UpgradeStoreError(.unavailable, "no such host", subject: "") }
                return state.notice
            }
        }
    }

    private func engine(_ folder: UpgradeFolder? = nil) -> UpgradeEngine {
        bench.engine {
            $0.stops = channel
            $0.memory = folder.map { FileUpgradeMemory(directory: $0.path) }
        }
    }

    private func notice(after seconds: Int64 = 0) -> StopNotice {
        StopNotice(by: "kofi", reason: "orders fail", at: bench.now / 1_000 + seconds)
    }

    @Test(arguments: [Stage.canary(share: 500), .candidateWithFallback, .candidateOnly])
    func `a device that starts without its store obeys a stop before its first call`(stage: Stage) async throws {
        try await UpgradeFolder.with { folder in
            try await bench.raise(to: stage)
            await engine(folder).start()
            bench.control.follow(StageState())
            bench.store.set(.unavailable)
            channel.set(notice())
            let status = await engine(folder).start()
            #expect(status.stage == .legacyOnly)
            #expect(status.kill?.by == "kofi")
            #expect(status.notes.contains("stopped here without the store, by kofi: orders fail"))
            #expect(bench.observed.stages.suffix(2) == [stage, .legacyOnly], "no call was at \(stage)")
        }
    }

    @Test func `it is asked when an app resumes without its store, and not while the store answers`() async throws {
        try await bench.raise(to: .candidateOnly)
        let engine = engine()
        await engine.start()
        channel.set(notice())
        #expect(await engine.refresh().stage == .candidateOnly)
        #expect(channel.asked == 0)
        bench.store.set(.unavailable)
        #expect(await engine.refresh().stage == .legacyOnly)
    }

    @Test func `it outlives the process, when neither channel can be reached`() async throws {
        try await UpgradeFolder.with { folder in
            try await bench.raise(to: .candidateOnly)
            bench.store.set(.unavailable)
            channel.set(notice())
            await engine(folder).start()
            channel.set(nil, isReachable: false)
            #expect(await engine(folder).start().stage == .legacyOnly)
        }
    }

    @Test func `it holds until the store shows that the upgrade has gone back`() async throws {
        try await bench.raise(to: .candidateOnly)
        let engine = engine()
        await engine.start()
        bench.store.set(.unavailable)
        channel.set(notice())
        await engine.refresh()
        bench.store.set(nil)
        #expect(await engine.refresh().stage == .legacyOnly, "a server that knows nothing of the stop")
        try await bench.change(.kill(.legacy))
        #expect(await engine.refresh().kill?.by != "kofi", "now the server's own holds")
        try await bench.change(.resume)
        try await bench.raise(to: .shadow(sample: .all))
        #expect(await engine.refresh().stage == .shadow(sample: .all))
    }

    @Test func `a device that missed the way back goes on with the next attempt`() async throws {
        try await bench.raise(to: .candidateOnly)
        let engine = engine()
        await engine.start()
        bench.store.set(.unavailable)
        channel.set(notice())
        await engine.refresh()
        try await bench.change(.abort)
        try await bench.raise(to: .shadow(sample: .all))
        bench.store.set(nil)
        #expect(await engine.refresh().stage == .shadow(sample: .all))
    }

    @Test(arguments: [(Int64(-90_000), Stage.candidateOnly), (-80_000, .legacyOnly), (90_000, .legacyOnly)])
    func `one that was left behind does not stop a stage of more than a day later`(seconds: Int64, stage: Stage)
        async throws
    {
        bench.pass(.seconds(100_000))
        try await bench.raise(to: .candidateOnly)
        let engine = engine()
        await engine.start()
        bench.store.set(.unavailable)
        channel.set(notice(after: seconds))
        #expect(await engine.refresh().stage == stage)
    }

    @Test func `a channel that fails changes nothing, and the status says so`() async throws {
        try await bench.raise(to: .candidateOnly)
        let engine = engine()
        await engine.start()
        bench.store.set(.unavailable)
        channel.set(nil, isReachable: false)
        let status = await engine.refresh()
        #expect(status.stage == .candidateOnly)
        #expect(status.notes.contains { $0.contains("no such host") })
    }

    @Test func `nothing but a stop takes a freeze away`() async throws {
        try await UpgradeFolder.with { folder in
            try await bench.raise(to: .candidateOnly)
            let engine = engine(folder)
            await engine.start()
            try folder.write(#"{"target": "freeze", "by": "amara"}"#, to: "catalogue/kill.json")
            bench.store.set(.unavailable)
            channel.set(notice())
            #expect(await engine.refresh().stage == .legacyOnly)
        }
    }

    @Test(arguments: [(3_600 * 24 * 7, Stage.candidateOnly), (3_600 * 24 * 7 + 1, .legacyOnly)])
    func `after the limit of the settings every stage falls back without news`(seconds: Int, stage: Stage)
        async throws
    {
        try await bench.raise(to: .candidateOnly)
        try await bench.change(.override(operation: "o", stage: .candidateOnly))
        let engine = bench.engine { $0.settings.fallsBackAfter = .seconds(3_600 * 24 * 7) }
        await engine.start()
        bench.store.set(.unavailable)
        bench.pass(.seconds(seconds))
        #expect(await engine.refresh().stage == stage)
        #expect(bench.control.state.stage(for: "o") == stage)
        bench.store.set(nil)
        #expect(await engine.refresh().stage == .candidateOnly)
    }
}
#endif
