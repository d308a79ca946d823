import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import Testing

@testable import CofferdamTool

/// Checks commands on a fleet, whose evidence and state come from different places.
struct UpgradeFleetTests {
    private let plain = TerminalStyle(isColoured: false)
    private static let gap = "10.0.0.7:9090 is not up: it was scraped 75 s ago, and 60 s are allowed"

    #if CommandLine
    private static let prometheus = ["--etcd", "http://a", "--prometheus", "http://b"]
    private static let whole = prometheus + ["--job", "shop", "--instances", "a:1,b:1"]

    @Test(
        arguments: [
            (["--etcd", "http://a"], FleetPlace(etcd: "http://a")),
            (whole, place(["a:1", "b:1"])),
            (whole + ["--freshness", "150"], place(["a:1", "b:1"], freshness: 150)),
            (prometheus + ["--job", "shop", "--instances", " a:1 , [::1]:2 "], place(["a:1", "[::1]:2"])),
        ]
    )
    func `The options say where the fleet is`(_ options: [String], _ place: FleetPlace) async {
        var bench = UpgradeBench()
        let fleets = OpenedFleets()
        bench.fleets = fleets
        #expect(await exitCode(of: ["status"] + options, bench) == 0)
        #expect(fleets.places == [place])
    }

    private static func place(_ instances: Set<String>, freshness: Int? = nil) -> FleetPlace {
        FleetPlace(
            etcd: "http://a",
            prometheus: .init(address: "http://b", job: "shop", instances: instances, freshness: freshness)
        )
    }

    @Test(
        arguments: [
            ["--prometheus", "http://b", "--job", "shop", "--instances", "a:1"],
            ["--prometheus", "http://b", "--job", "shop", "--instances", "a:1", "--state", "d"],
            ["--etcd", "http://a", "--job", "shop"], ["--etcd", "http://a", "--instances", "a:1"],
            ["--etcd", "http://a", "--freshness", "60"], prometheus, prometheus + ["--job", "shop"],
            prometheus + ["--instances", "a:1"], prometheus + ["--job", "", "--instances", "a:1"],
            prometheus + ["--job", "shop", "--instances", ""],
            prometheus + ["--job", "shop", "--instances", "a:1,"],
            prometheus + ["--job", "shop", "--instances", "a:1, a:1"], whole + ["--freshness", "0"],
            whole + ["--freshness", "soon"], whole + ["--state", "d"],
        ]
    )
    func `An incomplete fleet, or one given twice, ends with 64 and is not opened`(_ options: [String]) async {
        var bench = UpgradeBench()
        let fleets = OpenedFleets()
        bench.fleets = fleets
        for command in [["status"], ["promote", "--reason", "test"]] {
            #expect(await exitCode(of: command + options, bench) == 64)
        }
        #expect(fleets.places == [])
    }

    @Test(
        arguments: [
            (["status"], 70), (["explain"], 70), (["watch"], 70), (["promote", "--reason", "test"], 70),
            (["history"], 0), (["explain", "catalogue-1"], 0), (["kill", "legacy", "--reason", "test"], 0),
            (["abort", "--reason", "test"], 0),
        ] as [([String], Int32)]
    )
    func `Without evidence, commands that need none succeed, and all others end with 70`(
        _ command: [String],
        _ code: Int32
    ) async throws {
        var bench = UpgradeBench()
        bench.fleets = OpenedFleets()
        bench.evidenceFailure = UpgradeStoreError(.unavailable, "nobody answers", subject: "Prometheus")
        try await bench.walk(to: .shadow(sample: .all))
        #expect(await exitCode(of: command + Self.whole, bench) == code)
    }
    #endif

    @Test func `Missing evidence is named wherever the verdict is shown, and the gate holds`() async throws {
        var bench = UpgradeBench()
        bench.gaps = [Self.gap]
        try await bench.walk(to: .shadow(sample: .all))
        await bench.evidence.append(
            EvidenceSnapshot(
                capability: "catalogue",
                at: UpgradeBench.now - 75_000,
                reading: GateReading(stage: .shadow(sample: .all), epoch: 1, seconds: 3_600, metrics: [:]),
                outcomes: OutcomeCounts()
            )
        )
        let status = try await bench.controls.status(of: bench.capabilities)[0]
        #expect(status.gate.gaps == [Self.gap])
        #expect(status.gate.verdict == .hold)
        #expect(status.gate.evidenceAgeSeconds == 75)
        let text = StatusTable(statuses: [status]).render(plain).replacing("\n  ", with: " ")
        #expect(text.contains("missing evidence: \(Self.gap)\n"))
        #expect(WatchLine(status).text.contains("Missing evidence: \(Self.gap)"))
        #expect(WatchLine(status).gaps == [Self.gap])

        let said = try await bench.controls.explain(bench.capabilities[0])
        #expect(said.gaps == [Self.gap])
        #expect(said.render(plain).contains("\nMissing evidence:\n  \(Self.gap)\n"))

        let report = try await bench.controls.change(bench.capabilities, .promote, by: "amara", reason: "hope")
        #expect(report.changes == [])
        #expect(report.refused.map(\.rule) == ["otherVerdict"])
        #expect(report.refused.map(\.gaps) == [[Self.gap]])
        #expect(report.problems("tool").hasSuffix("\nMissing evidence:\n  \(Self.gap)\n"))
    }

