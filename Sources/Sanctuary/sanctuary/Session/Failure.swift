import ArgumentParser
import Cofferdam
import SanctuaryApp
import SanctuaryDomain

/// Why the command failed, and how it ends because of that.
struct Failure: Error {
    var status: ExitStatus
    /// One line for people; nil where nothing is to be said.
    var message: String?

    init(_ status: ExitStatus, _ message: String?) {
        self.status = status
        self.message = message
    }

    init(_ error: SanctuaryError) {
        status = ExitStatus(error.code)
        message = Self.text(of: error) + Self.advice(for: error.code)
    }

    /// What to do next, where the error alone does not say.
    private static func advice(for code: SanctuaryError.Code) -> String {
        switch code {
        case .authenticationRequired: "; see sanctuary account sign-in"
        case .outcomeUnknown: "; it may have been done: look before you try again"
        default: ""
        }
    }

    /// What the app's users can make something of; the vendor's own words only where there are no others.
    private static func text(of error: SanctuaryError) -> String {
        var error = error
        let cause = error.code == .unknown ? error.cause : nil
        error.cause = nil
        return "\(error)" + (cause.map { " [\($0.code): \($0.message)]" } ?? "")
    }

    /// Any error that ended a command. Those of the argument parser stay as they are: it knows how to show them.
    static func wrapping(_ error: any Error) -> any Error {
        switch error {
        case let error as Failure: error
        case let error as SanctuaryError: Failure(error)
        case let error as FeatureError:
            Failure(error.code == .invalidInput ? .usage : .other, "\(error)")
        case is CancellationError: Failure(.interrupted, nil)
        case let error as StreamClosed where error.isBrokenPipe: Failure(.ok, nil)
        case let error as StreamClosed: Failure(.cannotWrite, "cannot write to standard output: error \(error.errno)")
        case is ValidationError, is ExitCode, is CleanExit: error
        default: Failure(.other, "\(error)")
        }
    }

    /// Says it on standard error, and gives the process's exit code.
    func report() -> Int32 {
        if let message { Diagnostics.write(message) }
        return status.rawValue
    }
}

/// What the command has to say beside its results: a line each, on standard error.
enum Diagnostics {
    static func write(_ message: String) {
        // There is nobody left to tell when standard error itself is gone.
        do { try StandardStream.error.write("sanctuary: \(message.escapedForTerminal)\n") } catch {}
    }
}
