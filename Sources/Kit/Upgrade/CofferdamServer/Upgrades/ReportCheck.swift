#if Server
import CofferdamUpgrade

/// The body of a request that posts evidence.
struct EvidencePost: Decodable {
    var reports: [EvidenceReport]
}

/// Checks what a device sends against limits, so that no device can fill the memory, a log or a page.
struct ReportCheck {
    /// The length of a unit's window, in seconds.
    let window: Int

    static let maxReports = 16
    static let maxUnits = 1_000
    static let maxWindows = 388
    static let maxMarks = 12
    /// Both sides of all the operations that an epoch may have.
    static let maxBreakers = 126
    static let maxLatencies = 126
    static let maxBuckets = 2_000
    static let maxSamples = 20
    static let maxTextBytes = 1_024
    static let maxNameBytes = 128
    static let maxNanoseconds: Int64 = 1 << 50
    static let maxNumber = 1 << 40
    /// The end of the year 9999.
    static let maxSeconds: Int64 = 253_402_300_799

    /// Why the post is refused, with the place in it; nil if it is accepted.
    func problem(of post: EvidencePost) -> String? {
        guard !post.reports.isEmpty, post.reports.count <= Self.maxReports else {
            return "reports: 1 to \(Self.maxReports) are allowed"
        }
        var units = 0
        for (place, report) in post.reports.enumerated() {
            let at = "reports[\(place)]"
            units += report.units.count
            guard units <= Self.maxUnits else { return "\(at).units: at most \(Self.maxUnits) in one post" }
            guard report.window == window else { return "\(at).window: this server counts windows of \(window) s" }
            guard (0...(1 << 40)).contains(report.epoch) else { return "\(at).epoch: out of range" }
            guard report.build.utf8.count <= Self.maxNameBytes, Self.isPlain(report.build) else {
                return "\(at).build: at most \(Self.maxNameBytes) bytes without control characters"
            }
            guard report.side == nil || report.side == "legacy" || report.side == "candidate" else {
                return "\(at).side: legacy, candidate or none"
            }
            for (number, unit) in report.units.enumerated() {
                if let problem = Self.problem(of: unit) { return "\(at).units[\(number)]\(problem)" }
            }
            if let problem = Self.problem(ofDevice: report) { return "\(at)\(problem)" }
        }
        return nil
    }

    private static func problem(of unit: EvidenceReport.Unit) -> String? {
        guard isNumber(unit.unit) else { return ".unit: 16 hexadecimal digits" }
        guard unit.windows.count <= maxWindows else { return ".windows: at most \(maxWindows)" }
        for (place, window) in unit.windows.enumerated() {
            let at = ".windows[\(place)]"
            if let operation = window.operation, !isName(operation) { return "\(at).operation: \(nameRule)" }
            guard window.marks.count <= maxMarks else { return "\(at).marks: at most \(maxMarks)" }
            if let problem = window.problem { return "\(at).tally: \(problem)" }
            if !window.marks.allSatisfy(isName) { return "\(at).marks: \(nameRule)" }
            if let nanoseconds = window.nanoseconds, !(0...maxNanoseconds).contains(nanoseconds) {
                return "\(at).nanoseconds: 0 to \(maxNanoseconds)"
            }
        }
        return nil
    }

    /// Checks what a device reports about itself.
    private static func problem(ofDevice report: EvidenceReport) -> String? {
        if let device = report.device, !isNumber(device) { return ".device: 16 hexadecimal digits" }
        let (breakers, samples) = (report.breakers ?? [], report.samples ?? [])
        guard report.device != nil || breakers.isEmpty && report.latencies == nil else {
            return ".device is missing"
        }
        guard samples.count <= maxSamples else { return ".samples: at most \(maxSamples)" }
        for (place, sample) in samples.enumerated() {
            let at = ".samples[\(place)]"
            guard isName(sample.operation) else { return "\(at).operation: \(nameRule)" }
            for text in [sample.path, sample.legacy, sample.candidate] where text?.utf8.count ?? 0 > maxTextBytes {
                return "\(at): at most \(maxTextBytes) bytes of a text"
            }
        }
        guard breakers.count <= maxBreakers else { return ".breakers: at most \(maxBreakers)" }
        for (place, breaker) in breakers.enumerated() {
            let at = ".breakers[\(place)]"
            guard isName(breaker.operation) else { return "\(at).operation: \(nameRule)" }
            guard (1...maxNumber).contains(breaker.number) else { return "\(at).number: 1 to \(maxNumber)" }
            guard (0...maxSeconds).contains(breaker.at) else { return "\(at).at: 0 to \(maxSeconds)" }
        }
        return problem(of: report.latencies ?? [])
    }

    private static func problem(of latencies: [EvidenceReport.Latency]) -> String? {
        guard latencies.count <= maxLatencies else { return ".latencies: at most \(maxLatencies)" }
        guard latencies.reduce(0, { $0 + $1.buckets.count }) <= maxBuckets else {
            return ".latencies: at most \(maxBuckets) buckets in one report"
        }
        for (place, latency) in latencies.enumerated() {
            let at = ".latencies[\(place)]"
            guard isName(latency.operation) else { return "\(at).operation: \(nameRule)" }
            for bucket in latency.buckets {
                guard bucket.count == 2, (0...LatencyHistogram.longest).contains(bucket[0]),
                    LatencyHistogram.rounded(bucket[0]) == bucket[0], (1...Int64(maxNumber)).contains(bucket[1])
                else {
                    return "\(at).buckets: pairs of a bucket's upper end in nanoseconds, and 1 to \(maxNumber)"
                }
            }
        }
        return nil
    }

    private static func isNumber(_ text: String) -> Bool {
        text.utf8.count == 16 && UInt64(text, radix: 16) != nil && !text.hasPrefix("+")
    }

    private static let nameRule = "1 to \(maxNameBytes) bytes without control characters"

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= maxNameBytes && isPlain(text)
    }

    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { !$0.properties.generalCategory.isControl }
    }
}
#endif
