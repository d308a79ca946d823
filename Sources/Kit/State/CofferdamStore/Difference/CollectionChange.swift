/// How a collection changed.
public enum CollectionChange: Sendable, Hashable {
    /// Everything may have changed: in the first event, after a whole new list unless it was set in steps, and after a pause.
    case reset
    /// Steps to apply one after the other; each index is one of the list after the steps before it.
    case steps([Step])

    /// One step of a change.
    public enum Step: Sendable, Hashable {
        case insert(at: Int)
        case update(at: Int)
        case remove(at: Int)
    }
}
