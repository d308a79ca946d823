/// Whether two values are equal if NaN equals NaN. By IEEE 754, `==` says that a NaN differs from every value, itself
/// included; two sides that both answer "not a number" have given the same answer.
///
/// NaNs count in properties, optionals, arrays, tuples and payloads too, but not as elements of sets or keys of
/// dictionaries, which have no order.
func isEqualWithNaN<Value: Equatable>(_ one: Value, _ other: Value) -> Bool {
    if one == other { return true }
    // Only a value with a NaN in it differs from itself; other values need no walk.
    guard one != one, other != other else { return false }
    return hasSameParts(one, other)
}

private func hasSameParts(_ one: Any, _ other: Any) -> Bool {
    guard type(of: one) == type(of: other) else { return false }
    if let one = one as? any FloatingPoint { return isSameNumber(one, other) }
    let (parts, others) = (Mirror(reflecting: one), Mirror(reflecting: other))
    guard parts.displayStyle != .set, parts.displayStyle != .dictionary, !parts.children.isEmpty else {
        guard let one = one as? any Equatable else { return false }
        return isSame(one, other)
    }
    return parts.children.count == others.children.count
        && zip(parts.children, others.children).allSatisfy { $0.label == $1.label && hasSameParts($0.value, $1.value) }
}

private func isSameNumber<Number: FloatingPoint>(_ one: Number, _ other: Any) -> Bool {
    guard let other = other as? Number else { return false }
    return one == other || one.isNaN && other.isNaN
}

private func isSame<Value: Equatable>(_ one: Value, _ other: Any) -> Bool { (other as? Value) == one }
