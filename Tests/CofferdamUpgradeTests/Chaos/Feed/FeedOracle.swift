/// Compares what listeners received with what happened: each event once and in order, and none missing unless a gap
/// says so or the legacy side left it out.
struct FeedOracle {
    fileprivate struct Event {
        var side: String
        var deletes: Int?
    }

    fileprivate enum Delivery {
        case event(Int)
        case recovered(Int)
        case gap(after: Int?)
    }

    /// One subscription to the routed stream, until it ended.
    fileprivate struct Life {
        /// A subscription to a side's stream on its behalf.
        struct Subscription {
            var side: String
            /// The number of the first event, without the replay; nil if the subscription never began.
            var begins: Int?
        }

        var skipped: Set<Int> = []
        var delivered: [Delivery] = []
        /// The unit's side when the subscription began.
        var firstSide: String?
        /// By their numbers, in the order in which the sides were subscribed.
        var subscriptions: [(number: String, subscription: Subscription)] = []
    }

    private var events: [String: [Event]] = [:]
    private var lives: [String: Life] = [:]
    private(set) var violations: [String] = []

    var moves: Int { lives.values.reduce(0) { $0 + max(0, $1.subscriptions.count - 1) } }
    var delivered: Int { lives.values.reduce(0) { $0 + $1.delivered.count } }
    var gaps: Int { lives.values.reduce(0) { $0 + $1.delivered.count { if case .gap = $0 { true } else { false } } } }

    init(feed: [[String]], received: [[String]]) {
        for line in feed { note(line) }
        for line in received where line.count > 2 {
            lives[line[0], default: Life()].read(line[1], line[2])
        }
        for (name, life) in lives {
            let events = events[String(name.prefix { $0 != "." })] ?? []
            violations += (order(of: life, events) + losses(of: life, events)).map { "\(name): \($0)" }
        }
    }

    private mutating func note(_ line: [String]) {
        switch line[0] {
        case "event": events[line[1], default: []].append(Event(side: line[3], deletes: Int(line[4])))
        case "open": lives[line[1], default: Life()].subscriptions.append((line[3], .init(side: line[2])))
        case "begin": lives[line[1], default: Life()].begin(line[2], before: Int(line[3]))
        default: lives[line[1], default: Life()].skipped.insert(Int(line[2]) ?? -1)
        }
    }

    private func order(of life: Life, _ events: [Event]) -> [String] {
        var (found, newest, last): ([String], [String: Int], Int?) = ([], [:], nil)
        var places: [Int: Int] = [:]
        for (place, delivered) in life.delivered.enumerated() {
            switch delivered {
            case .event(let number), .recovered(let number):
                guard events.indices.contains(number) else {
                    found.append("\(number) is delivered, but has not happened")
                    continue
                }
                if places[number] != nil { found.append("\(number) is delivered twice") }
                if let deletion = life.deletion(of: number, events, places) {
                    found.append("\(number) is delivered after its deletion, \(deletion)")
                }
                places[number] = place
                let side = events[number].side
                guard case .event = delivered else { continue }
                if let newest = newest[side], number < newest { found.append("\(number) is delivered after \(newest)") }
                (newest[side], last) = (number, number)
            case .gap(let after):
                if after != last { found.append("a gap after \(after ?? -1) is delivered after \(last ?? -1)") }
            }
        }
        return found
    }

    private func losses(of life: Life, _ events: [Event]) -> [String] {
        var found: [String] = []
        let known = Set(
            life.delivered.compactMap { delivered in
                switch delivered {
                case .event(let number), .recovered(let number): number
                case .gap: nil
                }
            }
        )
        // A deletion makes late elements superfluous: a deleted item need not arrive any more.
        let deleted = Set(known.compactMap { events.indices.contains($0) ? events[$0].deletes : nil })
        let excused = known.union(deleted).union(life.skipped)
        // Starts where the first side began; if it never did, at the first item delivered.
        var (next, side): (Int?, String?) = (life.first?.begins, nil)
        for delivered in life.delivered {
            switch delivered {
            case .gap: (next, side) = (nil, nil)
            case .recovered: break
            case .event(let number):
                guard events.indices.contains(number) else { continue }
                let own = events[number].side
                if own != "both", let side, side != own {
                    found.append("\(number) is delivered after a silent change of side")
                }
                if let next, next < number {
                    for missing in next..<number
                    where events[missing].side == own && !excused.contains(missing) {
                        found.append("\(missing) is lost before \(number)")
                    }
                }
                (next, side) = (number + 1, own)
            }
        }
        return found
    }
}

extension FeedOracle.Life {
    /// The subscription of the side where the unit was: the delivery starts there. Other sides may be subscribed
    /// earlier if they open sooner.
    fileprivate var first: Subscription? { subscriptions.first { $0.subscription.side == firstSide }?.subscription }

    fileprivate mutating func begin(_ number: String, before event: Int?) {
        guard let place = subscriptions.firstIndex(where: { $0.number == number }) else { return }
        subscriptions[place].subscription.begins = event
    }

    fileprivate mutating func read(_ word: String, _ what: String) {
        switch word {
        case "listens": firstSide = what
        case "delivered": delivered.append(.event(Int(what) ?? -1))
        case "recovered": delivered.append(.recovered(Int(what) ?? -1))
        default: delivered.append(.gap(after: Int(what)))
        }
    }

    /// The event that deletes the given one, if it was delivered earlier.
    fileprivate func deletion(of number: Int, _ events: [FeedOracle.Event], _ places: [Int: Int]) -> Int? {
        guard events[number].deletes == nil else { return nil }
        let range = events.indices.suffix(from: number).prefix(50)
        return range.first { events[$0].deletes == number && places[$0] != nil }
    }
}
