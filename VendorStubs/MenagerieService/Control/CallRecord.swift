/// Which requests have reached the service.
struct CallRecord: Sendable {
    private struct Key: Hashable {
        let operation: Operation
        let major: Major?
    }

    private var counts: [Key: Int] = [:]
    private var kept: [Operation: [RecordedRequest]] = [:]
    private(set) var total = 0

    /// How many requests of one operation are held, and how many bytes of their bodies; the latest is held in any case.
    private static let mostKept = 256
    private static let mostBytes = 1 << 20

    mutating func add(_ request: RecordedRequest, of operation: Operation, via major: Major?) {
        total += 1
        counts[Key(operation: operation, major: major), default: 0] += 1
        var requests = kept.removeValue(forKey: operation) ?? []
        requests.append(request)
        while requests.count > 1,
            requests.count > Self.mostKept || requests.reduce(0, { $0 + $1.body.count }) > Self.mostBytes
        {
            requests.removeFirst()
        }
        kept[operation] = requests
    }

    /// - Parameter major: nil: both.
    func count(of operation: Operation, via major: Major?) -> Int {
        let majors = major.map { [$0] } ?? Major.allCases
        return majors.reduce(0) { $0 + (counts[Key(operation: operation, major: $1)] ?? 0) }
    }

    func requests(of operation: Operation) -> [RecordedRequest] { kept[operation] ?? [] }
}
