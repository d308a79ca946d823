#if CommandLine
import CofferdamContracts

extension CaseIsolation {
    /// The tool's own `worker contracts`: one process for each live adapter, and a new one after each that has
    /// died.
    ///
    /// - Parameters:
    ///   - separateProcesses: whether every case of every adapter has its own process.
    ///   - place: where the processes run, with the cases of every adapter; nil for where this one does.
    static func workers(
        separateProcesses: Bool = false,
        triesUndeclared: Bool = false,
        patience: Int = 4,
        in place: WorkerPlace? = nil
    ) -> CaseIsolation? {
        #if os(macOS) || os(Linux)
        WorkerPool.tool.map {
            workers(
                of: $0,
                separateProcesses: separateProcesses,
                triesUndeclared: triesUndeclared,
                patience: patience,
                in: place
            )
        }
        #else
        nil
        #endif
    }

    #if os(macOS) || os(Linux)
    /// The `worker contracts` of the tool at that path.
    static func workers(
        of tool: String,
        separateProcesses: Bool,
        triesUndeclared: Bool,
        patience: Int,
        in place: WorkerPlace? = nil
    ) -> CaseIsolation {
        let options = ["--patience", "\(patience)"] + (triesUndeclared ? ["--try-undeclared"] : [])
        return CaseIsolation(
            separateProcesses || place != nil ? .everything : .whatMayTrap,
            asking: WorkerPool(
                path: tool,
                ["worker", "contracts"] + options,
                in: place ?? WorkerPlace(),
                isReusing: !separateProcesses
            )
        )
    }
    #endif
}

extension MutantIsolation {
    /// The tool's own `worker mutants`, one process for each mutant.
    static func workers(_ scope: IsolationScope, patience: Int) -> MutantIsolation? {
        #if os(macOS) || os(Linux)
        guard let tool = WorkerPool.tool else { return nil }
        let pool = WorkerPool(
            path: tool,
            ["worker", "mutants", "--patience", "\(patience)"],
            isReusing: false
        )
        return MutantIsolation(scope, asking: pool)
        #else
        return nil
        #endif
    }
}

#if os(macOS) || os(Linux)
extension CaseIsolation {
    init(_ scope: IsolationScope, asking pool: WorkerPool) {
        self.init(scope) { id, limit in try await pool.ask(id, about: id.adapter, within: limit) }
    }
}

extension MutantIsolation {
    init(_ scope: IsolationScope, asking pool: WorkerPool) {
        self.init(scope) { id, limit in try await pool.ask(id, about: id.mutant, within: limit) }
    }
}
#endif
#endif
