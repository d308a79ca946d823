#if Sandbox
import Cofferdam
import CofferdamUpgrade
import SanctuaryDomain
import SanctuaryHarness

/// One side's answer to a call: values or an error.
typealias DriftAnswer = Result<any Sendable, DriftFailure>

/// An error reduced to what both sides can share: its code or type.
struct DriftFailure: Error, Equatable {
    let text: String

    init(_ error: any Error) {
        let code = (error as? SanctuaryError)?.code.rawValue
        text = code.map { "error: \($0)" } ?? "error: \(type(of: error))"
    }
}

/// One call that is made through both sides, and the comparison of its answers.
struct DriftCall: Sendable {
    let name: String
    let ask: @Sendable (SanctuaryServices) async -> DriftAnswer
    var compare: @Sendable (DriftAnswer?, DriftAnswer?) -> (compared: Int, differences: [Difference])

    /// - Parameters:
    ///   - isRefused: whether both sides must refuse the call with the same error. Otherwise any error is a difference.
    ///   - key: matches the values of both sides.
    init<Value: Sendable>(
        _ name: String,
        _ comparator: Comparator<Value>,
        isRefused: Bool = false,
        key: @escaping @Sendable (Value) -> String,
        _ call: @escaping @Sendable (SanctuaryServices) async throws -> [Value]
    ) {
        self.name = name
        ask = { services in
            do { return .success(try await call(services)) } catch { return .failure(DriftFailure(error)) }
        }
        compare = { legacy, candidate in
            let sides = [legacy, candidate].map { answer -> (values: [Value]?, text: String) in
                switch answer {
                case .success(let values): (values as? [Value], "an answer")
                case .failure(let failure): (nil, failure.text)
                case nil: (nil, "not asked")
                }
            }
            guard let old = sides[0].values, let new = sides[1].values else {
                guard !isRefused || sides[0].text != sides[1].text else { return (1, []) }
                return (1, [Difference(subject: name, path: "(call)", legacy: sides[0].text, candidate: sides[1].text)])
            }
            let differences = comparator.differences(legacy: old, candidate: new, key: key, subject: key)
            return (max(old.count, new.count), differences)
        }
    }
}
#endif
