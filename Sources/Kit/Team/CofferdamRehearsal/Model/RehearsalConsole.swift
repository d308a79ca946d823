/// A console that shows an upgrade while it is rehearsed, and lets people move it: `RehearsalConsole.controlPlane` of
/// `CofferdamServer`.
public struct RehearsalConsole: Sendable {
    /// Starts the console's page on loopback, at a port, or at any free one if that is 0.
    package let start: @Sendable (_ rehearsal: OngoingRehearsal, _ port: Int) async throws -> Page

    /// Starts a drill, up to its alert.
    package let drill: @Sendable (Drill.Setting) async throws -> Drill

    package init(
        _ start: @escaping @Sendable (_ rehearsal: OngoingRehearsal, _ port: Int) async throws -> Page,
        drill: @escaping @Sendable (Drill.Setting) async throws -> Drill
    ) {
        (self.start, self.drill) = (start, drill)
    }

    package struct Page: Sendable {
        /// What the person at the terminal needs to open the page, a line each: its address, and how to sign in.
        package let notes: [String]
        /// Ends the page and removes what was made for it; called once, after the walk.
        package let close: @Sendable () async -> Void

        package init(notes: [String], close: @escaping @Sendable () async -> Void) {
            self.notes = notes
            self.close = close
        }
    }
}
