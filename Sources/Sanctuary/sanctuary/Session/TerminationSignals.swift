#if Sandbox
@preconcurrency import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Turns Ctrl-C and termination requests into cancellation: work ends in order, subscriptions are released.
enum TerminationSignals {
    /// Runs the body; a signal cancels it, and the exit code is then 128 plus the signal's number. A second signal ends
    /// the process at once.
    static func watch(_ body: @escaping @Sendable () async -> Int32) async -> Int32 {
        await withTaskGroup(of: Outcome.self) { group in
            let signals = signals(SIGINT, SIGTERM)
            group.addTask { .ended(await body()) }
            group.addTask {
                for await signal in signals { return .signalled(signal) }
                return .stoppedWatching
            }
            defer { group.cancelAll() }
            switch await group.next() {
            case .ended(let status): return status
            case .signalled(let signal):
                group.cancelAll()
                await group.waitForAll()
                return 128 + signal
            case .stoppedWatching, nil:
                return await group.next()?.status ?? ExitStatus.other.rawValue
            }
        }
    }

    private enum Outcome: Sendable {
        case ended(Int32)
        case signalled(Int32)
        case stoppedWatching

        var status: Int32? { if case .ended(let status) = self { status } else { nil } }
    }

    /// Returns the first of these signals; afterwards they have their usual effect again.
    private static func signals(_ numbers: Int32...) -> AsyncStream<Int32> {
        AsyncStream { continuation in
            let sources = numbers.map { number in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                source.setEventHandler {
                    numbers.forEach { signal($0, SIG_DFL) }
                    continuation.yield(number)
                    continuation.finish()
                }
                source.resume()
                return source
            }
            continuation.onTermination = { _ in sources.forEach { $0.cancel() } }
        }
    }
}
#endif
