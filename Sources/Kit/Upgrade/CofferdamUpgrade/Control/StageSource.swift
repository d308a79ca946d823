#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif
public import Cofferdam  // its errors have codes

/// Reads the current stage.
public protocol StageSource: Sendable {
    /// Returns the current stage. Safe to call from any task.
    ///
    /// - Throws: ``StageError`` if the stage cannot be read.
    func stage() async throws -> Stage
}

/// The reason why a stage cannot be read or followed.
public struct StageError: CodedError, Hashable {
    /// The kind of the error.
    public var code: Code
    /// A description of the problem, with the valid values.
    public var message: String
    /// The variable or key from which the stage was read, or what cannot be followed.
    public var subject: String

    /// Creates a value from its parts.
    public init(_ code: Code, _ message: String, subject: String) {
        self.code = code
        self.message = message
        self.subject = subject
    }

    /// The kind of an error.
    public struct Code: ErrorCode {
        /// The code as text, as in logs and JSON.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The value names no stage.
        public static let unknownStage = Code(rawValue: "unknownStage")
        /// The source of the stage did not answer.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The stage is valid, but cannot be followed here.
        public static let unsupportedStage = Code(rawValue: "unsupportedStage")
    }

    /// Returns an error for a value that names no stage.
    package static func unknownStage(_ value: String, in subject: String) -> StageError {
        StageError(.unknownStage, "\"\(value)\" is not a stage; valid stages: \(Stage.allowedTexts)", subject: subject)
    }

    /// Returns an error for a stage that needs both sides, although only one whole side is available.
    static func unsupported(_ stage: Stage) -> StageError {
        StageError(
            .unsupportedStage,
            "the stage needs both sides at once, and this call opens one; valid stages: legacyOnly, candidateOnly",
            subject: stage.rawValue
        )
    }

    /// The subject and the message.
    public var description: String { "\(subject): \(message)" }
}

/// Reads the stage from an environment variable: for a first upgrade, for tests or for a single machine.
public struct EnvironmentStageSource: StageSource {
    /// The name of the variable.
    public let variable: String
    private let read: @Sendable (String) -> String?
    private let missing: Stage

    /// - Parameters:
    ///   - variable: holds the text of a stage, such as "candidateOnly" or "canary(500)".
    ///   - missing: the stage if the variable is unset or empty.
    ///   - read: reads a variable; by default from the environment of the process.
    public init(
        _ variable: String = "COFFERDAM_STAGE",
        missing: Stage = .legacyOnly,
        read: (@Sendable (String) -> String?)? = nil
    ) {
        self.variable = variable
        self.missing = missing
        self.read = read ?? { name in getenv(name).map { String(cString: $0) } }
    }

    /// - Throws: ``StageError`` with `unknownStage`, which names the variable and the valid stages.
    public func stage() async throws -> Stage {
        guard let value = read(variable), !value.isEmpty else { return missing }
        guard let stage = Stage(rawValue: value) else { throw StageError.unknownStage(value, in: variable) }
        return stage
    }
}

extension StageError {
    static func otherSide(of arm: Arm) -> StageError {
        StageError(
            .unsupportedStage,
            "the build \(arm.build) has the \(arm.side.rawValue) side only; give its sessions a StageControl with its arm",
            subject: "arm"
        )
    }
}
