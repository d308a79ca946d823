/// Turns a vendor's value into the app's own, or says why not.
///
/// Translating many values gives the values **and** the issues: `flatMap { transform($0) }` loses in silence what it
/// cannot read, and an emptied screen has no error. Here each source ends as a value or as an issue of severity
/// `error`.
public struct Translator<Source, Target>: Sendable {
    let body: @Sendable (Source, inout TranslationReport) throws(TranslationIssue) -> Target

    /// - Parameter body: translates one value; throws the issue that makes a value impossible, and reports to the
    ///   report what is odd and still gives a value. Paths are relative to the value.
    public init(_ body: @escaping @Sendable (Source, inout TranslationReport) throws(TranslationIssue) -> Target) {
        self.body = body
    }

    /// One value, with what was odd about it.
    ///
    /// - Throws: the issue because of which there is none; the report then holds it too.
    public func translate(_ source: Source, into report: inout TranslationReport) throws(TranslationIssue) -> Target {
        let depth = report.depth
        do throws(TranslationIssue) {
            return try body(source, &report)
        } catch {
            throw report.addLoss(error, since: depth)
        }
    }

    /// All values of a page or list; within another translator, of a list in its value. Those that are impossible are left out, and stand in the report.
    ///
    /// - Parameters:
    ///   - path: where the list stands in the payload; element 3 of "items" is reported at "items[3]".
    ///   - policy: what to do about values that are impossible.
    /// - Throws: the issue that the policy does not bear.
    public func translate(
        _ sources: some Sequence<Source>,
        at path: String = "",
        into report: inout TranslationReport,
        policy: TranslationPolicy = .collect
    ) throws(TranslationIssue) -> [Target] {
        var targets: [Target] = []
        targets.reserveCapacity(sources.underestimatedCount)
        var failures: [TranslationIssue] = []
        var total = 0
        let depth = report.depth
        report.enter(list: path)
        defer { report.leaveList() }
        for source in sources {
            report.advance(to: total)
            total += 1
            do throws(TranslationIssue) {
                targets.append(try body(source, &report))
            } catch {
                let loss = report.addLoss(error, since: depth)
                if case .failOnFirst = policy { throw loss }
                failures.append(loss)
            }
        }
        if case .failAbove(let share) = policy, let first = failures.first,
            !(Double(failures.count) <= share * Double(total))
        {
            throw first
        }
        return targets
    }

    /// A translator of what this one gives.
    public func then<Next>(_ next: Translator<Target, Next>) -> Translator<Source, Next> {
        Translator<Source, Next> { source, report throws(TranslationIssue) in
            try next.body(try body(source, &report), &report)
        }
    }
}

/// What to do about values that cannot be translated.
public enum TranslationPolicy: Sendable, Hashable {
    /// Leave them out, and report them.
    case collect
    /// Throw the first.
    case failOnFirst
    /// Throw the first if more than this share of all (0 to 1) cannot be translated.
    case failAbove(share: Double)
}
