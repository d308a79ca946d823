/// Assigns each unit to one of 10,000 buckets, permanently: a unit that is admitted at a share of 500 is admitted at
/// 1000.
///
/// The bucket is (h × 10000) >> 32, with h the MurmurHash3 of `salt:unit` in UTF-8, without normalisation: "é" as one
/// scalar and as two are different units.
public struct Bucketing: Sendable, Hashable {
    /// The name of the capability, so that each capability admits different units first.
    public let salt: String

    /// - Throws: ``BucketingError`` for a salt with a colon, because "a:b" + "c" would equal "a" + "b:c".
    public init(salt: String) throws(BucketingError) {
        guard !salt.utf8.contains(UInt8(ascii: ":")) else { throw BucketingError(salt: salt) }
        self.salt = salt
    }

    /// The purpose of a bucket. Each has its own seed, so that the sample is independent of admission.
    package enum Purpose: UInt32, Sendable, Hashable, CaseIterable {
        case gate = 0
        case sampling = 1
        case variants = 2
    }

    /// Returns the bucket of a unit, 0 to 9999.
    package func bucket(of unit: String, for purpose: Purpose = .gate) -> Int {
        Int((UInt64(hash(of: unit, for: purpose)) * UInt64(Share.range.upperBound)) >> 32)
    }

    /// Returns whether the bucket of the unit is below the share. A missing unit is never admitted, even at a share of
    /// all.
    package func admits(_ unit: String?, share: Share, for purpose: Purpose = .gate) -> Bool {
        guard let unit else { return false }
        return bucket(of: unit, for: purpose) < share.tenThousandths
    }

    func hash(of unit: String, for purpose: Purpose) -> UInt32 {
        // Incrementally: joining the texts would allocate for each call.
        var murmur = Murmur3(seed: purpose.rawValue)
        murmur.combine(salt)
        murmur.combine(UInt8(ascii: ":"))
        murmur.combine(unit)
        return murmur.value
    }
}

/// An invalid salt.
public struct BucketingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The salt.
    public let salt: String

    /// The salt, and why it is refused.
    public var description: String { "the salt \"\(salt)\" contains a colon, which separates the salt from the unit" }
}
