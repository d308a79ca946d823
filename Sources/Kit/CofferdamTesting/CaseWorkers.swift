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
/// On Linux alone: what a test run is started with elsewhere is not known well enough to start it again.
enum CaseWorkers {
    /// Says that a process is one of them.
    static let variable = "COFFERDAM_CASE_WORKER"

    /// Where the cases of the running test are run; nil: here.
    static func isolation() -> CaseIsolation? {
        #if os(Linux)
            guard let test = Test.current, ProcessInfo.processInfo.environment["COFFERDAM_IN_PROCESS"] == nil else {
                return nil
            }
            return CaseIsolation { id, _ in try await WorkedTest.row(of: id, in: test) }
        #else
            return nil
        #endif
    }

    #if os(Linux)
        /// That which this process is; nil: it is none.
        static let own: CaseWorker? =
            ProcessInfo.processInfo.environment[variable] == nil ? nil : CaseWorker(.toParent())
    #endif
}

#if os(Linux)
    /// What a worker is started for.
    struct WorkOrder: Sendable, Codable {
        let adapter: String
        /// Cases that have been run already.
        let done: Set<ContractReport.Case>
    }

    /// What a worker tells.
    enum WorkNews: Sendable, Codable {
        case began(ContractReport.Case, secondsAtMost: Double)
        /// Nil: it was cancelled.
        case ended(ContractReport.Case, ContractReport.Row?)
    }

    /// The worker's side: runs each case of its adapter that the test comes to, one after the other.
    final class CaseWorker: Sendable {
        private let link: WorkerLink
        private let order: AsyncStream<WorkOrder>
        private let turnstile = AsyncMutex()
        /// Nil until the order has come.
        private let left = Mutex<WorkLeft?>(nil)

        private struct WorkLeft {
            let adapter: String
            var done: Set<ContractReport.Case>
        }

        init(_ link: WorkerLink) {
            self.link = link
            // Without a parent there is no one to run anything for.
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
                tell(.began(id, secondsAtMost: runner.limit(of: contractCase.rule) / .seconds(1)))
                let row = await runner.row(of: contractCase.rule, on: contractCase.adapter)
                tell(.ended(id, row))
                return row
            }
        }

        private func takes(_ id: ContractReport.Case) async -> Bool {
            if left.withLock({ $0 == nil }) {
                let order = await order.first { _ in true }
                left.withLock { $0 = WorkLeft(adapter: order?.adapter ?? "", done: order?.done ?? []) }
            }
            return left.withLock { left in left?.adapter == id.adapter && left?.done.insert(id).inserted == true }
        }

        private func tell(_ news: WorkNews) {
            // A line that its parent cannot read, if it cannot be written.
            link.send((try? WorkerLine.text(news)) ?? "")
        }
    }
#endif
