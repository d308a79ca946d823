/// Measures tasks that each send one request after the other: requests per second, latencies, processor time.
func requests(_ client: any LoadClient, _ options: LoadOptions) async throws -> Figures {
    // Opens the connection that the others share.
    if options.isHTTP2 { _ = try await client.get() }
    if options.warm > 0 { _ = try await sendForAWhile(client, options, seconds: options.warm, count: nil) }
    let processor = ProcessUsage.processor
    let begin = nanoseconds()
    var latencies = try await sendForAWhile(client, options, seconds: options.seconds, count: options.count)
    let seconds = Double(nanoseconds() - begin) * 1e-9
    let used = ProcessUsage.processor - processor
    let peak = ProcessUsage.peak
    latencies.sort()
    return [
        "requests": Double(latencies.count),
        "seconds": seconds,
        "processor": used,
        "p50": percentile(0.5, of: latencies) * 1e-3,
        "p99": percentile(0.99, of: latencies) * 1e-3,
        "peak": Double(peak),
    ]
}

/// - Returns: the duration of each request, in nanoseconds.
private func sendForAWhile(
    _ client: any LoadClient,
    _ options: LoadOptions,
    seconds: Double,
    count: Int?
) async throws -> [UInt32] {
    let end = nanoseconds() + UInt64(seconds * 1e9)
    return try await withThrowingTaskGroup(of: [UInt32].self) { group in
        for _ in 0..<options.concurrency {
            group.addTask {
                var latencies: [UInt32] = []
                latencies.reserveCapacity(32 << 10)
                var left = count.map { $0 / options.concurrency }
                var begin = nanoseconds()
                while left.map({ $0 > 0 }) ?? (begin < end) {
                    let length = try await client.get()
                    guard length == options.expected else { throw LoadError("a body of \(length) bytes") }
                    let now = nanoseconds()
                    latencies.append(UInt32(clamping: now - begin))
                    begin = now
                    if let some = left { left = some - 1 }
                }
                return latencies
            }
        }
        return try await group.reduce(into: []) { $0 += $1 }
    }
}
