/// Contents as they travel inside: one pointer whatever they are, so that code which does not know their type is fast too.
@usableFromInline
// Proof: one immutable value that is Sendable.
final class ContentsBox<Contents: Sendable>: ErasedContents, @unchecked Sendable {
    @usableFromInline let contents: Contents

    @inlinable
    init(_ contents: Contents) {
        self.contents = contents
        super.init()
    }

    /// Proof: a `Loadable<Contents>` keeps nothing but boxes of its own contents, and hands them to nobody but its own
    /// snapshots and callers. A debug build checks it.
    @inlinable
    static func of(_ erased: ErasedContents) -> ContentsBox { unsafeDowncast(erased, to: ContentsBox.self) }
}

/// A box without its type. What a loadable guards is made of these, and so is no generic type: code that is generic, and
/// compiled elsewhere, would look up the metadata of such a type at every step, which costs more than the step.
@usableFromInline
// Proof: the only subclass is ContentsBox.
class ErasedContents: @unchecked Sendable {
    @inlinable
    init() {}
}
