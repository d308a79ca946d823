/// How a collection has come from what it was before.
public enum CollectionChange: Sendable, Hashable {
    /// It is to be taken as a whole: the first event, a whole new list unless it was set in steps, or what has gathered in a
    /// pause.
    case reset
    /// Steps, each with the index at its turn.
    case steps([Step])

    /// One step of a change.
    public enum Step: Sendable, Hashable {
        case insert(at: Int)
        case update(at: Int)
        case remove(at: Int)
    }
}
