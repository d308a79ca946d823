#if Sandbox
/// A record of the requests that reached the service.
struct CallRecord: Sendable {
    private struct Key: Hashable {
        let operation: Operation
        let major: Major?
    }

    private var counts: [Key: Int] = [:]
    private var kept: [Operation: Kept] = [:]
    private(set) var total = 0

    /// The maximum number of requests kept for one operation, and of bytes of their bodies; the latest is always kept.
    private static let maximumRequests = 256
    private static let maximumBytes = 1 << 20

    private struct Kept {
        private(set) var requests: [RecordedRequest] = []
        private var bytes = 0

        mutating func add(_ request: RecordedRequest) {
            requests.append(request)
            bytes += request.body.count
            // Removed in batches: each removal moves all others.
            if requests.count > 2 * maximumRequests { removeFirst(requests.count - maximumRequests) }
            while requests.count > 1, bytes > maximumBytes { removeFirst(1) }
        }

        private mutating func removeFirst(_ count: Int) {
            bytes -= requests.prefix(count).reduce(0) { $0 + $1.body.count }
            requests.removeFirst(count)
        }
    }

    mutating func add(_ request: RecordedRequest, of operation: Operation, via major: Major?) {
        total += 1
        counts[Key(operation: operation, major: major), default: 0] += 1
        kept[operation, default: Kept()].add(request)
    }

    /// - Parameter major: nil for both.
    func count(of operation: Operation, via major: Major?) -> Int {
        let majors = major.map { [$0] } ?? Major.allCases
        return majors.reduce(0) { $0 + (counts[Key(operation: operation, major: $1)] ?? 0) }
    }

    func requests(of operation: Operation) -> [RecordedRequest] {
        (kept[operation]?.requests ?? []).suffix(Self.maximumRequests)
    }
}
#endif
