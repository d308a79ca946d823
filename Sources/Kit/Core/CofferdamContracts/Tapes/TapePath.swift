/// The path of a value on a tape: "place.arguments.lines[0].article".
struct TapePath: Sendable, Hashable, CustomStringConvertible {
    private(set) var components: [String]

    init(_ components: [String] = []) { self.components = components }

    /// The root of all paths in one part of a call: its arguments, result, items or error.
    init(_ operation: String, _ part: String) {
        components = operation.split(separator: ".").map(String.init) + [part]
    }

    /// - Parameter key: a field's name, or an index as "[3]".
    func appending(_ key: String) -> TapePath { TapePath(components + [key]) }
    func appending(_ index: Int) -> TapePath { appending("[\(index)]") }
    func appending(_ path: TapePath) -> TapePath { TapePath(components + path.components) }

    init(_ codingPath: [any CodingKey]) {
        // A dictionary's key "12" has an integer value too, like an index.
        components = codingPath.map { key in
            key.intValue.flatMap { key.stringValue == "Index \($0)" ? "[\($0)]" : nil } ?? key.stringValue
        }
    }

    var description: String {
        components.reduce(into: "") { text, component in
            text += text.isEmpty || component.hasPrefix("[") ? component : "." + component
        }
    }
}

/// Selects fields by the end of their path: "password" selects every field of that name, "signIn.result.*.token" allows
/// any one component in between, "lines[*].article" allows any index.
struct TapePathPattern: Sendable, Hashable {
    let text: String
    private let components: [String]

    init(_ text: String) {
        self.text = text
        components = text.split(separator: ".").flatMap { part -> [String] in
            let names = part.split(separator: "[", omittingEmptySubsequences: false)
            return names.enumerated().compactMap { index, name in
                index > 0 ? "[" + name : name.isEmpty ? nil : String(name)
            }
        }
    }

    func matches(_ path: TapePath) -> Bool {
        guard !components.isEmpty, path.components.count >= components.count else { return false }
        return zip(path.components.suffix(components.count), components).allSatisfy { component, pattern in
            pattern == component || pattern == "*" || pattern == "[*]" && component.hasPrefix("[")
        }
    }
}
