#if Sandbox
import ArgumentParser
import Cofferdam
import CofferdamSupport
import SanctuaryApp
import SanctuaryDomain

/// The error that ends the command, with its exit code.
struct Failure: Error, CustomStringConvertible {
    var status: ExitStatus
    /// One line for humans; nil to print nothing.
    var message: String?

    init(_ status: ExitStatus, _ message: String?) {
        self.status = status
        self.message = message
    }

    var description: String { message ?? "\(status)" }

    init(_ error: SanctuaryError) {
        status = ExitStatus(error.code)
        message = Self.text(of: error) + Self.advice(for: error.code)
    }

    /// Advice on what to do next, if the error alone does not say.
    private static func advice(for code: SanctuaryError.Code) -> String {
        switch code {
        case .authenticationRequired: "; see sanctuary account sign-in"
        case .outcomeUnknown: "; it may have been done: look before you try again"
        default: ""
        }
    }

    /// The error's text for the app's users; the vendor's own words only if there are no others.
    private static func text(of error: SanctuaryError) -> String {
        var error = error
        let cause = error.code == .unknown ? error.cause : nil
        error.cause = nil
        return "\(error)" + (cause.map { " [\($0.code): \($0.message)]" } ?? "")
    }

    /// Wraps an error that ended a command. The argument parser's errors stay as they are: it knows how to show them.
    static func wrapping(_ error: any Error) -> any Error {
        switch error {
        case let error as Failure: error
        case let error as ShownIsOld: error.failure
        case let error as SanctuaryError: Failure(error)
        case let error as FeatureError: Failure(ExitStatus(error.code), "\(error)")
        case is CancellationError: Failure(.interrupted, nil)
        case let error as StreamClosed where error.isBrokenPipe: Failure(.ok, nil)
        case let error as StreamClosed: Failure(.cannotWrite, "cannot write to standard output: error \(error.errno)")
        case is ValidationError, is ExitCode, is CleanExit: error
        default: Failure(.other, "\(error)")
        }
    }

    /// Prints the message to standard error, and returns the exit code.
    func report() -> Int32 {
        if let message { Diagnostics.write(message) }
        return status.rawValue
    }
}

/// The error of a command that showed a value stored earlier, because the service could not be reached or failed.
struct ShownIsOld: Error {
    let cause: any Error
    let age: Duration?

    /// The same failure as if no value had been shown, so that scripts do not take an old value for a new one.
    fileprivate var failure: any Error {
        guard var failure = Failure.wrapping(cause) as? Failure else { return cause }
        let note = age.map { "what is shown is \(Self.text($0)) old" } ?? "what is shown is old"
        failure.message = (failure.message.map { $0 + "; " } ?? "") + note
        return failure
    }

    private static func text(_ age: Duration) -> String {
        let seconds = age.components.seconds
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}

extension Latest {
    /// Throws if the value was old; call it after showing the value.
    func throwIfOld() throws {
        if let error { throw ShownIsOld(cause: error, age: age) }
    }
}

/// Messages besides the results: one line each, on standard error.
enum Diagnostics {
    static func write(_ message: String) {
        // If standard error is closed, nothing can be reported.
        do { try StandardStream.error.write("sanctuary: \(message.escapedForTerminal)\n") } catch {}
    }
}
#endif
