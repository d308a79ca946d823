/// Whether two values are equal if NaN equals NaN. By IEEE 754, `==` says that a NaN differs from every value, itself
/// included; two sides that both answer "not a number" have given the same answer.
///
/// NaNs count in properties, optionals, arrays, tuples and payloads too, but not as elements of sets or keys of
/// dictionaries, which have no order.
func isEqualWithNaN<Value: Equatable>(_ one: Value, _ other: Value) -> Bool {
    if one == other { return true }
    // Where no NaN is found, `==` has the last word, even if all parts are the same.
    var hasNaN = false
    return hasSameParts(one, other, &hasNaN) && hasNaN
}

private func hasSameParts(_ one: Any, _ other: Any, _ hasNaN: inout Bool) -> Bool {
    guard type(of: one) == type(of: other) else { return false }
    if let one = one as? any FloatingPoint { return isSameNumber(one, other, &hasNaN) }
    let (parts, others) = (Mirror(reflecting: one), Mirror(reflecting: other))
    guard parts.displayStyle != .set, parts.displayStyle != .dictionary, !parts.children.isEmpty else {
        guard let one = one as? any Equatable else { return false }
        return isSame(one, other)
    }
    guard parts.children.count == others.children.count else { return false }
    for (part, other) in zip(parts.children, others.children) {
        guard part.label == other.label, hasSameParts(part.value, other.value, &hasNaN) else { return false }
    }
    return true
}

private func isSameNumber<Number: FloatingPoint>(_ one: Number, _ other: Any, _ hasNaN: inout Bool) -> Bool {
    guard let other = other as? Number else { return false }
    if one.isNaN, other.isNaN { hasNaN = true }
    return one == other || one.isNaN && other.isNaN
}

private func isSame<Value: Equatable>(_ one: Value, _ other: Any) -> Bool { (other as? Value) == one }
