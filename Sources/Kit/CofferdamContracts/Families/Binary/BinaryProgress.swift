/// A download that tells how far it is: what the rule BIN-05 needs to know of it.
public struct BinaryProgress<Subject: Sendable, Input: Sendable & Hashable>: Sendable {
    /// Downloads, and tells all that was reported until the call had ended.
    public let call: PortCall<Subject, Input, ProgressRun>
    /// What an adapter declares that reports progress.
    public let capability: CapabilityTag

    public init(call: PortCall<Subject, Input, ProgressRun>, capability: CapabilityTag = "progress") {
        self.call = call
        self.capability = capability
    }

    var completesOnError: Mutant<Subject> {
        Mutant("BIN-05", "reports completion of what has failed") { subject, effect in
            call.replaced(in: subject) { clean, input in
                var run = try await clean(input)
                if run.hasFailed {
                    run.fractions.append(1)
                    effect.occurred()
                }
                return run
            }
        }
    }
}

/// What a download has reported, and how it ended.
public struct ProgressRun: Sendable, Hashable {
    /// From 0 to 1, in their order.
    public var fractions: [Double]
    public var hasFailed: Bool

    public init(fractions: [Double], hasFailed: Bool) {
        self.fractions = fractions
        self.hasFailed = hasFailed
    }

    var isMonotone: Bool { zip(fractions, fractions.dropFirst()).allSatisfy { $0 <= $1 } }
    var completions: Int { fractions.count { $0 >= 1 } }
}

extension PortCall where Output == ProgressRun {
    func run(_ subject: Subject, _ input: Input) async -> ProgressRun {
        do { return try await self(subject, input) } catch { return ProgressRun(fractions: [], hasFailed: true) }
    }
}
