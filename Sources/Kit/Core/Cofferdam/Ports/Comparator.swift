/// Compares two values of the domain, one from each side, field by field.
///
///     let animals = Comparator<Animal>().field("name", \.name).field("legs", \.legs)
public struct Comparator<Value>: Sendable {
    private struct Field: Sendable {
        var differences: @Sendable (_ legacy: Value, _ candidate: Value, _ path: String) -> [FieldDifference]
        /// What may be shown of one side's value.
        var text: @Sendable (Value) -> String
    }

    private var fields: [Field] = []

    /// Creates a comparator that compares nothing yet.
    public init() {}

    /// Compares a field by `==`, and shows it as text. Two NaNs are equal here, wherever they are in the field.
    public func field<Field: Equatable & SendableMetatype>(
        _ path: String,
        _ get: @escaping @Sendable (Value) -> Field,
        text: @escaping @Sendable (Field) -> String = { String(describing: $0) }
    ) -> Self {
        field(path, get, text: text, isSame: isEqualWithNaN)
    }

    /// Compares a field within a tolerance, and shows it as text.
    ///
    /// - Parameter isSame: whether the legacy value and the candidate's are close enough.
    public func field<Field>(
        _ path: String,
        _ get: @escaping @Sendable (Value) -> Field,
        text: @escaping @Sendable (Field) -> String = { String(describing: $0) },
        isSame: @escaping @Sendable (_ legacy: Field, _ candidate: Field) -> Bool
    ) -> Self {
        adding {
            "\(path): \(text(get($0)))"
        } differences: { legacy, candidate, outer in
            let (legacy, candidate) = (get(legacy), get(candidate))
            guard !isSame(legacy, candidate) else { return [] }
            return [
                FieldDifference(path: join(outer, path), texts: (text(legacy), text(candidate)), of: legacy, candidate)
            ]
        }
    }

    /// Compares a field by `==`, with NaNs equal, without showing its values: for secrets and personal data. The texts are
    /// `redacted`.
    public func redactedField<Field: Equatable & SendableMetatype>(
        _ path: String,
        _ get: @escaping @Sendable (Value) -> Field
    ) -> Self {
        field(path, get, text: { _ in Difference.redacted })
    }

    /// Compares a part of the value by its own fields.
    public func part<Part>(
        _ path: String,
        _ get: @escaping @Sendable (Value) -> Part,
        _ comparator: Comparator<Part>
    ) -> Self {
        adding {
            "\(path): (\(comparator.whole(get($0))))"
        } differences: { legacy, candidate, outer in
            comparator.differences(legacy: get(legacy), candidate: get(candidate), at: join(outer, path))
        }
    }

    /// Compares a list element by element, by index: "lines[1].quantity". If one list is longer, "lines[2]" is on one
    /// side alone, with the texts of the fields that are compared.
    public func list<Element>(
        _ path: String,
        _ get: @escaping @Sendable (Value) -> [Element],
        _ comparator: Comparator<Element>
    ) -> Self {
        adding { value in
            "\(path): [\(get(value).map { "(\(comparator.whole($0)))" }.joined(separator: ", "))]"
        } differences: { legacy, candidate, outer in
            let (legacy, candidate) = (get(legacy), get(candidate))
            return (0..<max(legacy.count, candidate.count)).flatMap { index in
                let path = join(outer, "\(path)[\(index)]")
                if index < legacy.count, index < candidate.count {
                    return comparator.differences(legacy: legacy[index], candidate: candidate[index], at: path)
                }
                return [
                    FieldDifference(
                        path: path,
                        legacy: index < legacy.count ? comparator.whole(legacy[index]) : nil,
                        candidate: index < candidate.count ? comparator.whole(candidate[index]) : nil
                    )
                ]
            }
        }
    }

    /// Compares the results of `align`: for values that may differ in order, or where one side returns more.
    public func aligned<Part>(
        _ comparator: Comparator<Part>,
        by align: @escaping @Sendable (_ legacy: Value, _ candidate: Value) -> (legacy: Part, candidate: Part)
    ) -> Self {
        adding {
            comparator.whole(align($0, $0).legacy)
        } differences: { legacy, candidate, outer in
            let (legacy, candidate) = align(legacy, candidate)
            return comparator.differences(legacy: legacy, candidate: candidate, at: outer)
        }
    }

    /// The differences between the two values of a subject, in the order of the fields.
    package func differences(legacy: Value, candidate: Value, subject: String) -> [Difference] {
        differences(legacy: legacy, candidate: candidate, at: "").map {
            Difference(subject: subject, path: $0.path, legacy: $0.legacy, candidate: $0.candidate)
        }
    }

