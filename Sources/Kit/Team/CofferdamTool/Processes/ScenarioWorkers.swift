#if CommandLine
import Cofferdam
import CofferdamContracts
import CofferdamRehearsal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The tool's request to a worker that walks a scenario.
struct ScenarioTask: Codable, Sendable {
    var scenario: String
    var limit: Double
    var seed: UInt64
    var rate: Double?
    var mix: String
    var baseline: Int

    /// - Throws: `TrafficProblem` for a mix that does not parse.
    func options() throws -> ScenarioOptions {
        var options = ScenarioOptions()
        options.limit = limit
        options.seed = seed
        options.rate = rate
        options.mix = try TrafficMix(mix)
        options.baseline = baseline
        return options
    }
}

/// A worker's answers: progress, then a report or an error.
enum ScenarioAnswer: Codable, Sendable {
    case progress(String)
    case report(ScenarioReport)
    case failure(String)
}

/// An error that a worker reported while it walked a scenario.
struct ScenarioFailure: Error, CustomStringConvertible {
    let scenario: String
    let reason: String

    var description: String { "scenario \(scenario): \(reason)" }
}

/// Walks scenarios, several at a time, each in its own process, so that an SDK may allow only one instance in a
/// process. Without worker processes, it walks one scenario after another.
struct ScenarioWalks {
    let runner: ScenarioRunner
    let progress: ToolProgress
    /// The maximum number of concurrent walks. Traffic mostly waits, so this may exceed the number of processors.
    var atOnce = 4

    /// - Returns: the reports, in the order of the tasks.
    /// - Throws: the first error, after the other walks have ended.
    func run(_ tasks: [ScenarioTask]) async throws -> [ScenarioReport] {
        #if os(macOS) || os(Linux)
        if let tool = WorkerPool.tool {
            let board = ScenarioBoard(count: tasks.count, progress)
            return try await TemporaryFolder.with { folder in
                try await inParallel(tasks) { task in
                    let report = try await walk(task, by: tool, in: folder, board)
                    board.ended(report)
                    return report
                }
            }
        }
        #endif
        var reports: [ScenarioReport] = []
        for task in tasks { reports.append(try await runner.run(task, progress: progress.show)) }
        return reports
    }

    /// Scenarios with a nearby service depend on the processor, so they run alone, after all others.
    private func inParallel(
        _ tasks: [ScenarioTask],
        _ walk: @escaping @Sendable (ScenarioTask) async throws -> ScenarioReport
    ) async throws -> [ScenarioReport] {
        let near = Set(Scenario.all.filter(\.isNear).map(\.name))
        let indices = tasks.indices
        let (alone, others) = (
            indices.filter { near.contains(tasks[$0].scenario) },
            indices.filter { !near.contains(tasks[$0].scenario) }
        )
        var reports: [Int: ScenarioReport] = [:]
        for (part, limit) in [(others, atOnce), (alone, 1)] {
            try await withThrowingTaskGroup(of: (Int, ScenarioReport).self) { group in
                var waiting = part[...]
                func start() {
                    guard let index = waiting.popFirst() else { return }
                    group.addTask { (index, try await walk(tasks[index])) }
                }
                for _ in 0..<limit { start() }
                while let (index, report) = try await group.next() {
                    reports[index] = report
                    start()
                }
            }
        }
        return indices.compactMap { reports[$0] }
    }

    #if os(macOS) || os(Linux)
    /// When cancelled, it ends the process.
    private func walk(
        _ task: ScenarioTask,
        by tool: String,
        in folder: String,
        _ board: ScenarioBoard
    ) async throws -> ScenarioReport {
        // A killed process leaves its temporary files behind; the folder is removed when all processes have
        // ended.
        let worker = try WorkerProcess(tool, ["worker", "scenarios"], environment: ["TMPDIR": folder])
        worker.send(try WorkerLine.text(task))
        while true {
            let line: String
            do {
                line = try await worker.next()
            } catch let end as ProcessEnded {
                throw ScenarioFailure(scenario: task.scenario, reason: "\(end)")
            }
            do {
                switch try WorkerLine.value(ScenarioAnswer.self, of: line) {
                case .progress(let text): board.show(text)
                case .report(let report):
                    worker.release()
                    return report
                case .failure(let reason): throw ScenarioFailure(scenario: task.scenario, reason: reason)
                }
            } catch {
                worker.kill()
                throw error
            }
        }
    }
    #endif
}

extension ScenarioRunner {
    /// - Throws: ``ScenarioFailure`` for an unknown scenario; the walk's errors.
    func run(
        _ task: ScenarioTask,
        progress: @escaping @Sendable (String) -> Void
    ) async throws -> ScenarioReport {
        guard let scenario = Scenario.all.first(where: { $0.name == task.scenario }) else {
            throw ScenarioFailure(scenario: task.scenario, reason: "there is no such scenario")
        }
        return try await run(scenario, try task.options(), progress: progress)
    }
}

/// The progress of several walks on one line, with a permanent line for each that has ended.
private final class ScenarioBoard: Sendable {
    private let ended = Mutex(0)
    private let count: Int
    private let progress: ToolProgress

    init(count: Int, _ progress: ToolProgress) {
        self.count = count
        self.progress = progress
    }

    func show(_ text: String) {
        progress.show(count == 1 ? text : "\(ended.withLock(\.self)) of \(count) scenarios done; \(text)")
    }

    func ended(_ report: ScenarioReport) {
        let number = ended.withLock { ended in
            ended += 1
            return ended
        }
        guard count > 1 else { return }
        let outcome = report.isGreen ? "as expected" : report.problems.joined(separator: "; ")
        progress.tell(
            "\(number) of \(count): scenario \(report.scenario), \(Int(report.seconds.rounded())) s, \(outcome)"
        )
    }
}

/// A folder that is removed with everything in it.
private enum TemporaryFolder {
    static func with<Value>(_ body: (_ path: String) async throws -> Value) async throws -> Value {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("cofferdam-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        defer {
            // Files that a killed process is still writing may remain.
            try? FileManager.default.removeItem(at: url)
        }
        return try await body(url.path)
    }
}
#endif
