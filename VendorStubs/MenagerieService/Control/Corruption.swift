#if Sandbox
/// A corruption of a record. Fields are named as in the API: `id`, `name`, `kind`, `unit_price`, `unitPrice`.
public enum Corruption: Sendable, Hashable, Codable {
    case extraField
    case missing(String)
    case null(String)
    /// An empty text.
    case empty(String)
    case wrongType(String)
    /// A text that no version of the API defines.
    case unknownValue(String)
    /// The given text instead of the field's value.
    case text(String, in: String)

    private var field: String? {
        switch self {
        case .extraField: nil
        case .missing(let field), .null(let field), .empty(let field), .wrongType(let field), .unknownValue(let field),
            .text(_, let field):
            field
        }
    }

    /// Returns the corrupted record.
    func applied(to record: JSON) -> JSON {
        guard case .object(var members) = record else { return record }
        switch self {
        case .extraField: members["moonPhase"] = ["waxing": .bool(true)]
        case .missing(let field): members[field] = nil
        case .null(let field): members[field] = .null
        case .empty(let field): members[field] = ""
        case .unknownValue(let field): members[field] = "unheard-of"
        case .text(let text, let field): members[field] = .string(text)
        case .wrongType(let field):
            if case .string? = members[field] {
                members[field] = .integer(42)
            } else {
                members[field] = "not a number"
            }
        }
        return .object(members)
    }

    /// Returns the value with every object corrupted that has the field.
    func appliedThroughout(_ value: JSON) -> JSON {
        switch value {
        case .array(let elements):
            return .array(elements.map(appliedThroughout))
        case .object(let members):
            let inner = JSON.object(members.mapValues(appliedThroughout))
            guard let field else { return applied(to: inner) }
            return members[field] == nil ? inner : applied(to: inner)
        default:
            return value
        }
    }
}
#endif
