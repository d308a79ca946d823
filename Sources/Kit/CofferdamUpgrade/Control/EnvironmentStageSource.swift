#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads the stage from an environment variable: for a first upgrade, for tests, and for one machine.
public struct EnvironmentStageSource: StageSource {
    public let variable: String
    private let read: @Sendable (String) -> String?
    private let missing: Stage

    /// - Parameters:
    ///   - variable: its value is a stage's text, "candidateOnly" or "canary(500)".
    ///   - missing: the stage where the variable is not set, or is empty.
    ///   - read: gives a variable's value; by default the process's.
    public init(
        _ variable: String = "COFFERDAM_STAGE",
        missing: Stage = .legacyOnly,
        read: (@Sendable (String) -> String?)? = nil
    ) {
        self.variable = variable
        self.missing = missing
        self.read = read ?? { name in getenv(name).map { String(cString: $0) } }
    }

    /// - Throws: ``StageError`` with `unknownStage` for a value that names none; it names the variable and the stages.
    public func stage() async throws -> Stage {
        guard let value = read(variable), !value.isEmpty else { return missing }
        guard let stage = Stage(rawValue: value) else { throw StageError.unknownStage(value, in: variable) }
        return stage
    }
}
