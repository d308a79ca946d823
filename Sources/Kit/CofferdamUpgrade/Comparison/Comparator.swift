/// Compares two values of the domain, one from each side, field by field.
///
///     let animals = Comparator<Animal>().field("name", \.name).field("legs", \.legs)
public struct Comparator<Value>: Sendable {
    private var fields: [@Sendable (_ legacy: Value, _ candidate: Value, _ path: String) -> [FieldDifference]] = []

    public init() {}

    /// Compares a field by `==`, and shows it as text.
    public func field<Field: Equatable & SendableMetatype>(
        _ path: String,
        _ get: @escaping @Sendable (Value) -> Field,
        text: @escaping @Sendable (Field) -> String = { String(describing: $0) }
    ) -> Self {
        adding { legacy, candidate, outer in
            let (legacy, candidate) = (get(legacy), get(candidate))
            guard legacy != candidate else { return [] }
            return [FieldDifference(path: join(outer, path), legacy: text(legacy), candidate: text(candidate))]
        }
    }

    /// Compares a part of the value by its own fields.
    public func part<Part>(
        _ path: String,
        _ get: @escaping @Sendable (Value) -> Part,
        _ comparator: Comparator<Part>
    ) -> Self {
        adding { legacy, candidate, outer in
            comparator.differences(legacy: get(legacy), candidate: get(candidate), at: join(outer, path))
        }
    }

    /// Compares a list element by element, by index: "lines[1].quantity". Where one list is longer, "lines[2]" is there on
    /// one side alone.
    public func list<Element>(
        _ path: String,
        _ get: @escaping @Sendable (Value) -> [Element],
        _ comparator: Comparator<Element>
    ) -> Self {
        adding { legacy, candidate, outer in
            let (legacy, candidate) = (get(legacy), get(candidate))
            return (0..<max(legacy.count, candidate.count)).flatMap { index in
                let path = join(outer, "\(path)[\(index)]")
                if index < legacy.count, index < candidate.count {
                    return comparator.differences(legacy: legacy[index], candidate: candidate[index], at: path)
                }
                return [
                    FieldDifference(
                        path: path,
                        legacy: index < legacy.count ? String(describing: legacy[index]) : nil,
                        candidate: index < candidate.count ? String(describing: candidate[index]) : nil
                    )
                ]
            }
        }
    }

    /// What differs between the two sides' values of one subject, in the order of the fields.
    public func differences(legacy: Value, candidate: Value, subject: String) -> [Difference] {
        differences(legacy: legacy, candidate: candidate, at: "").map {
            Difference(subject: subject, path: $0.path, legacy: $0.legacy, candidate: $0.candidate)
        }
    }

    fileprivate func differences(legacy: Value, candidate: Value, at path: String) -> [FieldDifference] {
        fields.flatMap { $0(legacy, candidate, path) }
    }

    private func adding(
        _ field: @escaping @Sendable (_ legacy: Value, _ candidate: Value, _ path: String) -> [FieldDifference]
    ) -> Self {
        var comparator = self
        comparator.fields.append(field)
        return comparator
    }
}

/// A difference of one value, before it is known whose.
private struct FieldDifference {
    var path: String
    var legacy: String?
    var candidate: String?
}

private func join(_ outer: String, _ path: String) -> String { outer.isEmpty ? path : "\(outer).\(path)" }