    @Test func `Without an instance that counts there is no evidence, and the command says why`() async throws {
        let bench = UpgradeBench()
        try await bench.walk(to: .shadow(sample: .all))
        let storage = UpgradeStorage(store: bench.store, evidence: .none("nobody named it"))
        let controls = StoreControls(storage: storage, environment: bench.environment)
        #expect(try await controls.status(of: bench.capabilities)[0].gate.gaps == ["nobody named it"])
        let report = try await controls.change(bench.capabilities, .promote, by: "amara", reason: "hope")
        #expect(report.refused.map(\.rule) == ["noEvidence"])
        #expect(report.refused[0].message == "nothing has been counted at shadow(10000), epoch 1: nobody named it")
    }

    @Test func `Where nothing is tested, nothing is missing`() async throws {
        var bench = UpgradeBench()
        bench.gaps = ["no instance has counted anything in epoch 0"]
        #expect(try await bench.controls.status(of: bench.capabilities)[0].gate.gaps == [])
    }

    @Test func `The first step freezes what the fleet has watched, over two weeks at most`() async throws {
        let bench = UpgradeBench()
        let baseline = LegacyBaseline(units: FailureCounts(3, of: 20_000), gaveUp: 0)
        let asked = Mutex([UpgradeEvidence.Question]())
        let evidence = UpgradeEvidence { _ in
            CountedEvidence([])
        } baseline: { question, minimum in
            asked.withLock { $0.append(question) }
            return CountedBaseline(minimum == 10_000 ? baseline : nil)
        }
        let controls = StoreControls(
            storage: UpgradeStorage(store: bench.store, evidence: evidence),
            environment: bench.environment
        )
        let steps: [UpgradeAction] = [.advance(despiteGate: true), .advance(despiteGate: true), .abort, .advance()]
        for step in steps {
            let report = try await controls.change(bench.capabilities, .certain(step), by: "amara", reason: "r")
            #expect(report.changes.count == 1 && report.problems("bench") == "")
        }
        let stored = try #require(try await bench.store.read("catalogue"))
        #expect(stored.state.stage == .shadow(sample: .all) && stored.state.baseline == baseline)
        // Only the step that ends legacyOnly asks for a baseline.
        #expect(asked.withLock { $0.map(\.state.epoch) } == [0, 3])
        #expect(asked.withLock { $0.map(\.seconds) } == [1_209_600, 0])
    }

    @Test func `A first step whose baseline cannot be read is refused, and says why in one line`() async throws {
        var bench = UpgradeBench()
        bench.names = ["catalogue", "orders"]
        let evidence = UpgradeEvidence { _ in
            CountedEvidence([])
        } baseline: { question, _ in
            guard question.state.capability == "orders" else {
                throw UpgradeStoreError(.unavailable, "no\nanswer", subject: "Prometheus")
            }
            return CountedBaseline(nil, gaps: ["a is not up", "b is not up"])
        }
        let controls = StoreControls(
            storage: UpgradeStorage(store: bench.store, evidence: evidence),
            environment: bench.environment
        )
        let report = try await controls.change(bench.capabilities, .certain(.advance()), by: "amara", reason: "r")
        #expect(report.changes == [] && report.failed == [])
        #expect(report.refused.map(\.rule) == ["noBaseline", "noBaseline"])
        let ends = [
            "or advance despite the gate: Prometheus: no\\nanswer (noBaseline)",
            "or advance despite the gate: a is not up; b is not up (noBaseline)",
        ]
        let lines = report.problems("bench").split(separator: "\n")
        #expect(lines.count == 2 && zip(lines, ends).allSatisfy { $0.hasSuffix($1) }, "\(lines)")
        #expect(try await bench.store.read("catalogue") == nil)
    }

    @Test func `The evidence is asked for the current epoch, and for its duration`() async throws {
        let bench = UpgradeBench()
        try await bench.walk(to: .shadow(sample: .all))
        let asked = Mutex([UpgradeEvidence.Question]())
        let evidence = UpgradeEvidence { question in
            asked.withLock { $0.append(question) }
            return CountedEvidence([])
        }
        let storage = UpgradeStorage(store: bench.store, evidence: evidence)
        let controls = StoreControls(storage: storage, environment: bench.environment)
        _ = try await controls.status(of: bench.capabilities + [.init("orders", plan: UpgradeBench.plan)])
        let questions = asked.withLock { $0 }
        #expect(questions.map(\.state.stage) == [.shadow(sample: .all), .legacyOnly])
        #expect(questions.map(\.state.epoch) == [1, 0])
        #expect(questions.map(\.seconds) == [3_720, 0])
    }
}
