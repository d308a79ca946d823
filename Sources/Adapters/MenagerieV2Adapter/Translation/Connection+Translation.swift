#if Sandbox
import Cofferdam
import SanctuaryDomain

extension Connection {
    /// Translates one value, and reports its issues.
    ///
    /// - Throws: the issue that makes the translation impossible.
    @concurrent func read<Source: Sendable, Target: Sendable>(
        _ source: Source,
        as translator: Translator<Source, Target>,
        of operation: String
    ) async throws -> Target {
        var issues = TranslationReport()
        defer { report(issues, of: operation) }
        return try translator.translate(source, into: &issues)
    }

    /// Translates a list, off the caller's actor, and reports its issues.
    ///
    /// - Throws: the issue of the first value that cannot be translated; the list then fails as a whole.
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
#endif
