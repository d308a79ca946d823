/// An error of the rehearsal itself: it cannot be run as described.
struct TrafficProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
