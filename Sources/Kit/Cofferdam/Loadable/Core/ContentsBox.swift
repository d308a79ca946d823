/// Contents as they travel inside: one pointer whatever they are, so that code which does not know their type is fast too.
@usableFromInline
final class ContentsBox<Contents: Sendable>: Sendable {
    @usableFromInline let contents: Contents

    init(_ contents: Contents) { self.contents = contents }
}
