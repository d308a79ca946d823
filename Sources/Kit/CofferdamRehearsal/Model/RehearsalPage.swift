/// A page that shows an upgrade while it is rehearsed, and lets people move it. `CofferdamServer` has one:
/// `RehearsalPage.controlPlane`.
public struct RehearsalPage: Sendable {
    /// What the person at the terminal needs to open the page, a line each: its address, and how to sign in.
    public let notes: [String]
    /// Ends the page and removes what was made for it.
    public let close: @Sendable () async -> Void

    /// - Parameters:
    ///   - notes: lines for the person at the terminal.
    ///   - close: called once, after the walk.
    public init(notes: [String], close: @escaping @Sendable () async -> Void) {
        self.notes = notes
        self.close = close
    }
}
