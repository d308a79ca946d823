/// The proportions of the kinds of operations, and of visits that start to follow the feed:
/// "read=85,walk=5,write=10,follow=2". Users who follow the feed perform other operations too.
public struct TrafficMix: Sendable, Hashable {
    private(set) var weights: [TrafficKind: Int]
    /// How often a user starts to follow, relative to the operations.
    private(set) var following: Int?

    /// Mostly reads, as in most apps.
    public static let `default` = TrafficMix(weights: [.read: 85, .walk: 5, .write: 10], following: 2)

    private init(weights: [TrafficKind: Int], following: Int?) { (self.weights, self.following) = (weights, following) }

    /// - Throws: ``TrafficMixError``, which names the part that does not parse. Kinds that are left out do not occur.
    public init(_ text: String) throws(TrafficMixError) {
        weights = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, let weight = Int(sides[1]), (0...1_000_000).contains(weight) else {
                throw TrafficMixError(part: String(part))
            }
            if let kind = TrafficKind(rawValue: String(sides[0])), weights[kind] == nil {
                weights[kind] = weight
            } else if sides[0] == Self.followName, following == nil {
                following = weight
            } else {
                throw TrafficMixError(part: String(part))
            }
        }
        guard weights.values.contains(where: { $0 > 0 }) else { throw TrafficMixError(part: text) }
    }

    /// The operation of a step; nil if there is none of any kind in the mix.
    func operation<Services>(
        of step: VisitStep,
        among operations: [TrafficOperation<Services>]
    ) -> TrafficOperation<Services>? {
        let kind = Self.choose(TrafficKind.allCases, step.operationChance.kind) { kind in
            operations.contains { $0.kind == kind && $0.weight > 0 } ? weights[kind, default: 0] : 0
        }
        return Self.choose(operations, step.operationChance.operation) { $0.kind == kind ? $0.weight : 0 }
    }

    /// Whether the visit's unit starts to follow the feed.
    func follows(_ visit: Visit) -> Bool {
        let following = following ?? 0
        let total = weights.values.reduce(following, +)
        return following > 0 && visit.followChance <= Double(following) / Double(total)
    }

    /// The share of the visits that are of these kinds; 0 if there are none.
    func share<Services>(of kinds: Set<TrafficKind>, among operations: [TrafficOperation<Services>]) -> Double {
        let offered = Set(operations.filter { $0.weight > 0 }.map(\.kind))
        func total(_ kinds: Set<TrafficKind>) -> Int { kinds.reduce(0) { $0 + weights[$1, default: 0] } }
        let all = total(offered)
        return all == 0 ? 0 : Double(total(kinds.intersection(offered))) / Double(all)
    }

    fileprivate static let followName = "follow"

    /// - Parameter chance: above 0, at most 1.
    private static func choose<Item>(_ items: [Item], _ chance: Double, weight: (Item) -> Int) -> Item? {
        let total = items.reduce(0) { $0 + weight($1) }
        var left = Int((chance * Double(total)).rounded(.up))
        for item in items {
            left -= weight(item)
            if left <= 0, weight(item) > 0 { return item }
        }
        return nil
    }
}

extension TrafficMix: CustomStringConvertible {
    /// The mix as `--mix` takes it.
    public var description: String {
        let kinds = TrafficKind.allCases.compactMap { kind in weights[kind].map { "\(kind.rawValue)=\($0)" } }
        return (kinds + (following.map { ["\(Self.followName)=\($0)"] } ?? [])).joined(separator: ",")
    }
}

/// A mix that does not parse.
public struct TrafficMixError: Error, Sendable, Hashable, CustomStringConvertible {
    var part: String

    /// The part that cannot be read, and what a mix looks like.
    public var description: String {
        let kinds = (TrafficKind.allCases.map(\.rawValue) + [TrafficMix.followName]).joined(separator: ", ")
        return "'\(part)' is not a valid KIND=WEIGHT; kinds: \(kinds); weights are 0 to 1000000, at least one above 0"
    }
}
