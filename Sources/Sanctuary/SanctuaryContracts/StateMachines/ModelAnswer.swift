import CofferdamContracts
import SanctuaryDomain

/// What a port answers, without what the vendor chooses.
enum ModelAnswer: Sendable, Hashable, CustomStringConvertible {
    case done
    /// There is nothing that the command could mean.
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
    /// Carries out the body while the vendor answers that operation with that status.
    func answering(
        _ operation: SanctuaryOperation,
        with status: Int,
        _ body: () async throws -> ModelAnswer
    ) async throws -> ModelAnswer {
        // For longer than a vendor's own retries.
        try await probe.inject(.status(status), on: operation, times: 10)
        let answer = try await ModelAnswer(body)
        try await probe.clearFaults()
        return answer
    }
}

extension Array {
    /// The element of that number, counted round; nil if there is none.
    func at(_ number: Int) -> Element? { isEmpty ? nil : self[number % count] }
}
