/// Says how far the upgrade has come.
public protocol StageSource: Sendable {
    /// The stage now. May be asked from any task, as often as one likes.
    ///
    /// - Throws: ``StageError`` if the stage cannot be told. `reading(_:)` says what then holds.
    func stage() async throws -> Stage
}

extension StageSource {
    /// The stage, and `default` where it cannot be told, with the error to be shown: a wrong stage must not be followed, nor
    /// go unnoticed, nor keep the app from working.
    ///
    /// - Throws: `CancellationError` alone.
    public func reading(default: Stage = .legacyOnly) async throws -> StageReading {
        do {
            return StageReading(stage: try await stage(), error: nil)
        } catch let error as CancellationError {
            throw error
        } catch {
            return StageReading(stage: `default`, error: error)
        }
    }
}

/// The stage to follow, and why it is not the one that was asked for.
public struct StageReading: Sendable {
    public var stage: Stage
    /// Set if ``stage`` is a default because the source could not tell.
    public var error: (any Error)?

    public init(stage: Stage, error: (any Error)?) {
        self.stage = stage
        self.error = error
    }
}

/// The stage that is always the same.
public struct FixedStageSource: StageSource {
    private let fixed: Stage
    public init(_ stage: Stage) { fixed = stage }
    public func stage() async -> Stage { fixed }
}

/// Why a stage cannot be told.
public struct StageError: Error, Sendable, Hashable, CustomStringConvertible {
    public var code: Code
    /// What is wrong and what would be right, for people.
    public var message: String
    /// Where the stage was looked for: a variable, a key.
    public var subject: String

    public init(_ code: Code, _ message: String, subject: String) {
        self.code = code
        self.message = message
        self.subject = subject
    }

    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        /// There is a value, and it names no stage.
        public static let unknownStage = Code(rawValue: "unknownStage")
        /// Whoever keeps the stage could not be asked, or did not answer as it should.
        public static let unavailable = Code(rawValue: "unavailable")
        /// It is a stage, and whoever was to follow it cannot.
        public static let unsupportedStage = Code(rawValue: "unsupportedStage")
    }

    /// For a value that names no stage.
    public static func unknownStage(_ value: String, in subject: String) -> StageError {
        StageError(.unknownStage, "\"\(value)\" is no stage; allowed: \(Stage.allowedTexts)", subject: subject)
    }

    /// For a stage that needs both sides, where one whole side is handed out.
    static func unsupported(_ stage: Stage) -> StageError {
        StageError(
            .unsupportedStage,
            "it needs both sides at once, which this router cannot walk; allowed: legacyOnly, candidateOnly",
            subject: stage.rawValue
        )
    }

    public var description: String { "\(subject): \(message)" }
}
