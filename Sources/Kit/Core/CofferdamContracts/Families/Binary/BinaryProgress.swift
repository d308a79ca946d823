import Cofferdam

/// A download that reports its progress, described for the rules BIN-05 and BIN-09.
public struct BinaryProgress<Subject: Sendable, Input: Sendable & Hashable>: Sendable {
    let call: PortCall<Subject, ReportedInput<Input>, Void>
    let capability: CapabilityTag

    /// Describes a download that reports its progress.
    ///
    /// - Parameters:
    ///   - call: downloads and reports its progress; throws as the download does.
    ///   - capability: the capability of adapters that report progress.
    public init(call: PortCall<Subject, ReportedInput<Input>, Void>, capability: CapabilityTag = "progress") {
        self.call = call
        self.capability = capability
    }

    var mutants: [Mutant<Subject>] {
        [
            Mutant("BIN-05", "reports completion of a failed transfer") { subject, effect in
                call.replaced(in: subject) { clean, input in
                    do {
                        try await clean(input)
                    } catch {
                        input.report(1)
                        effect.occurred()
                        throw error
                    }
                }
            },
            Mutant("BIN-09", "also reports the next download's progress to the previous one") { subject, effect in
                let before = Mutex<ReportedInput<Input>?>(nil)
                return call.replaced(in: subject) { clean, input in
                    let last = before.withLock { before in
                        defer { before = input }
                        return before
                    }
                    try await clean(
                        ReportedInput(input.input) { fraction in
                            input.report(fraction)
                            guard let last else { return }
                            last.report(fraction)
                            effect.occurred()
                        }
                    )
                }
            },
        ]
    }
}

/// A download's argument and its progress handler.
public struct ReportedInput<Input: Sendable & Hashable>: Sendable {
    /// The argument of the download.
    public var input: Input
    /// Receives the fraction downloaded so far, from 0 to 1.
    public var report: @Sendable (Double) -> Void

    /// Pairs a download's argument with its progress handler.
    public init(_ input: Input, report: @escaping @Sendable (Double) -> Void) {
        self.input = input
        self.report = report
    }
}

/// What one download reports, before and after its end.
final class ProgressRun: Sendable {
    private struct State: Sendable {
        var fractions: [Double] = []
        var late: [Double] = []
        var hasEnded = false
        var hasFailed = false
    }

    private let state = Mutex(State())

    /// The fractions reported before the end, from 0 to 1, in order.
    var fractions: [Double] { state.withLock { $0.fractions } }
    /// The fractions reported after the end.
    var late: [Double] { state.withLock { $0.late } }
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    var isMonotone: Bool { zip(fractions, fractions.dropFirst()).allSatisfy { $0 <= $1 } }
    var completions: Int { fractions.count { $0 >= 1 } }

    /// Runs the download; returns once it has ended, with or without an error.
    func run<Subject, Input>(
        _ call: PortCall<Subject, ReportedInput<Input>, Void>,
        of subject: Subject,
        _ input: Input
    ) async {
        var hasFailed = false
        do {
            try await call(subject, ReportedInput(input) { [self] in record($0) })
        } catch {
            hasFailed = true
        }
        state.withLock { [hasFailed] state in
            state.hasEnded = true
            state.hasFailed = hasFailed
        }
    }

    private func record(_ fraction: Double) {
        state.withLock { state in
            if state.hasEnded { state.late.append(fraction) } else { state.fractions.append(fraction) }
        }
    }
}
