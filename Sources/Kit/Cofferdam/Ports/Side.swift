/// One of the two adapters of a port: of the major that the app is on, or of the one that it moves to.
public enum Side: String, Sendable, Hashable, CaseIterable, Codable {
    case legacy, candidate
}
