/// The units that a person has named: own staff, testers. They are on the candidate before any share is, and count apart.
///
/// A unit is named by the text that the app gives its ``UnitSession``. Two spellings of one text in Unicode are one name.
public struct NamedUnits: Sendable, Hashable {
    /// The units on the list.
    public private(set) var units: Set<String> = []
    /// Whether they are on the legacy side although they are on the list: the upgrade went back to where no unit is on the candidate.
    /// The next step ends that, and so does ``UpgradeAction/allow(units:)``.
    public internal(set) var areHeldBack = false

    /// How many units the list may hold.
    public static let mostUnits = 10_000
    /// How long a unit's name may be, in bytes of UTF-8.
    public static let longestName = 256
    /// How many bytes all names together may have: a state and the line of the log that names them go into one request of etcd's, which
    /// takes 1.5 MiB.
    public static let mostBytes = 400_000

    /// No unit is named.
    public init() {}

    /// Whether the units on the list are on the candidate, where the stage does not put every unit there.
    public var areServed: Bool { !units.isEmpty && !areHeldBack }

    /// Adds units, and serves all that are on the list.
    ///
    /// - Throws: ``UpgradeRefusal``: `invalidUnits`, `alreadyThere`.
    mutating func allow(_ names: [String]) throws(UpgradeRefusal) {
        try Self.check(names)
        let all = units.union(names)
        guard all.count > units.count || areHeldBack else {
            throw UpgradeRefusal(.alreadyThere, "on the list already: \(Self.shown(names))")
        }
        if let problem = Self.problem(of: all) { throw UpgradeRefusal(.invalidUnits, problem) }
        (units, areHeldBack) = (all, false)
    }

    /// Removes units. One that is not on the list is a slip, and then none is removed.
    ///
    /// - Throws: ``UpgradeRefusal``: `invalidUnits`, `alreadyThere`.
    mutating func disallow(_ names: [String]) throws(UpgradeRefusal) {
        try Self.check(names)
        let unknown = names.filter { !units.contains($0) }
        guard unknown.isEmpty else {
            throw UpgradeRefusal(.alreadyThere, "not on the list: \(Self.shown(unknown))")
        }
        units.subtract(names)
        if units.isEmpty { areHeldBack = false }
    }

    /// The upgrade went back to where no unit is on the candidate.
    mutating func holdBack() { areHeldBack = !units.isEmpty }

    // MARK: Limits

    private static func check(_ names: [String]) throws(UpgradeRefusal) {
        if names.isEmpty { throw UpgradeRefusal(.invalidUnits, "no unit is given") }
        for name in names {
            if let problem = problem(ofName: name) { throw UpgradeRefusal(.invalidUnits, problem) }
        }
    }

    /// Why that is no unit's name, for people; nil if it is one.
    private static func problem(ofName name: String) -> String? {
        if name.allSatisfy(\.isWhitespace) { return "a unit's name is empty" }
        let length = name.utf8.count
        guard length > longestName else { return nil }
        return "the unit \(name.prefix(20))… has a name of \(length) bytes, at most \(longestName) are allowed"
    }

    /// Why these are too many, for people; nil if they are not.
    private static func problem(of units: Set<String>) -> String? {
        if units.count > mostUnits { return "\(units.count) units are named, at most \(mostUnits) are allowed" }
        let bytes = units.reduce(0) { $0 + $1.utf8.count }
        guard bytes > mostBytes else { return nil }
        return "the units' names have \(bytes) bytes together, at most \(mostBytes) are allowed"
    }

    /// Why this is not what a version of the kit has written; nil if it is.
    var problem: String? { Self.problem(of: units) ?? units.lazy.compactMap { Self.problem(ofName: $0) }.first }

    /// "ada, ben, cleo and 9 more".
    package static func shown(_ names: [String]) -> String {
        let (first, rest) = (names.prefix(3).joined(separator: ", "), names.count - 3)
        return rest > 0 ? "\(first) and \(rest) more" : first
    }
}

/// The names in their order, so that one list is one text.
extension NamedUnits: Codable {
    private enum CodingKeys: String, CodingKey { case units, areHeldBack }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        units = Set(try values.decode([String].self, forKey: .units))
        areHeldBack = try values.decodeIfPresent(Bool.self, forKey: .areHeldBack) ?? false
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(units.sorted(), forKey: .units)
        try values.encode(areHeldBack, forKey: .areHeldBack)
    }
}
