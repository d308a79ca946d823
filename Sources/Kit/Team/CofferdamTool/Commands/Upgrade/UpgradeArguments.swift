#if CommandLine
import ArgumentParser
import CofferdamUpgrade

/// Parses arguments as the kit's values.
enum UpgradeArguments {
    /// The text without surrounding white space.
    static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }

    static func stage(_ text: String) throws -> Stage {
        guard let stage = Stage(rawValue: text) else {
            throw ValidationError(StageError.unknownStage(text, in: "stage").message)
        }
        return stage
    }

    static func target(_ text: String) throws -> KillSwitch.Target {
        guard let target = KillSwitch.Target(rawValue: text) else {
            let known = KillSwitch.Target.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("'\(text)' is not a target of the kill switch; the targets are \(known).")
        }
        return target
    }
}
#endif
