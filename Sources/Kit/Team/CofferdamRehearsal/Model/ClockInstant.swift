/// An instant of a clock that counts from its own start.
struct ClockInstant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> ClockInstant { ClockInstant(offset: offset + duration) }
    func duration(to other: ClockInstant) -> Duration { other.offset - offset }
    static func < (a: ClockInstant, b: ClockInstant) -> Bool { a.offset < b.offset }
}
