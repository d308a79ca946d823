/// Puts each unit into one of 10,000 buckets, for ever: whoever is in at a share of 500 is in at 1000.
///
/// The bucket is (h × 10000) >> 32 with h the MurmurHash3 of `salt:unit` in UTF-8 as it is given: "é" as one character and
/// as two are two units.
public struct Bucketing: Sendable, Hashable {
    /// The capability's name, so that the same units are not the first ones everywhere.
    public let salt: String

    /// - Throws: ``BucketingError`` for a salt with a colon, which would make "a:b" + "c" the same as "a" + "b:c".
    public init(salt: String) throws(BucketingError) {
        guard !salt.utf8.contains(UInt8(ascii: ":")) else { throw BucketingError(salt: salt) }
        self.salt = salt
    }

    /// What is decided. Each has a seed of its own: who is sampled says nothing about who is admitted.
    public enum Purpose: UInt32, Sendable, Hashable, CaseIterable {
        case gate = 0
        case sampling = 1
        case variants = 2
    }

    /// 0 to 9999.
    public func bucket(of unit: String, for purpose: Purpose = .gate) -> Int {
        Int((UInt64(hash(of: unit, for: purpose)) * UInt64(Share.range.upperBound)) >> 32)
    }

    /// Whether the unit's bucket is below the share. No unit, no admission, not even at a share of all.
    public func admits(_ unit: String?, share: Share, for purpose: Purpose = .gate) -> Bool {
        guard let unit else { return false }
        return bucket(of: unit, for: purpose) < share.tenThousandths
    }

    func hash(of unit: String, for purpose: Purpose) -> UInt32 {
        // In pieces: the joined text would be an allocation for each call.
        var murmur = Murmur3(seed: purpose.rawValue)
        murmur.combine(salt.utf8)
        murmur.combine(CollectionOfOne(UInt8(ascii: ":")))
        murmur.combine(unit.utf8)
        return murmur.value
    }
}

/// Why there is no such bucketing.
public struct BucketingError: Error, Sendable, Hashable, CustomStringConvertible {
    public let salt: String

    public var description: String { "the salt \"\(salt)\" holds a colon, which separates it from the unit" }
}