    /// The texts of the fields that are compared. Of the others, nothing is shown.
    func whole(_ value: Value) -> String {
        fields.isEmpty ? Difference.present : fields.map { $0.text(value) }.joined(separator: ", ")
    }

    fileprivate func differences(legacy: Value, candidate: Value, at path: String) -> [FieldDifference] {
        fields.flatMap { $0.differences(legacy, candidate, path) }
    }

    private func adding(
        _ text: @escaping @Sendable (Value) -> String,
        differences: @escaping @Sendable (_ legacy: Value, _ candidate: Value, _ path: String) -> [FieldDifference]
    ) -> Self {
        var comparator = self
        comparator.fields.append(Field(differences: differences, text: text))
        return comparator
    }
}

/// A difference in a value whose subject is not known yet.
private struct FieldDifference {
    var path: String
    var legacy: String?
    var candidate: String?
}

extension FieldDifference {
    /// If both values have the same text, the texts say how they differ: by type, if they do, without showing more of the
    /// values than their texts do.
    init<Field>(path: String, texts: (legacy: String, candidate: String), of legacy: Field, _ candidate: Field) {
        self.init(path: path, legacy: texts.legacy, candidate: texts.candidate)
        guard texts.legacy == texts.candidate, texts.legacy != Difference.redacted else { return }
        let (one, other) = (dynamicType(of: legacy), dynamicType(of: candidate))
        self.legacy? += one == other ? "" : " (\(one))"
        self.candidate? += one == other ? " (prints the same, but is not equal)" : " (\(other))"
    }
}

private func dynamicType(of value: Any) -> String {
    String(describing: type(of: (value as? AnyHashable)?.base ?? value))
}

private func join(_ outer: String, _ path: String) -> String { outer.isEmpty ? path : "\(outer).\(path)" }

extension Comparator {
    /// Compares two lists by the keys of their elements, in any order. The differences are in the order of the legacy
    /// list, followed by those of elements that only the candidate has.
    ///
    /// An element that one side lacks is a difference at the path ``Difference/presence``, with the texts of the fields
    /// that are compared. If a key occurs more than once, the first is compared with the first, the second with the second, and what is left over is lacking on the
    /// other side.
    public func differences<Key: Hashable>(
        legacy: [Value],
        candidate: [Value],
        key: (Value) -> Key,
        subject: (Value) -> String
    ) -> [Difference] {
        let legacyByKey = Dictionary(grouping: legacy, by: key)
        let candidateByKey = Dictionary(grouping: candidate, by: key)
        var seen: Set<Key> = []
        return (legacy + candidate).flatMap { value -> [Difference] in
            let key = key(value)
            guard seen.insert(key).inserted else { return [] }
            let (old, new) = (legacyByKey[key] ?? [], candidateByKey[key] ?? [])
            return (0..<max(old.count, new.count)).flatMap { index in
                difference(
                    index < old.count ? old[index] : nil,
                    index < new.count ? new[index] : nil,
                    subject: subject(value)
                )
            }
        }
    }

    private func difference(_ legacy: Value?, _ candidate: Value?, subject: String) -> [Difference] {
        if let legacy, let candidate { return differences(legacy: legacy, candidate: candidate, subject: subject) }
        return [
            Difference(
                subject: subject,
                path: Difference.presence,
                legacy: legacy.map(whole),
                candidate: candidate.map(whole)
            )
        ]
    }
}

/// A difference between the two sides' values of one subject.
public struct Difference: Sendable, Hashable, Codable {
    /// The subject: an id.
    public var subject: String
    /// The place in it: "legs", "lines[1].unitPrice".
    public var path: String
    /// The legacy value as text; nil if there is none.
    public var legacy: String?
    /// The candidate's value as text; nil if there is none.
    public var candidate: String?

    /// Creates a difference.
    public init(subject: String, path: String, legacy: String?, candidate: String?) {
        self.subject = subject
        self.path = path
        self.legacy = legacy
        self.candidate = candidate
    }

    /// The path of a subject that one side lacks as a whole.
    public static let presence = "(presence)"
    /// The text of a value that is not shown.
    package static let redacted = "(redacted)"
    /// The text of a value of which nothing is compared.
    static let present = "(present)"
}

extension Difference: CustomStringConvertible {
    /// Subject, path and the two sides' values, for people.
    public var description: String { "\(subject) \(path): \(legacy ?? "nothing") → \(candidate ?? "nothing")" }
}
