extension Findings {
    /// Adds a violation unless the call threw `CancellationError` itself.
    mutating func expectCancellation<Value>(_ result: Result<Value, any Error>, _ what: String) {
        switch result {
        case .failure(is CancellationError): break
        case .failure(let error): add("\(what): expected CancellationError, got \(type(of: error)): \(error)")
        case .success(let value): add("\(what): expected CancellationError, got \(value)")
        }
    }

    mutating func expectSuccess<Value>(of result: Result<Value, any Error>, _ what: String) {
        if case .failure(let error) = result { add("\(what): expected an answer, got \(error)") }
    }

    mutating func expectSuccess<Value>(_ what: String, _ operation: () async throws -> Value) async {
        do { _ = try await operation() } catch { add("\(what): expected an answer, got \(error)") }
    }

    /// Adds a violation unless two answers have the same description.
    mutating func expectSame(_ actual: any Sendable, _ expected: any Sendable, _ what: String) {
        expectEqual("\(actual)", "\(expected)", what)
    }
}
