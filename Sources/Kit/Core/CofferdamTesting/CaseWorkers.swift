import Cofferdam
import CofferdamContracts
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The child processes in which the cases of live adapters run: each runs the test again for one adapter.
///
/// On Linux only: elsewhere, too little is known about how a test run is started to start it again.
enum CaseWorkers {
    /// The environment variable that marks a process as a worker.
    static let variable = "COFFERDAM_CASE_WORKER"

    /// Returns what runs the cases of the current test; nil to run them in this process.
    static func isolation() -> CaseIsolation? {
        #if os(Linux)
        guard let test = Test.current, ProcessInfo.processInfo.environment["COFFERDAM_IN_PROCESS"] == nil else {
            return nil
        }
        return CaseIsolation { id, _ in try await IsolatedTest.row(of: id, in: test) }
        #else
        return nil
        #endif
    }

    #if os(Linux)
    /// The worker that this process is; nil if it is not a worker.
    static let own: CaseWorker? =
        ProcessInfo.processInfo.environment[variable] == nil ? nil : CaseWorker(.toParent())
    #endif
}

#if os(Linux)
/// The work that a worker is started for.
struct WorkOrder: Sendable, Codable {
    let adapter: String
    /// Cases that have been run already.
    let done: Set<ContractReport.Case>
}

/// What a worker reports.
enum WorkerEvent: Sendable, Codable {
    case began(ContractReport.Case, secondsAtMost: Double)
    /// The row is nil if the case was cancelled.
    case ended(ContractReport.Case, ContractReport.Row?)
}

/// The worker's side: runs each case of its adapter that the test reaches, one at a time.
final class CaseWorker: Sendable {
    private let link: WorkerLink
    private let order: AsyncStream<WorkOrder>
    private let turnstile = AsyncMutex()
    /// Nil until the order has arrived.
    private let left = Mutex<RemainingWork?>(nil)

    private struct RemainingWork {
        let adapter: String
        var done: Set<ContractReport.Case>
    }

    init(_ link: WorkerLink) {
        self.link = link
        // Without a parent, no process needs the results.
        order = link.values(WorkOrder.self) { _exit(EXIT_FAILURE) }
    }

    /// - Returns: nil for a case that is not for this worker, or was cancelled.
    func run<Subject>(_ contractCase: ContractCase<Subject>, _ runner: ContractRunner<Subject>) async
        -> ContractReport.Row?
    {
        guard contractCase.adapter.identity.kind == .live else { return nil }
        return try? await turnstile.run {
            let id = contractCase.id
            guard await takes(id) else { return nil }
            report(.began(id, secondsAtMost: runner.limit(of: contractCase.rule) / .seconds(1)))
            let row = await runner.row(of: contractCase.rule, on: contractCase.adapter)
            report(.ended(id, row))
            return row
        }
    }

    private func takes(_ id: ContractReport.Case) async -> Bool {
        if left.withLock({ $0 == nil }) {
            let order = await order.first { _ in true }
            left.withLock { $0 = RemainingWork(adapter: order?.adapter ?? "", done: order?.done ?? []) }
        }
        return left.withLock { left in left?.adapter == id.adapter && left?.done.insert(id).inserted == true }
    }

    private func report(_ event: WorkerEvent) {
        // If the event cannot be encoded, the parent gets a line that it cannot read.
        link.send((try? WorkerLine.text(event)) ?? "")
    }
}
#endif
