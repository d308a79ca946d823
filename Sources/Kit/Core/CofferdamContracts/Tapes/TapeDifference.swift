/// One field in which a call differs from the recorded one.
struct TapeDifference: Sendable, Hashable, CustomStringConvertible {
    let path: TapePath
    /// Nil if the field is absent.
    let recorded: String?
    let called: String?

    var description: String {
        "\(path): recorded \(recorded ?? "nothing"), called with \(called ?? "nothing")"
    }

    /// Returns every field that differs, in the order of the paths.
    ///
    /// - Parameter matchesIDs: whether lists are compared by their elements' `id`, if each has one, and then by their
    ///   order; otherwise index by index.
    static func between(
        _ recorded: TapeValue,
        _ called: TapeValue,
        at path: TapePath,
        matchesIDs: Bool = false
    ) -> [TapeDifference] {
        func compare(_ recorded: TapeValue?, _ called: TapeValue?, _ path: TapePath) -> [TapeDifference] {
            if let recorded, let called { return between(recorded, called, at: path, matchesIDs: matchesIDs) }
            return [TapeDifference(path: path, recorded: recorded?.summary, called: called?.summary)]
        }
        switch (recorded, called) {
        case (.object(let old), .object(let new)):
            return Set(old.keys).union(new.keys).sorted().flatMap { compare(old[$0], new[$0], path.appending($0)) }
        case (.array(let old), .array(let new)):
            guard matchesIDs, let oldIDs = ids(of: old), let newIDs = ids(of: new) else {
                return (0..<max(old.count, new.count)).flatMap { index in
                    compare(
                        index < old.count ? old[index] : nil,
                        index < new.count ? new[index] : nil,
                        path.appending(index)
                    )
                }
            }
            let elements = (
                Dictionary(zip(oldIDs, old)) { first, _ in first }, Dictionary(zip(newIDs, new)) { first, _ in first }
            )
            let all = oldIDs + newIDs.filter { elements.0[$0] == nil }
            let differences = all.flatMap { compare(elements.0[$0], elements.1[$0], path.appending("[\($0)]")) }
            let common = (oldIDs.filter { elements.1[$0] != nil }, newIDs.filter { elements.0[$0] != nil })
            guard common.0 != common.1 else { return differences }
            let orders = [common.0, common.1].map { TapeValue.array($0.map { .text($0) }).summary }
            return differences
                + [TapeDifference(path: path.appending("(order)"), recorded: orders[0], called: orders[1])]
        case _ where recorded == called: return []
        default: return [TapeDifference(path: path, recorded: recorded.summary, called: called.summary)]
        }
    }

    /// The elements' ids; nil if one has none, or two share one.
    private static func ids(of elements: [TapeValue]) -> [String]? {
        let ids = elements.compactMap { element -> String? in
            guard case .object(let fields) = element else { return nil }
            switch fields["id"] {
            case .text(let id): return id
            case .integer(let id): return "\(id)"
            default: return nil
            }
        }
        return ids.count == elements.count && Set(ids).count == ids.count ? ids : nil
    }
}
