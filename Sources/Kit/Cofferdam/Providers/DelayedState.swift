/// How far something is that is fetched when it is wanted.
public enum DelayedState<Value: Sendable>: Sendable {
    /// Nobody has started it, or it was stopped.
    case idle
    case loading(TransferProgress)
    case ready(Value)
    /// It failed; to start it again is to try again.
    case failed(any Error)

    /// Nil unless it is ready.
    public var value: Value? { if case .ready(let value) = self { value } else { nil } }

    /// Nil unless it failed.
    public var error: (any Error)? { if case .failed(let error) = self { error } else { nil } }

    /// Nil unless it is under way.
    public var progress: TransferProgress? { if case .loading(let progress) = self { progress } else { nil } }
}

/// How much of a transfer is done, in units that the transfer chooses, as bytes.
public struct TransferProgress: Sendable, Hashable {
    public var completed: Int64
    /// Nil while nobody knows.
    public var total: Int64?

    public init(completed: Int64 = 0, total: Int64? = nil) {
        self.completed = completed
        self.total = total
    }

    /// 0 to 1; nil while nobody knows the total.
    public var fraction: Double? {
        guard let total, total > 0 else { return nil }
        return min(1, max(0, Double(completed) / Double(total)))
    }
}
