/// An error for a filter that names something that does not exist.
struct UnknownSelection: Error, Sendable, Hashable, CustomStringConvertible {
    let kind: String
    let name: String
    let known: [String]

    var description: String { "there is no \(kind) '\(name)'; there are: \(known.joined(separator: ", "))" }
}
