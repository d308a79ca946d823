import Cofferdam
import SanctuaryDomain

/// What there is to show after the vendor was asked, and, where it could not tell, why what is shown is old.
public struct Latest<Value: Sendable>: Sendable {
    public var value: Value
    /// Why the value is none that was told just now; nil if it is.
    public var error: (any Error)?
    /// How old an old value is, if that is known.
    public var age: Duration?

    public init(_ value: Value, error: (any Error)? = nil, age: Duration? = nil) {
        self.value = value
        self.error = error
        self.age = age
    }

    public func map<Target: Sendable>(_ transform: (Value) throws -> Target) rethrows -> Latest<Target> {
        Latest<Target>(try transform(value), error: error, age: age)
    }
}

extension Loadable {
    /// Loads; where that fails, what was loaded before, in this life of the app or in an earlier one.
    ///
    /// - Throws: the run's error if there is nothing old, or if it says that the reader may not see it (any more).
    func latest() async throws -> Latest<Contents> {
        do {
            return Latest(try await fetch())
        } catch {
            let snapshot = snapshot
            guard let contents = snapshot.contents, error.leavesOldVisible else { throw error }
            return Latest(contents, error: error, age: snapshot.age)
        }
    }
}

extension Error {
    /// Whether what was known before may be shown all the same.
    var leavesOldVisible: Bool {
        switch self {
        case is CancellationError: false
        case let error as SanctuaryError:
            ![.authenticationRequired, .forbidden, .notFound, .closed].contains(error.code)
        default: true
        }
    }
}
