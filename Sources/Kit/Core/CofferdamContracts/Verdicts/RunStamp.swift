/// Where and when a run was made (KIT-08). The caller provides all of it; the kit reads no clock and no machine.
package struct RunStamp: Sendable, Hashable, Codable {
    /// The hash of what the adapters were seeded with.
    package var fixtures: String
    /// "Debian GNU/Linux 12, x86_64".
    var os: String
    /// "Swift 6.3.1".
    var toolchain: String
    package var date: CalendarDay

    package init(fixtures: String, os: String, toolchain: String, date: CalendarDay) {
        self.fixtures = fixtures
        self.os = os
        self.toolchain = toolchain
        self.date = date
    }
}
