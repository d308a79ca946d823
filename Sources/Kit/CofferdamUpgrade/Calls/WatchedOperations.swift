import struct Synchronization.Atomic

/// The operations whose first call of a session was told to the evidence, so that the next ones may go directly.
///
/// A small table that is read without a lock. What finds no place in it is told again, which costs time alone: a unit counts once
/// for an operation however often it is told.
final class WatchedOperations: Sendable {
    static let size = 64
    static let mostSteps = 16

    /// Proof that it may be shared: every slot is atomic, and the memory is this object's until its end.
    nonisolated(unsafe) let slots: UnsafeMutablePointer<Atomic<UInt64>>

    init() {
        slots = .allocate(capacity: Self.size)
        for place in 0..<Self.size { (slots + place).initialize(to: Atomic(0)) }
    }

    deinit {
        slots.deinitialize(count: Self.size)
        slots.deallocate()
    }

    /// The mark of an operation under one decision of its session.
    ///
    /// - Parameters:
    ///   - operation: the hash of its name.
    ///   - session: tells the route's sessions apart.
    static func mark(_ operation: UInt64, _ generation: UInt64, session: UInt64) -> UInt64 {
        let hash = operation ^ (generation &* 0x9E37_79B9_7F4A_7C15) ^ (session &* 0xD1B5_4A32_D192_ED03)
        // The last byte of a name has reached the lowest bits and some in the middle alone: spread over all of them, by a step of
        // SplitMix64. 0 is an empty slot.
        return (hash ^ hash >> 29) &* 0xBF58_476D_1CE4_E5B9 | 1
    }

    func contains(_ mark: UInt64) -> Bool {
        for step in 0..<Self.mostSteps {
            let found = slots[place(mark, step)].load(ordering: .relaxed)
            if found == mark { return true }
            if found == 0 { return false }
        }
        return false
    }

    /// - Returns: whether it was not there.
    func insert(_ mark: UInt64) -> Bool {
        for step in 0..<Self.mostSteps {
            let slot = slots + place(mark, step)
            let (isNew, before) = slot.pointee.compareExchange(expected: 0, desired: mark, ordering: .relaxed)
            if isNew { return true }
            if before == mark { return false }
        }
        // Marks of decisions that hold no longer are in the way.
        slots[place(mark, 0)].store(mark, ordering: .relaxed)
        return true
    }

    func place(_ mark: UInt64, _ step: Int) -> Int {
        Int(truncatingIfNeeded: mark >> 58 &+ UInt64(step)) & (Self.size - 1)
    }
}
