/// How a walk carries its side: in the cursor that a page gives and the next request brings back, so that it ends where it
/// began, whatever the stage has become meanwhile.
///
/// A cursor is given out with its side before it, and brought to that side without. One that bears no side is no cursor of a
/// router's: it goes, as it is, to the side that answers, which knows what to say of it.
public struct CarriedSide<Input: Sendable, Output: Sendable>: Sendable {
    /// The cursor of a request; nil for the first page.
    public let cursor: any WritableKeyPath<Input, String?> & Sendable
    /// The cursor to the next page; nil on the last one.
    public let next: any WritableKeyPath<Output, String?> & Sendable
    /// The port's error for a cursor of a side that is no longer open.
    public let invalid: @Sendable (_ cursor: String) -> any Error

    public init(
        cursor: any WritableKeyPath<Input, String?> & Sendable,
        next: any WritableKeyPath<Output, String?> & Sendable,
        invalid: @escaping @Sendable (_ cursor: String) -> any Error
    ) {
        self.cursor = cursor
        self.next = next
        self.invalid = invalid
    }

    /// Takes the side off the request's cursor; nil if there is none.
    func take(from input: inout Input) -> Side? {
        guard let text = input[keyPath: cursor] else { return nil }
        for side in Side.allCases where text.hasPrefix(Self.mark(side)) {
            input[keyPath: cursor] = String(text.dropFirst(Self.mark(side).count))
            return side
        }
        return nil
    }

    /// Puts the side that answered before the next cursor.
    func give(_ side: Side, to output: inout Output) {
        guard let text = output[keyPath: next] else { return }
        output[keyPath: next] = Self.mark(side) + text
    }

    private static func mark(_ side: Side) -> String { "\(side.rawValue):" }
}
