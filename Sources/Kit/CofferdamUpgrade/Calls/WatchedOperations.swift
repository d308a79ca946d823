import struct Synchronization.Atomic

/// The operations whose first call in a session has been reported, so that later calls may take the fast path.
///
/// A small table that is read without a lock. An operation that finds no free slot is reported again, which only costs
/// time: a unit counts once for an operation, however often it is reported.
final class WatchedOperations: Sendable {
    static let size = 64
    static let maxProbes = 16

    /// Proof that it may be shared: every slot is atomic, and this object owns the memory until `deinit`.
    nonisolated(unsafe) let slots: UnsafeMutablePointer<Atomic<UInt64>>

    init() {
        slots = .allocate(capacity: Self.size)
        for place in 0..<Self.size { (slots + place).initialize(to: Atomic(0)) }
    }

    deinit {
        slots.deinitialize(count: Self.size)
        slots.deallocate()
    }

    /// Returns the mark of an operation for one decision of its session.
    ///
    /// - Parameters:
    ///   - operation: the hash of its name.
    ///   - session: distinguishes the sessions of the route.
    static func mark(_ operation: UInt64, _ generation: UInt64, session: UInt64) -> UInt64 {
        let hash = operation ^ (generation &* 0x9E37_79B9_7F4A_7C15) ^ (session &* 0xD1B5_4A32_D192_ED03)
        // The last byte of a name affects only some bits of its hash: spread it with a step of SplitMix64. 0 marks an
        // empty slot.
        return (hash ^ hash >> 29) &* 0xBF58_476D_1CE4_E5B9 | 1
    }

    func contains(_ mark: UInt64) -> Bool {
        for step in 0..<Self.maxProbes {
            let found = slots[place(mark, step)].load(ordering: .relaxed)
            if found == mark { return true }
            if found == 0 { return false }
        }
        return false
    }

    /// - Returns: whether the mark is new.
    func insert(_ mark: UInt64) -> Bool {
        for step in 0..<Self.maxProbes {
            let slot = slots + place(mark, step)
            let (isNew, before) = slot.pointee.compareExchange(expected: 0, desired: mark, ordering: .relaxed)
            if isNew { return true }
            if before == mark { return false }
        }
        // The table is full of marks of earlier decisions: replace one.
        slots[place(mark, 0)].store(mark, ordering: .relaxed)
        return true
    }

    func place(_ mark: UInt64, _ step: Int) -> Int {
        Int(truncatingIfNeeded: mark >> 58 &+ UInt64(step)) & (Self.size - 1)
    }
}
