import CofferdamUpgrade

/// One stream, as who followed it has heard it.
struct FollowedStream: Sendable {
    /// Who followed it: "unit-12".
    var unit: String
    var told: [FollowedItem] = []
    /// Nil while it is followed.
    var end: End?

    enum End: Sendable {
        /// Its user has gone.
        case left
        /// It was over while its user was there.
        case broken(at: Stage, why: String)
    }

    /// What its user lost.
    ///
    /// What was before the first item that was told counts for nobody: when a side has subscribed it, nobody can tell.
    ///
    /// - Parameter record: all that was published, in order. Who is still there has been given the time to hear all of it.
    func losses(by record: FeedRecord) -> [(kind: Loss.Kind, what: String)] {
        var check = Check(record: record, told: told)
        for item in told {
            switch item {
            case .gap: check.gap()
            case .item(let key): check.item(key)
            }
        }
        if case .broken(let stage, let why) = end { check.found.append((.broken, "\(stage): \(why)")) }
        if end == nil { check.atEnd() }
        return check.found
    }

    private struct Check {
        let record: FeedRecord
        var found: [(kind: Loss.Kind, what: String)] = []
        private let all: Set<FollowedItem>
        private var times: [String: Int] = [:]
        /// The place of the newest one that was told in its order; nil at the beginning and after a gap.
        private var newest: Int?

        init(record: FeedRecord, told: [FollowedItem]) { (self.record, all) = (record, Set(told)) }

        mutating func gap() {
            found.append((.gap, newest.map { "after \(record.keys[$0])" } ?? "at the beginning"))
            newest = nil
        }

        mutating func item(_ key: String) {
            guard let place = record.places[key] else {
                return found.append((.wrong, "\(key) was told, and was never published"))
            }
            times[key, default: 0] += 1
            if times[key, default: 0] > 1 {
                // Published twice, it may be told twice: then the writer has lost something.
                if times[key, default: 0] > record.times[key, default: 0] { found.append((.repeated, key)) }
                return
            }
            if let newest {
                if place < newest { return found.append((.misplaced, "\(key) after \(record.keys[newest])")) }
                untold(newest + 1..<place, "before \(key)")
            }
            newest = place
        }

        mutating func atEnd() {
            guard let newest else {
                if !record.keys.isEmpty { found.append((.untold, "nothing came any more")) }
                return
            }
            untold(newest + 1..<record.keys.endIndex, "at the end")
        }

        private mutating func untold(_ places: Range<Int>, _ place: String) {
            for key in record.keys[places] where !all.contains(.item(key)) {
                found.append((.untold, "\(key) \(place)"))
            }
        }
    }
}

/// What was published, in order, as the service has it.
struct FeedRecord: Sendable {
    let keys: [String]
    let places: [String: Int]
    let times: [String: Int]

    init(_ keys: [String]) {
        self.keys = keys
        places = Dictionary(keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        times = Dictionary(keys.map { ($0, 1) }, uniquingKeysWith: +)
    }
}
