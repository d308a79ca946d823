import CofferdamContracts
import SanctuaryDomain

extension Findings {
    /// The operation throws a ``SanctuaryError`` of this code.
    ///
    /// - Returns: the error, whatever its code, if it is one.
    @discardableResult
    mutating func expectError<Value>(
        _ code: SanctuaryError.Code,
        _ what: String,
        _ operation: () async throws -> Value
    ) async -> SanctuaryError? {
        do {
            let value = try await operation()
            add("\(what): expected \(code), got the result \(value)")
        } catch let error as SanctuaryError {
            expect(error.code == code, "\(what): expected \(code), got \(error)")
            return error
        } catch {
            add("\(what): expected \(code), got \(type(of: error)): \(error)")
        }
        return nil
    }
}
