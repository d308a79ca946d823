/// The properties of an operation that do not depend on its types.
public struct OperationTraits: Sendable, Hashable {
    /// The name in evidence, tapes and findings: "animal". Unique within its port.
    public let name: String
    /// Whether the operation reads or writes.
    public let effect: Effect
    /// Whether it changes nothing. An ``Effect/exclusive`` operation may only read, too.
    public internal(set) var isReading: Bool
    /// Whose data it works on.
    package internal(set) var ownership = Ownership.shared
    /// Whether two sides' answers can be compared.
    @usableFromInline package internal(set) var isComparable = false
    /// FNV-1a 64 of the name, computed once because every routed call asks for it.
    @usableFromInline package let nameHash: UInt64

    init(_ name: String, _ effect: Effect) {
        self.name = name
        self.effect = effect
        isReading = effect == .read
        nameHash = name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Whose data an operation works on.
    package enum Ownership: String, Sendable, Hashable, CaseIterable, Codable {
        /// The same for every caller.
        case shared
        /// The signed-in user's: another user's answer must never be used instead.
        case user
    }
}

/// What an operation changes. It decides which side a router may call and which rules apply.
public enum Effect: String, Sendable, Hashable, CaseIterable, Codable {
    /// Changes nothing. It may be called in the shadow, and again on the other side.
    case read
    /// Changes something; a second call, on either side, changes nothing more. Never called in the shadow; repeated on the other
    /// side only if both sides have one backend.
    case idempotent
    /// Changes something each time. Never called in the shadow; tried on the other side only if the first has provably
    /// sent nothing and both have one backend.
    case write
    /// Belongs to a session or a device of one side; the other side is never called.
    case exclusive
}

/// One of the two adapters of a port: for the major that the app is on, or for the one that it moves to.
public enum Side: String, Sendable, Hashable, CaseIterable, Codable {
    case legacy, candidate
}
