/// A version of a package, as https://semver.org orders them.
struct PackageVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    let description: String
    private let numbers: [Int]
    private let prerelease: [Substring]

    /// Nil if the text is not a version.
    init?(_ text: String) {
        let text = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)[0]
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 3, !numbers.contains(nil) else { return nil }
        self.numbers = numbers.compactMap(\.self)
        prerelease = parts.count > 1 ? parts[1].split(separator: ".", omittingEmptySubsequences: false) : []
        description = String(text)
    }

    static func < (a: Self, b: Self) -> Bool {
        if a.numbers != b.numbers { return a.numbers.lexicographicallyPrecedes(b.numbers) }
        // A release comes after its pre-releases.
        if a.prerelease.isEmpty || b.prerelease.isEmpty { return !a.prerelease.isEmpty && b.prerelease.isEmpty }
        return a.prerelease.lexicographicallyPrecedes(b.prerelease) { one, other in
            switch (Int(one), Int(other)) {
            case (let one?, let other?): one < other
            case (.some, nil): true
            case (nil, .some): false
            case (nil, nil): one < other
            }
        }
    }
}

/// The versions that a dependency allows.
struct VersionRange: Sendable, Hashable, CustomStringConvertible {
    let lower: PackageVersion
    /// The upper bound, exclusive; nil for exactly the lower one.
    let upper: PackageVersion?

    init?(_ lower: String, _ upper: String) {
        guard let lower = PackageVersion(lower), let upper = PackageVersion(upper) else { return nil }
        (self.lower, self.upper) = (lower, upper)
    }

    init?(exactly version: String) {
        guard let version = PackageVersion(version) else { return nil }
        (lower, upper) = (version, nil)
    }

    func contains(_ version: PackageVersion) -> Bool {
        upper.map { version >= lower && version < $0 } ?? (version == lower)
    }

    func overlaps(_ other: VersionRange) -> Bool {
        contains(other.lower) || other.contains(lower)
    }

    var description: String { upper.map { "\(lower)..<\($0)" } ?? "\(lower)" }
}
