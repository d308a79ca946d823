extension Findings {
    /// Adds a violation unless the operation throws an error for which `isExpected` holds.
    ///
    /// - Parameter expected: names the error in the violation: "the error of an invalid cursor".
    /// - Returns: the error if it is the expected one; otherwise nil.
    @discardableResult
    public mutating func expectError<Value>(
        _ expected: String,
        _ what: String,
        where isExpected: (any Error) -> Bool,
        _ operation: () async throws -> Value
    ) async -> (any Error)? {
        do {
            let value = try await operation()
            add("\(what): expected \(expected), got the result \(value)")
        } catch {
            if isExpected(error) { return error }
            add("\(what): expected \(expected), got \(error)")
        }
        return nil
    }
}
