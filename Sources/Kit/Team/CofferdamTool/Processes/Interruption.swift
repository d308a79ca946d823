import Cofferdam
@preconcurrency import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The signals that ask a process to end: Ctrl-C, `kill`, a closed terminal.
///
/// The first signal cancels the running command, which then reports its results so far; further signals have their
/// usual effect.
final class Interruption: Sendable {
    /// The interruption of the running command; nil if it does not listen to signals.
    @TaskLocal static var current: Interruption?

    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    private let received = Mutex<Int32?>(nil)

    /// The first signal received; nil if there is none yet.
    var signal: Int32? { received.withLock { $0 } }

    /// The exit code of a process that the signal ended, as in shells: 128 plus the signal's number.
    var exitCode: Int32? { signal.map { 128 + $0 } }

    /// "SIGTERM".
    var name: String? {
        signal.map { [SIGINT: "SIGINT", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP"][$0] ?? "signal \($0)" }
    }

    /// Runs `body` as a task that the first signal cancels.
    static func listening(_ body: @escaping @Sendable () async -> Void) async {
        let interruption = Interruption()
        let task = Task(executorPreference: nil) { await $current.withValue(interruption) { await body() } }
        let handled = signals.filter { number in
            // A signal that is ignored from the start, as under nohup, stays ignored.
            guard isIgnored(systemSignal(number, SIG_IGN)) else { return true }
            return false
        }
        let sources = handled.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                interruption.received.withLock { $0 = $0 ?? number }
                for number in handled { _ = systemSignal(number, SIG_DFL) }
                task.cancel()
            }
            source.resume()
            return source
        }
        await task.value
        for source in sources { source.cancel() }
        for number in handled { _ = systemSignal(number, SIG_DFL) }
    }

    /// Simulates that a signal was received, for tests.
    func receive(_ signal: Int32) { received.withLock { $0 = signal } }

    private static func isIgnored(_ handler: Handler?) -> Bool {
        // The constant is the address 1, which no function has.
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

private typealias Handler = @convention(c) (Int32) -> Void

private func systemSignal(_ number: Int32, _ handler: Handler?) -> Handler? { signal(number, handler) }
