/// Measures a streamed download, consumed as fast as it arrives or with pauses.
func stream(_ client: any LoadClient, _ options: LoadOptions) async throws -> Figures {
    var pace = Pace(pause: .milliseconds(options.pause))
    let processor = ProcessUsage.processor
    let begin = nanoseconds()
    try await client.download(at: &pace)
    let seconds = Double(nanoseconds() - begin) * 1e-9
    let used = ProcessUsage.processor - processor
    let peak = ProcessUsage.peak
    guard pace.bytes == options.expected else { throw LoadError("a body of \(pace.bytes) bytes") }
    return ["bytes": Double(pace.bytes), "seconds": seconds, "processor": used, "peak": Double(peak)]
}
