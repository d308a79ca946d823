import CofferdamContracts
import SanctuaryDomain

extension Findings {
    /// Expects the operation to throw a ``SanctuaryError`` with this code.
    ///
    /// - Returns: the ``SanctuaryError`` that was thrown, whatever its code; nil if there was none.
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
