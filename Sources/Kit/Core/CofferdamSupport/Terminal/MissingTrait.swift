#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A command of the kit that was built without the trait that it needs. It must fail: a check that does nothing would
/// pass unnoticed.
package struct MissingTrait {
    package let trait: String
    /// The command and its arguments.
    package let arguments: [String]

    package init(_ trait: String, arguments: [String] = CommandLine.arguments) {
        self.trait = trait
        self.arguments = arguments
    }

    /// What was wrong, and the whole command that works.
    package var message: String {
        let command = arguments.first?.split(separator: "/").last.map(String.init) ?? "cofferdam"
        let line = ([command] + arguments.dropFirst().map(Self.quoted)).joined(separator: " ")
        return """
            \(command): built without its trait "\(trait)"; nothing was done
            In your package: name the trait in Package.swift, then repeat the command:
              .package(url: …, from: …, traits: ["\(trait)"])
              swift run \(line)
            In a checkout of Cofferdam:
              swift run --traits \(trait) \(line)

            """
    }

    /// Prints the message to standard error, and ends the process with `EX_CONFIG` (78) of `<sysexits.h>`.
    package func end() -> Never {
        let bytes = Array(message.utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        exit(EX_CONFIG)
    }

    /// Quotes an argument for a POSIX shell, if it needs it.
    private static func quoted(_ argument: String) -> String {
        let isPlain =
            !argument.isEmpty
            && argument.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./=:,@%+".contains($0)) }
        return isPlain ? argument : "'\(argument.replacing("'", with: #"'\''"#))'"
    }
}
