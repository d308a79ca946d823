import Cofferdam

/// Records whether a mutant has done the wrong thing at all: one that never got to it proves nothing (KIT-03).
public final class MutantEffect: Sendable {
    private let count = Mutex(0)

    public init() {}

    /// To be called by the mutant where it deviates.
    public func occurred() { count.withLock { $0 += 1 } }

    public var hasOccurred: Bool { count.withLock { $0 } > 0 }
}
