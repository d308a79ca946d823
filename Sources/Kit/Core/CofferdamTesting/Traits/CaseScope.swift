/// What a test's traits provide to each of its cases: with `.tape(in:)`, a `TapeSession`.
public enum CaseScope {
    @TaskLocal private static var values: [ObjectIdentifier: any Sendable] = [:]

    /// Returns the value of that type: a `TapeSession`.
    ///
    /// - Throws: an error that says so if no trait provides one.
    public static func value<Value: Sendable>(_ type: Value.Type = Value.self) throws -> Value {
        guard let value = values[ObjectIdentifier(type)] as? Value else { throw NotInScope(type: "\(type)") }
        return value
    }

    static func with<Value: Sendable>(
        _ value: Value,
        _ operation: @concurrent @Sendable () async throws -> Void
    ) async throws {
        var all = values
        all[ObjectIdentifier(Value.self)] = value
        try await $values.withValue(all) { try await operation() }
    }
}

/// A test asked for a value that none of its traits provides.
package struct NotInScope: Error, Sendable, Hashable, CustomStringConvertible {
    let type: String

    /// The missing type, and what a trait does provide.
    package var description: String { "no trait of the test provides a \(type); .tape(in:) provides a TapeSession" }
}
