import Cofferdam

/// How a cursor shows which side gave it out, so that a walk ends where it began.
///
/// The legacy side's cursors stay as they are, so those that an app has kept from before the upgrade go on, and the mark costs
/// nothing until the candidate answers. Only one that looks as if it were marked is marked too.
enum CursorMark {
    static func side(of cursor: String) -> Side {
        mayBeMarked(cursor) && cursor.hasPrefix(mark(.candidate)) ? .candidate : .legacy
    }

    /// The cursor as its side gave it; nil if it is that already.
    static func unmarked(_ cursor: String) -> String? {
        guard mayBeMarked(cursor) else { return nil }
        for side in Side.allCases where cursor.hasPrefix(mark(side)) {
            return String(cursor.dropFirst(mark(side).count))
        }
        return nil
    }

    /// The cursor with its side's mark; nil if it needs none.
    static func marked(_ cursor: String, of side: Side) -> String? {
        if side == .legacy, unmarked(cursor) == nil { return nil }
        return mark(side) + cursor
    }

    /// Told by one byte: most cursors of the legacy side's are passed by without being read.
    static func mayBeMarked(_ cursor: borrowing String) -> Bool {
        let first = cursor.utf8.first
        return first == UInt8(ascii: "c") || first == UInt8(ascii: "l")
    }

    private static func mark(_ side: Side) -> String {
        switch side {
        case .legacy: "legacy:"
        case .candidate: "candidate:"
        }
    }
}
