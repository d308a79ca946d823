@preconcurrency import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// When to look again: at equal distances, until somebody presses Ctrl-C or asks the process to terminate. After that the
/// signals have their usual effect again.
enum WatchTicks {
    static func every(_ seconds: Double) -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let timer = DispatchSource.makeTimerSource(queue: .global())
            timer.schedule(deadline: .now() + seconds, repeating: seconds)
            timer.setEventHandler { continuation.yield() }
            timer.resume()
            let signals = [SIGINT, SIGTERM, SIGHUP].map { number in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                source.setEventHandler { continuation.finish() }
                source.resume()
                return source
            }
            continuation.onTermination = { _ in
                timer.cancel()
                for source in signals { source.cancel() }
                for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
            }
        }
    }
}
