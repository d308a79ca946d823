import CofferdamUpgrade

/// One stream, as who followed it has heard it.
struct FollowedStream: Sendable {
    /// Who followed it: "unit-12".
    var unit: String
    /// When it was begun, since the rehearsal was.
    var began = Duration.zero
    var told: [FollowedItem] = []
    /// Nil while it is followed.
    var end: (end: End, at: Duration)?

    enum End: Sendable {
        /// Its user has gone.
        case left
        /// It was over while its user was there.
        case broken(at: Stage, why: String)
    }

    /// What its user lost.
    ///
    /// From the first item that was told to the last one nothing may be missing. When a side has subscribed it, and what was on
    /// its way when it ended, is unknown; but what was published long after it began, and long before it ended, was due.
    ///
    /// - Parameter record: all that was published. Who is still there has been given the time to hear all of it.
    func losses(by record: FeedRecord) -> [(kind: Loss.Kind, what: String)] {
        var check = Check(record: record, stream: self)
        for item in told {
            switch item {
            case .gap: check.gap()
            case .item(let key): check.item(key)
            }
        }
        check.atEnd()
        if case .broken(let stage, let why) = end?.end { check.found.append((.broken, "\(stage): \(why)")) }
        return check.found
    }

    private struct Check {
        let record: FeedRecord
        let stream: FollowedStream
        var found: [(kind: Loss.Kind, what: String)] = []
        private let all: Set<FollowedItem>
        private var times: [String: Int] = [:]
        /// The place of the newest one that was told in its order; nil at the beginning and after a gap.
        private var newest: Int?
        private var isAfterGap = false

        init(record: FeedRecord, stream: FollowedStream) {
            (self.record, self.stream, all) = (record, stream, Set(stream.told))
        }

        mutating func gap() {
            found.append((.gap, newest.map { "after \(record.keys[$0])" } ?? "at the beginning"))
            (newest, isAfterGap) = (nil, true)
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
            } else if !isAfterGap {
                untold(0..<place, "before \(key)") { [record, stream] key in
                    record.isPublished(key, after: stream.began)
                }
            }
            newest = place
        }

        mutating func atEnd() {
            let rest = (newest ?? -1) + 1..<record.keys.endIndex
            guard let end = stream.end?.at else {
                guard newest == nil else { return untold(rest, "at the end") }
                if !record.keys.isEmpty { found.append((.untold, "nothing came any more")) }
                return
            }
            guard newest != nil || !isAfterGap else { return }
            untold(rest, "before it ended") { [newest, record, stream] key in
                record.isPublished(key, before: end)
                    && (newest != nil || record.isPublished(key, after: stream.began))
            }
        }

        private mutating func untold(
            _ places: Range<Int>,
            _ place: String,
            where isDue: (String) -> Bool = { _ in true }
        ) {
            for key in record.keys[places] where !all.contains(.item(key)) && isDue(key) {
                found.append((.untold, "\(key) \(place)"))
            }
        }
    }
}
