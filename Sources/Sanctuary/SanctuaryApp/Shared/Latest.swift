import Cofferdam
import CofferdamState
import SanctuaryDomain

/// The newest value available after asking the vendor, and, if it is old, the reason.
public struct Latest<Value: Sendable>: Sendable {
    public var value: Value
    /// The error that prevented a new value; nil if the value is new.
    public var error: (any Error)?
    /// The age of an old value, if known.
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
    /// Loads the contents; if that fails, returns those loaded before, in this launch or an earlier one.
    ///
    /// - Throws: the error of the load, if there are no older contents, or if the error means that the user may not see
    ///   them.
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
    /// Whether older contents may be shown despite the error.
    var leavesOldVisible: Bool {
        switch self {
        case is CancellationError: false
        case let error as SanctuaryError:
            ![.authenticationRequired, .forbidden, .notFound, .closed].contains(error.code)
        default: true
        }
    }
}
