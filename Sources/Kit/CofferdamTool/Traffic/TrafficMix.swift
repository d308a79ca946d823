/// How often each kind of operation comes: "read=85,walk=5,write=10". Only the proportions count.
public struct TrafficMix: Sendable, Hashable {
    public private(set) var weights: [TrafficKind: Int]

    /// Mostly reads, as most apps do.
    public static let `default` = TrafficMix(weights: [.read: 85, .walk: 5, .write: 10])

    private init(weights: [TrafficKind: Int]) { self.weights = weights }

    /// - Throws: ``TrafficMixError``, naming the part that cannot be read. A kind that is not named never comes.
    public init(_ text: String) throws(TrafficMixError) {
        weights = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, let kind = TrafficKind(rawValue: String(sides[0])), weights[kind] == nil,
                let weight = Int(sides[1]), (0...1_000_000).contains(weight)
            else { throw TrafficMixError(part: String(part)) }
            weights[kind] = weight
        }
        guard weights.values.contains(where: { $0 > 0 }) else { throw TrafficMixError(part: text) }
    }

    /// What a visit does; nil if there is no operation of any kind that comes.
    func operation<Services>(
        of visit: Visit,
        among operations: [TrafficOperation<Services>]
    ) -> TrafficOperation<Services>? {
        let kinds = TrafficKind.allCases.filter { kind in operations.contains { $0.kind == kind && $0.weight > 0 } }
        let kind = Self.choose(kinds, visit.operationChance.kind) { weights[$0, default: 0] }
        return Self.choose(operations.filter { $0.kind == kind }, visit.operationChance.operation, weight: \.weight)
    }

    /// Which share of the visits are of these kinds; 0 where nothing comes.
    func share<Services>(of kinds: Set<TrafficKind>, among operations: [TrafficOperation<Services>]) -> Double {
        let offered = Set(operations.filter { $0.weight > 0 }.map(\.kind))
        func total(_ kinds: Set<TrafficKind>) -> Int { kinds.reduce(0) { $0 + weights[$1, default: 0] } }
        let all = total(offered)
        return all == 0 ? 0 : Double(total(kinds.intersection(offered))) / Double(all)
    }

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
    public var description: String {
        TrafficKind.allCases.compactMap { kind in weights[kind].map { "\(kind.rawValue)=\($0)" } }
            .joined(separator: ",")
    }
}

/// A mix that cannot be read.
public struct TrafficMixError: Error, Sendable, Hashable, CustomStringConvertible {
    public var part: String

    public var description: String {
        let kinds = TrafficKind.allCases.map(\.rawValue).joined(separator: ", ")
        return "'\(part)' is no KIND=WEIGHT that counts; kinds: \(kinds); a weight is 0 to 1000000, and one is above 0"
    }
}
