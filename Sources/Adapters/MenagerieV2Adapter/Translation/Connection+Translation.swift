import Cofferdam
import SanctuaryDomain

extension Connection {
    /// Reads one value, and reports what was odd about it.
    ///
    /// - Throws: the issue because of which there is none.
    @concurrent func read<Source: Sendable, Target: Sendable>(
        _ source: Source,
        as translator: Translator<Source, Target>,
        of operation: String
    ) async throws -> Target {
        var issues = TranslationReport()
        defer { report(issues, of: operation) }
        return try translator.translate(source, into: &issues)
    }

    /// Reads a list, away from the caller's actor, and reports what was odd about it.
    ///
    /// - Throws: the issue because of which the first unreadable value is none; the list then fails as a whole.
    @concurrent func read<Source: Sendable, Target: Sendable>(
        _ sources: [Source],
        as translator: Translator<Source, Target>,
        of operation: String
    ) async throws -> [Target] {
        var issues = TranslationReport()
        defer { report(issues, of: operation) }
        return try translator.translate(sources, at: "items", into: &issues, policy: .failOnFirst)
    }
}
