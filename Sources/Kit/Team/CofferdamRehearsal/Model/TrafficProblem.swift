/// An error of the rehearsal itself, which cannot run as described.
struct TrafficProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
