#if CommandLine && canImport(Subprocess)
    import CofferdamContracts

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    extension ChildProcess {
        /// Cases in processes of their own: the tool's `contracts` for one case.
        func cases(_ scope: IsolationScope, options: [String] = []) -> CaseIsolation {
            CaseIsolation(scope) { id, limit in
                let text = try await output(
                    [
                        "contracts", "--json", "--in-process", "--quiet", "--rule", id.rule.rawValue, "--adapter",
                        id.adapter,
                    ]
                        + (id.operation.map { ["--operation", $0] } ?? []) + options,
                    within: limit
                )
                let rows = try Self.decode(ContractReport.self, from: text).rows
                guard rows.count == 1, let row = rows.first else {
                    throw ProcessEnded(isCrash: false, "its process reported \(rows.count) rows")
                }
                return row
            }
        }

        /// Mutants in processes of their own: the tool's `mutants` for one of them.
        func mutants(_ scope: IsolationScope, options: [String] = []) -> MutantIsolation {
            MutantIsolation(scope) { id, limit in
                let text = try await output(
                    ["mutants", "--json", "--in-process", "--quiet", "--rule", id.rule.rawValue, "--mutant", id.mutant]
                        + (id.operation.map { ["--operation", $0] } ?? []) + options,
                    within: limit
                )
                let rows = try Self.decode(MutationReport.self, from: text).rows
                guard rows.count == 1, let row = rows.first else {
                    throw ProcessEnded(isCrash: false, "its process reported \(rows.count) mutants")
                }
                return row
            }
        }

        private static func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
            do {
                return try JSONDecoder().decode(type, from: Data(text.utf8))
            } catch {
                throw ProcessEnded(isCrash: false, "its process's report could not be read")
            }
        }
    }
#endif
