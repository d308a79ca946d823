import Cofferdam

/// Marks cursors with the side that issued them, so that a walk through pages ends on the side where it began.
///
/// Cursors of the legacy side stay unmarked, so cursors that an app stored before the upgrade keep working and the
/// mark costs nothing until the candidate answers. Only a legacy cursor that looks like a marked one is marked too.
enum CursorMark {
    static func side(of cursor: String) -> Side {
        mayBeMarked(cursor) && cursor.hasPrefix(mark(.candidate)) ? .candidate : .legacy
    }

    /// Returns the cursor as its side issued it; nil if it has no mark.
    static func unmarked(_ cursor: String) -> String? {
        guard mayBeMarked(cursor) else { return nil }
        for side in Side.allCases where cursor.hasPrefix(mark(side)) {
            return String(cursor.dropFirst(mark(side).count))
        }
        return nil
    }

    /// Returns the cursor with the mark of its side; nil if it needs none.
    static func marked(_ cursor: String, of side: Side) -> String? {
        if side == .legacy, unmarked(cursor) == nil { return nil }
        return mark(side) + cursor
    }

    /// Returns whether the cursor may have a mark. Checks one byte, which rules out most legacy cursors.
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
