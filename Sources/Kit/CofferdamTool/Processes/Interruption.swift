import Cofferdam
@preconcurrency import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The signals by which a process is asked to end: Ctrl-C, `kill`, a terminal that goes.
///
/// The first one cancels what runs, which then says what it knows so far; after that they have their usual effect again.
final class Interruption: Sendable {
    /// That of the command which is running; nil where its signals are not listened to.
    @TaskLocal static var current: Interruption?

    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    private let received = Mutex<Int32?>(nil)

    /// What was received; nil: nothing yet.
    var signal: Int32? { received.withLock { $0 } }

    /// What a process ends with that a signal has ended, as shells have it.
    var exitCode: Int32? { signal.map { 128 + $0 } }

    /// "SIGTERM".
    var name: String? {
        signal.map { [SIGINT: "SIGINT", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP"][$0] ?? "signal \($0)" }
    }

    /// Runs `body` as a task that the first signal cancels.
    static func listening(_ body: @escaping @Sendable () async -> Void) async {
        let interruption = Interruption()
        let task = Task(executorPreference: nil) { await $current.withValue(interruption) { await body() } }
        let heard = signals.filter { number in
            // What is ignored from the beginning, as under nohup, stays so.
            guard isIgnored(systemSignal(number, SIG_IGN)) else { return true }
            return false
        }
        let sources = heard.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                interruption.received.withLock { $0 = $0 ?? number }
                for number in heard { _ = systemSignal(number, SIG_DFL) }
                task.cancel()
            }
            source.resume()
            return source
        }
        await task.value
        for source in sources { source.cancel() }
        for number in heard { _ = systemSignal(number, SIG_DFL) }
    }

    /// For tests: as if that had been received.
    func receive(_ signal: Int32) { received.withLock { $0 = signal } }

    private static func isIgnored(_ handler: Handler?) -> Bool {
        // The constant is the address 1, which no function has.
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

private typealias Handler = @convention(c) (Int32) -> Void

private func systemSignal(_ number: Int32, _ handler: Handler?) -> Handler? { signal(number, handler) }
