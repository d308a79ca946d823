import CofferdamUpgrade

// A report's parts, for people.
extension ScenarioReport {
    /// The crashes, for people; nil if the app never crashed.
    var endings: String? {
        if crashes.isEmpty { return nil }
        let ends = crashes.map { end in
            "at \(end.stage) with \(end.calls) call\(end.calls == 1 ? "" : "s") of the new SDK under way"
        }
        return "the app ended \(ends.joined(separator: ", then "))"
    }

    /// The visits of users, for people.
    var visiting: String {
        let each = counts.visits == 0 ? 0 : (Double(counts.operations) / Double(counts.visits) * 10).rounded() / 10
        return "\(counts.visits) visits with \(each) operations each, \(counts.returning) by returning units, "
            + "\(counts.givenUp) given up by users"
    }

    /// The streams that were followed, for people; nil without a feed.
    var following: String? {
        streams.map { streams in
            let (old, new) = (
                streams.subscriptions["legacy", default: 0], streams.subscriptions["candidate", default: 0]
            )
            return "\(streams.followed) stream\(streams.followed == 1 ? "" : "s") delivered \(streams.items) items, "
                + "through \(old) subscriptions of the old SDK and \(new) of the new one"
        }
    }
}

extension ScenarioOutcome {
    /// The outcome, for people.
    var words: String {
        switch self {
        case .arrived: "arrived"
        case .rolledBack: "rolled back"
        case .rescued: "rescued by the kill switch"
        case .stuck: "stuck"
        }
    }
}
