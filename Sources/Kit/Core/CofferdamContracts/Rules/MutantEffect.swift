import Cofferdam

/// Records whether a mutant has misbehaved at all. A mutant that has not proves nothing (KIT-03).
public final class MutantEffect: Sendable {
    private let count = Mutex(0)

    init() {}

    /// Records that the mutant misbehaves. Call it where that happens.
    public func occurred() { count.withLock { $0 += 1 } }

    var hasOccurred: Bool { count.withLock { $0 } > 0 }
}
