@preconcurrency import Dispatch

/// The times to read again: at a fixed interval, until the task is cancelled, as ``Interruption`` does at a signal.
enum WatchTicks {
    static func every(_ seconds: Double) -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let timer = DispatchSource.makeTimerSource(queue: .global())
            timer.schedule(deadline: .now() + seconds, repeating: seconds)
            timer.setEventHandler { continuation.yield() }
            timer.resume()
            continuation.onTermination = { _ in timer.cancel() }
        }
    }
}
