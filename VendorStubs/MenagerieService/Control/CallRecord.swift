/// Which requests have reached the service.
struct CallRecord: Sendable {
    private struct Key: Hashable {
        let operation: Operation
        let major: Major?
    }

    private var counts: [Key: Int] = [:]
    private var kept: [Operation: Kept] = [:]
    private(set) var total = 0

    /// How many requests of one operation are held, and how many bytes of their bodies; the latest is held in any case.
    private static let mostKept = 256
    private static let mostBytes = 1 << 20

    private struct Kept {
        private(set) var requests: [RecordedRequest] = []
        private var bytes = 0

        mutating func add(_ request: RecordedRequest) {
            requests.append(request)
            bytes += request.body.count
            // Many at a time: each would move all others.
            if requests.count > 2 * mostKept { removeFirst(requests.count - mostKept) }
            while requests.count > 1, bytes > mostBytes { removeFirst(1) }
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

    /// - Parameter major: nil: both.
    func count(of operation: Operation, via major: Major?) -> Int {
        let majors = major.map { [$0] } ?? Major.allCases
        return majors.reduce(0) { $0 + (counts[Key(operation: operation, major: $1)] ?? 0) }
    }

    func requests(of operation: Operation) -> [RecordedRequest] {
        (kept[operation]?.requests ?? []).suffix(Self.mostKept)
    }
}
