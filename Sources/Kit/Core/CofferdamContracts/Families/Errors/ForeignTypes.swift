/// Returns the names of the types within a value that belong neither to these modules nor to the language.
///
/// The compiler cannot see a vendor's value inside an `any Error` or an `Any`.
func foreignTypes(in value: Any, beside modules: Set<String>) -> [String] {
    var found: [String] = []
    var pending = [value]
    while let value = pending.popLast() {
        let name = String(reflecting: type(of: value))
        let module = name.split(separator: ".").first.map(String.init) ?? name
        let mirror = Mirror(reflecting: value)
        if module != "Swift" && !modules.contains(module) && mirror.displayStyle != .tuple { found.append(name) }
        // A standard type contains foreign values only as the payload of a collection or an optional.
        if module == "Swift" && mirror.displayStyle == .struct { continue }
        var layer: Mirror? = mirror
        while let current = layer {
            pending += current.children.map(\.value)
            layer = current.superclassMirror
        }
    }
    return found
}
