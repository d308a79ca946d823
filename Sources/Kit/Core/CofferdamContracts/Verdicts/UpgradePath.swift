/// Which adapter is to replace which.
public struct UpgradePath: Sendable, Hashable, Codable {
    /// The adapter in use.
    package let legacy: String
    /// The adapter that is to replace it.
    package let candidate: String

    /// Names the adapter in use and the one that may replace it.
    public init(from legacy: String, to candidate: String) {
        self.legacy = legacy
        self.candidate = candidate
    }

    /// Creates the path between the first two live adapters with different names: from the older to the newer version
    /// if both name versions of one SDK, otherwise in their order. Nil if there are not two.
    package init?(among adapters: [AdapterDescription]) {
        let live = adapters.filter { $0.identity.kind == .live }
        guard let first = live.first, let second = live.first(where: { $0.name != first.name }) else { return nil }
        let sdks = (SDKVersion(first.identity.sdk), SDKVersion(second.identity.sdk))
        if let one = sdks.0, let other = sdks.1, one.name == other.name, other.isOlder(than: one) {
            self.init(from: second.name, to: first.name)
        } else {
            self.init(from: first.name, to: second.name)
        }
    }
}

/// "Yams 6.2.2": an SDK's name, and its version's numbers.
private struct SDKVersion {
    var name: Substring
    var numbers: [Int]

    /// Nil for a text that does not end with a version.
    init?(_ text: String?) {
        guard let text, let space = text.lastIndex(of: " ") else { return nil }
        let parts = text[text.index(after: space)...].split(separator: ".", omittingEmptySubsequences: false)
        numbers = parts.compactMap { $0.allSatisfy(\.isNumber) ? Int($0) : nil }
        guard numbers.count == parts.count else { return nil }
        name = text[..<space]
    }

    func isOlder(than other: SDKVersion) -> Bool { numbers.lexicographicallyPrecedes(other.numbers) }
}
