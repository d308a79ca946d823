import ArgumentParser
import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

struct UpgradeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: """
            What a router costs its caller: nanoseconds and allocations for each call, over the direct call; how many calls are
            compared in a minute; what the evidence weighs, and how long a decision takes.
            """,
        subcommands: [MeasureRoutes.self, CountRoutes.self],
        defaultSubcommand: MeasureRoutes.self
    )
}

struct MeasureRoutes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "measure")

    @OptionGroup var results: ResultsOptions

    func run() async throws {
        var rows: [Measurement] = []
        for scenario in RouteScenario.allCases where scenario != .direct {
            rows.append(try await scenario == .shadow ? WaitingShadow().measure() : added(by: scenario))
        }
        rows.append(try await ShortSessionScenario.measure())
        rows.append(try await CallerPercentile(scenario: .fullShadow).measure())
        rows += try await ListScenario.measure()
        rows += try await StreamScenario.measure()
        let counter = try await AllocationCounter()
        for scenario in RouteScenario.allCases where scenario != .direct {
            rows.append(try await counter.added(by: scenario.rawValue, to: RouteScenario.direct.rawValue))
        }
        let (short, shortBase) = (ShortSessionScenario.routed.rawValue, ShortSessionScenario.direct.rawValue)
        rows.append(try await counter.added(by: short, to: shortBase))
        for scenario in ListScenario.allCases where scenario != .direct {
            rows.append(try await counter.added(by: scenario.rawValue, to: ListScenario.direct.rawValue))
        }
        for scenario in StreamScenario.allCases where scenario != .direct {
            rows.append(try await counter.added(by: scenario.rawValue, to: StreamScenario.direct.rawValue))
        }
        for row in rows {
            let ratio = row.ratio.formatted(decimals: 2)
            print("\(row.name): \(row.value.formatted(decimals: 2)) \(row.unit) over the \(row.base), \(ratio) ×")
        }
        let others = try await ComparisonRate().measure() + EvidenceRows().measure()
        for row in others {
            let value = "\(row.value.formatted(decimals: 2)) \(row.unit)"
            print("\(row.name): \(value), \(row.ratio.formatted(decimals: 2)) × \(row.base)")
        }
        rows += others
        try results.write(rows, suite: "upgrade")
    }

    private func added(by scenario: RouteScenario) async throws -> Measurement {
        let calls = 20_000
        let (ours, theirs) = (try await scenario.port(), try await RouteScenario.direct.port())
        var samples: [(ours: Double, theirs: Double)] = []
        let clock = ContinuousClock()
        for round in 0...40 {
            let first = try await clock.measure { for index in 0..<calls { _ = try await ours.value(index) } }.seconds
            let second = try await clock.measure { for index in 0..<calls { _ = try await theirs.value(index) } }
                .seconds
            if round > 0 { samples.append((first, second)) }
        }
        return .added(by: scenario.rawValue, samples, calls: calls)
    }
}

extension Measurement {
    /// - Parameter samples: the seconds that `calls` calls took, in each round.
    static func added(by name: String, _ samples: [(ours: Double, theirs: Double)], calls: Int) -> Self {
        let best = (minimum(samples.map(\.ours)), minimum(samples.map(\.theirs)))
        return Measurement(
            name: name,
            value: (best.0 - best.1) / Double(calls) * 1e9,
            unit: "ns a call",
            base: "direct call",
            ratio: best.0 / best.1,
            samples: samples.count
        )
    }
}

/// Runs in a separate process, whose allocations are counted.
struct CountRoutes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "calls", shouldDisplay: false)

    @Argument var scenario: String
    @Argument var calls: Int

    func run() async throws {
        if let route = RouteScenario(rawValue: scenario) { return try await route.run(calls: calls) }
        if let sessions = ShortSessionScenario(rawValue: scenario) { return try await sessions.run(calls: calls) }
        if let list = ListScenario(rawValue: scenario) { return try await list.run(calls: calls) }
        guard let stream = StreamScenario(rawValue: scenario) else {
            throw ValidationError("no scenario: \(scenario)")
        }
        try await stream.run(elements: calls)
    }
}

/// Counts the blocks that calls allocate, as the difference between many and few calls.
private struct AllocationCounter {
    private let build: ClientBuild
    private let few = 1_000
    private let many = 11_000

    init() async throws { build = try await ClientBuild(of: [], countsAllocations: true) }

    func added(by scenario: String, to base: String) async throws -> Measurement {
        let (ours, theirs) = (try await blocks(scenario), try await blocks(base))
        return Measurement(
            name: "alloc.\(scenario)",
            value: ours - theirs,
            unit: "allocations a call",
            base: "direct call",
            ratio: theirs > 0 ? ours / theirs : 1,
            samples: 1
        )
    }

    private func blocks(_ scenario: String) async throws -> Double {
        let (more, less) = (try await count(scenario, many), try await count(scenario, few))
        return Double(more - less) / Double(many - few)
    }

    private func count(_ scenario: String, _ calls: Int) async throws -> Int {
        let file = FileManager.default.temporaryDirectory.appending(path: "cofferdam-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try await ChildProcess.output(
            of: .path(FilePath(build.own.path())),
            ["upgrade", "calls", scenario, "\(calls)"],
            environment: ["LD_PRELOAD": build.allocationCounter.path(), "COUNT_ALLOCATIONS_TO": file.path()]
        )
        let text = try String(contentsOf: file, encoding: .utf8)
        guard let number = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw ValidationError("the allocations of \(scenario) were not counted")
        }
        return number
    }
}
