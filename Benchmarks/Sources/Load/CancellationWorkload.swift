/// Measures requests that hang at a silent server: the time from `cancel()` to the thrown error, for one at a time and
/// for all at once.
func cancellation(_ client: any LoadClient, _ options: LoadOptions) async throws -> Figures {
    let single = try await cancel(client, options.concurrency, gap: .microseconds(500))
    let burst = try await cancel(client, options.concurrency, gap: nil)
    return [
        "single.p50": percentile(0.5, of: single) * 1e-6,
        "single.p99": percentile(0.99, of: single) * 1e-6,
        "burst.p99": percentile(0.99, of: burst) * 1e-6,
    ]
}

/// - Returns: the times, sorted, in nanoseconds.
private func cancel(_ client: any LoadClient, _ count: Int, gap: Duration?) async throws -> [UInt64] {
    let tasks = (0..<count).map { _ in
        Task(executorPreference: client.executor) { () -> UInt64? in
            do {
                _ = try await client.get()
                return nil
            } catch {
                return nanoseconds()
            }
        }
    }
    // Waits until all are sent.
    try await Task.sleep(for: .seconds(1))
    var begins: [UInt64] = []
    for task in tasks {
        begins.append(nanoseconds())
        task.cancel()
        if let gap { try await Task.sleep(for: gap) }
    }
    var latencies: [UInt64] = []
    for (task, begin) in zip(tasks, begins) {
        guard let end = await task.value else { throw LoadError("a request to a silent server had a reply") }
        guard end >= begin else { throw LoadError("a request ended before it was cancelled") }
        latencies.append(end - begin)
    }
    return latencies.sorted()
}
