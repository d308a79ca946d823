/// Units that a person has listed by name, such as staff and testers. They use the candidate before any share does, and
/// are counted separately.
///
/// A name is the text that the app passes to a ``UnitSession``. Canonically equivalent Unicode texts are the same name.
package struct NamedUnits: Sendable, Hashable {
    /// The units on the list.
    package private(set) var units: Set<String> = []
    /// Whether the listed units are sent to the legacy side, because the upgrade went back to a stage without the
    /// candidate. The next step or ``UpgradeAction/allow(units:)`` ends this.
    package internal(set) var isHeldBack = false

    /// The maximum number of units.
    package static let maxUnits = 10_000
    /// The maximum length of a name in UTF-8 bytes.
    package static let maxNameLength = 256
    /// The maximum total length of all names in UTF-8 bytes: a state and its audit entry must fit into one request to
    /// etcd, which is limited to 1.5 MiB.
    package static let maxBytes = 400_000

    /// An empty list.
    init() {}

    /// Whether the listed units use the candidate.
    package var isServed: Bool { !units.isEmpty && !isHeldBack }

    /// Adds units, and sends all listed units to the candidate.
    ///
    /// - Throws: ``UpgradeRefusal``: `invalidUnits`, `alreadyThere`.
    mutating func allow(_ names: [String]) throws(UpgradeRefusal) {
        try Self.check(names)
        let all = units.union(names)
        guard all.count > units.count || isHeldBack else {
            throw UpgradeRefusal(.alreadyThere, "on the list already: \(Self.shown(names))")
        }
        if let problem = Self.problem(of: all) { throw UpgradeRefusal(.invalidUnits, problem) }
        (units, isHeldBack) = (all, false)
    }

    /// Removes units. If any is not on the list, removes none.
    ///
    /// - Throws: ``UpgradeRefusal``: `invalidUnits`, `alreadyThere`.
    mutating func disallow(_ names: [String]) throws(UpgradeRefusal) {
        try Self.check(names)
        let unknown = names.filter { !units.contains($0) }
        guard unknown.isEmpty else {
            throw UpgradeRefusal(.alreadyThere, "not on the list: \(Self.shown(unknown))")
        }
        units.subtract(names)
        if units.isEmpty { isHeldBack = false }
    }

    /// Sends the listed units back with the upgrade.
    mutating func holdBack() { isHeldBack = !units.isEmpty }

    // MARK: Limits

    private static func check(_ names: [String]) throws(UpgradeRefusal) {
        if names.isEmpty { throw UpgradeRefusal(.invalidUnits, "no unit is given") }
        for name in names {
            if let problem = problem(ofName: name) { throw UpgradeRefusal(.invalidUnits, problem) }
        }
    }

    /// Returns why the name is invalid, for people; nil if it is valid.
    private static func problem(ofName name: String) -> String? {
        if name.allSatisfy(\.isWhitespace) { return "a unit's name is empty" }
        let length = name.utf8.count
        guard length > maxNameLength else { return nil }
        return "the unit \(name.prefix(20))… has a name of \(length) bytes, at most \(maxNameLength) are allowed"
    }

    /// Returns why there are too many units, for people; nil if there are not.
    private static func problem(of units: Set<String>) -> String? {
        if units.count > maxUnits { return "\(units.count) units are named, at most \(maxUnits) are allowed" }
        let bytes = units.reduce(0) { $0 + $1.utf8.count }
        guard bytes > maxBytes else { return nil }
        return "the units' names have \(bytes) bytes together, at most \(maxBytes) are allowed"
    }

    /// Why a stored list is invalid; nil if it is valid.
    var problem: String? { Self.problem(of: units) ?? units.lazy.compactMap { Self.problem(ofName: $0) }.first }

    /// "ada, ben, cleo and 9 more".
    package static func shown(_ names: [String]) -> String {
        let (first, rest) = (names.prefix(3).joined(separator: ", "), names.count - 3)
        return rest > 0 ? "\(first) and \(rest) more" : first
    }
}

/// Encoded in sorted order, so that equal lists give equal texts.
extension NamedUnits: Codable {
    /// The name of an earlier version: an app that does not know another one would take a list that is held back for one
    /// that is not.
    private enum CodingKeys: String, CodingKey { case units, isHeldBack = "areHeldBack" }

    /// Decodes a list. Without `areHeldBack`, the units are not held back.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        units = Set(try values.decode([String].self, forKey: .units))
        isHeldBack = try values.decodeIfPresent(Bool.self, forKey: .isHeldBack) ?? false
    }

    /// Encodes the units in sorted order, so that equal lists give equal texts.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(units.sorted(), forKey: .units)
        try values.encode(isHeldBack, forKey: .isHeldBack)
    }
}
