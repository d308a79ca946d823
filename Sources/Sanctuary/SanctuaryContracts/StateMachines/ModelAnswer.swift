import CofferdamContracts
import SanctuaryDomain

/// A port's answer, without the values that the vendor chooses.
enum ModelAnswer: Sendable, Hashable, CustomStringConvertible {
    case done
    /// The command does not apply to the current state.
    case nothing
    case texts([String])
    case failed(SanctuaryError.Code)

    init(_ body: () async throws -> ModelAnswer) async throws {
        do {
            self = try await body()
        } catch let error as SanctuaryError {
            self = .failed(error.code)
        }
    }

    var description: String {
        switch self {
        case .done: "done"
        case .nothing: "nothing"
        case .texts(let texts): "\(texts)"
        case .failed(let code): "\(code)"
        }
    }
}

extension SanctuarySubject {
    /// Runs the body while the vendor answers the operation with this status.
    func answering(
        _ operation: SanctuaryOperation,
        with status: Int,
        _ body: () async throws -> ModelAnswer
    ) async throws -> ModelAnswer {
        // More often than the vendor's SDK retries.
        try await probe.inject(.status(status), on: operation, times: 10)
        let answer = try await ModelAnswer(body)
        try await probe.clearFaults()
        return answer
    }
}

extension Array {
    /// The element at `number` modulo the count; nil if there are no elements.
    func at(_ number: Int) -> Element? { isEmpty ? nil : self[number % count] }
}
