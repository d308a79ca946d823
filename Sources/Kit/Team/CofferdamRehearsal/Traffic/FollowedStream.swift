import CofferdamUpgrade

/// One stream, as its user received it.
struct FollowedStream: Sendable {
    /// The unit that followed it: "unit-12".
    var unit: String
    /// When it began, since the rehearsal began.
    var began = Duration.zero
    var received: [FollowedItem] = []
    /// How and when it ended; nil while it is followed.
    var end: (end: End, at: Duration)?

    enum End: Sendable {
        /// Its user left.
        case left
        /// It ended while its user still followed it.
        case broken(at: Stage, why: String)
    }

    /// Returns what its user lost.
    ///
    /// Between the first and the last delivered item, nothing may be missing. When exactly a side subscribed, and what
    /// was in transit when the stream ended, is unknown; but items published long after it began and long before it
    /// ended were due.
    ///
    /// - Parameter record: all published items. Users that still follow have had the time to receive all of them.
    func losses(by record: FeedRecord) -> [(kind: Loss.Kind, what: String)] {
        var check = Check(record: record, stream: self)
        for item in received {
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
        /// The place of the newest item that was delivered in order; nil at the beginning and after a gap.
        private var newest: Int?
        private var isAfterGap = false

        init(record: FeedRecord, stream: FollowedStream) {
            (self.record, self.stream, all) = (record, stream, Set(stream.received))
        }

        mutating func gap() {
            found.append((.gap, newest.map { "after \(record.keys[$0])" } ?? "at the beginning"))
            (newest, isAfterGap) = (nil, true)
        }

        mutating func item(_ key: String) {
            guard let place = record.places[key] else {
                return found.append((.wrong, "\(key) was received, but never published"))
            }
            times[key, default: 0] += 1
            if times[key, default: 0] > 1 {
                // An item that was published twice may be delivered twice: that is the writer's loss.
                if times[key, default: 0] > record.times[key, default: 0] { found.append((.repeated, key)) }
                return
            }
            if let newest {
                if place < newest { return found.append((.misplaced, "\(key) after \(record.keys[newest])")) }
                addSkipped(newest + 1..<place, "before \(key)")
            } else if !isAfterGap {
                addSkipped(0..<place, "before \(key)") { [record, stream] key in
                    record.isPublished(key, after: stream.began)
                }
            }
            newest = place
        }

        mutating func atEnd() {
            let rest = (newest ?? -1) + 1..<record.keys.endIndex
            guard let end = stream.end?.at else {
                guard newest == nil else { return addSkipped(rest, "at the end") }
                if !record.keys.isEmpty { found.append((.skipped, "nothing more came")) }
                return
            }
            guard newest != nil || !isAfterGap else { return }
            addSkipped(rest, "before it ended") { [newest, record, stream] key in
                record.isPublished(key, before: end)
                    && (newest != nil || record.isPublished(key, after: stream.began))
            }
        }

        private mutating func addSkipped(
            _ places: Range<Int>,
            _ place: String,
            where isDue: (String) -> Bool = { _ in true }
        ) {
            for key in record.keys[places] where !all.contains(.item(key)) && isDue(key) {
                found.append((.skipped, "\(key) \(place)"))
            }
        }
    }
}
