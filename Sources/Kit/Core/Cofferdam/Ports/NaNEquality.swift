/// Whether two values are equal if NaN equals NaN. By IEEE 754, `==` says that a NaN differs from every value, itself
/// included; two sides that both answer "not a number" have given the same answer.
///
/// NaNs count in properties, optionals, arrays, tuples and payloads too, but not in sets and dictionaries, which have no
/// order, nor in objects, which may refer to themselves.
func isEqualWithNaN<Value: Equatable>(_ one: Value, _ other: Value) -> Bool {
    var hasNaN = false
    return hasSameParts(one, other, &hasNaN)
}

/// - Parameter hasNaN: set if NaNs were taken for equal.
private func hasSameParts(_ one: Any, _ other: Any, _ hasNaN: inout Bool) -> Bool {
    guard type(of: one) == type(of: other) else { return false }
    let equatable = one as? any Equatable
    if let equatable, isSame(equatable, other) { return true }
    if let one = one as? any FloatingPoint {
        guard one.isNaN, (other as? any FloatingPoint)?.isNaN == true else { return false }
        hasNaN = true
        return true
    }
    let (parts, others) = (Mirror(reflecting: one), Mirror(reflecting: other))
    switch parts.displayStyle {
    case .set, .dictionary, .class, nil: return false
    default: break
    }
    guard !parts.children.isEmpty, parts.children.count == others.children.count else { return false }
    var partHasNaN = false
    for (part, other) in zip(parts.children, others.children) {
        guard part.label == other.label, hasSameParts(part.value, other.value, &partHasNaN) else { return false }
    }
    // Only a NaN explains why `==` said no: a mirror need not show everything, and `==` may have its own rules.
    guard partHasNaN || equatable == nil else { return false }
    if partHasNaN { hasNaN = true }
    return true
}

private func isSame<Value: Equatable>(_ one: Value, _ other: Any) -> Bool { (other as? Value) == one }
