public import CofferdamContracts  // a filter names its rules

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which cases of a contract a test run is to have.
///
/// The framework filters by the names of functions and knows no arguments, so that the cases of one rule are chosen
/// here: `COFFERDAM_RULES=LIST-01,GET-02 COFFERDAM_ADAPTERS=v2 swift test`.
public struct ContractFilter: Sendable, Hashable {
    /// Nil: all.
    public var rules: Set<RuleID>?
    /// Nil: all.
    public var adapters: Set<String>?

    /// Selects rules and adapters; nil selects all.
    public init(rules: Set<RuleID>? = nil, adapters: Set<String>? = nil) {
        self.rules = rules
        self.adapters = adapters
    }

    /// Reads `COFFERDAM_RULES` and `COFFERDAM_ADAPTERS`, names with commas between them; empty is all.
    public init(environment: [String: String]) {
        func names(_ variable: String) -> [String]? {
            let names = (environment[variable] ?? "").split(separator: ",")
                .map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
            return names.isEmpty ? nil : names
        }
        self.init(
            rules: names("COFFERDAM_RULES").map { Set($0.map(RuleID.init(rawValue:))) },
            adapters: names("COFFERDAM_ADAPTERS").map(Set.init)
        )
    }

    /// That of this process.
    public static let environment = ContractFilter(environment: ProcessInfo.processInfo.environment)

    func includes(_ rule: RuleID, _ adapter: String) -> Bool {
        (rules?.contains(rule) ?? true) && (adapters?.contains(adapter) ?? true)
    }

    /// What it names and the contract has not: a slip there must not pass by running nothing.
    func unknown(_ knownRules: Set<RuleID>, _ knownAdapters: Set<String>) -> [String] {
        (rules ?? []).subtracting(knownRules).sorted().map { "there is no rule \($0)" }
            + (adapters ?? []).subtracting(knownAdapters).sorted().map { "there is no adapter \($0)" }
    }
}
