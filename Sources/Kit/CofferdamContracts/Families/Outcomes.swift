extension Findings {
    /// The call was cancelled, and says so by `CancellationError` itself.
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

    /// Two answers of one call are the same, as far as they can be read.
    mutating func expectSame(_ actual: any Sendable, _ expected: any Sendable, _ what: String) {
        expectEqual("\(actual)", "\(expected)", what)
    }
}
