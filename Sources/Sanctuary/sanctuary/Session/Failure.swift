import ArgumentParser
import Cofferdam
import SanctuaryApp
import SanctuaryDomain

/// Why the command failed, and how it ends because of that.
struct Failure: Error, CustomStringConvertible {
    var status: ExitStatus
    /// One line for people; nil where nothing is to be said.
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

    /// Says it on standard error, and gives the process's exit code.
    func report() -> Int32 {
        if let message { Diagnostics.write(message) }
        return status.rawValue
    }
}

/// What was shown had been known before; the service could not be asked, or has failed.
struct ShownIsOld: Error {
    let cause: any Error
    let age: Duration?

    /// As if nothing had been shown, so that no script takes the old for the new.
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
    /// To be called when the value has been shown.
    func throwIfOld() throws {
        if let error { throw ShownIsOld(cause: error, age: age) }
    }
}

/// What the command has to say beside its results: a line each, on standard error.
enum Diagnostics {
    static func write(_ message: String) {
        // There is nobody left to tell when standard error itself is gone.
        do { try StandardStream.error.write("sanctuary: \(message.escapedForTerminal)\n") } catch {}
    }
}
