import CofferdamContracts
import SanctuaryDomain

/// ERR: what goes wrong, and what the port says of it.
enum ErrorRules {
    static let all: [Rule<SanctuarySubject>] = [onlyPortErrors, statuses, sameFaultSameError]

    private static let onlyPortErrors = Rule<SanctuarySubject>(
        "ERR-01",
        "Whatever goes wrong at the vendor is one error of the port; nothing of the vendor's passes",
        bound: .seconds(20)
    ) { subject, _ in
        var findings = Findings()
        let targets = try await prepare(subject)
        for expectation in FaultExpectation.statuses + FaultExpectation.faultTable {
            for target in targets where target.bears(expectation.fault) {
                guard let error = try await target.error(of: expectation.fault, subject.probe) else {
                    findings.add("\(expectation.fault) on \(target.operation): no error")
                    continue
                }
                let what = "\(expectation.fault) on \(target.operation)"
                if !(error is CancellationError) {
                    findings.expect(error is SanctuaryError, "\(what): \(type(of: error)) passes the port")
                }
                let foreign = foreignTypes(in: error)
                findings.expect(foreign.isEmpty, "\(what): the error holds \(foreign.joined(separator: ", "))")
                if (error as? SanctuaryError)?.code == .unknown, expectation.fault == .status(999) {
                    findings.expect("\(error)".contains("999"), "\(what): the error does not say which: \(error)")
                }
            }
        }
        return findings.violations
    }

    private static let statuses = Rule<SanctuarySubject>(
        "ERR-02",
        "Each status is one category: 400 401 403 404 409 412 422 429 500 502 503 504 and 999",
        bound: .seconds(20)
    ) { subject, _ in
        try await held(subject, against: FaultExpectation.statuses)
    }

    private static let sameFaultSameError = Rule<SanctuarySubject>(
        "ERR-04",
        "The same fault is the same category on every adapter, with the same answer to whether a retry can help",
        bound: .seconds(20)
    ) { subject, _ in
        try await held(subject, against: FaultExpectation.faultTable)
    }

    private static func held(
        _ subject: SanctuarySubject,
        against table: [FaultExpectation]
    ) async throws -> [Violation] {
        var findings = Findings()
        let targets = try await prepare(subject)
        for expectation in table {
            for target in targets where target.bears(expectation.fault) {
                let what = "\(expectation.fault) on \(target.operation)"
                let error = await findings.expectError(expectation.code, what) {
                    if let error = try await target.error(of: expectation.fault, subject.probe) { throw error }
                }
                guard let error else { continue }
                findings.expectEqual(error.isRetryable, expectation.isRetryable, "\(what): can a retry help")
                if case .status(_, .some(let delay)) = expectation.fault {
                    // A vendor that names a moment instead of a delay loses what has passed since.
                    let range = (delay - .seconds(3))...(delay + .seconds(1))
                    let told = error.retryAfter
                    findings.expect(
                        told.map(range.contains) ?? false,
                        "\(what): retry after \(told.map { "\($0)" } ?? "unsaid")"
                    )
                }
            }
        }
        return findings.violations
    }

    private static func prepare(_ subject: SanctuarySubject) async throws -> [FaultTarget] {
        try await subject.probe.reset(.empty)
        let id = try await subject.probe.addAnimal(AnimalFixture(name: "cat", group: "mammal", legs: 4, heads: 1))
        try await subject.signIn()
        let services = subject.services
        return [
            FaultTarget(operation: .animal) { _ = try await services.catalogue.animal(id) },
            FaultTarget(operation: .animals) { _ = try await services.catalogue.animals(PageRequest()) },
            FaultTarget(operation: .orders, needsUser: true) { _ = try await services.orders.orders(PageRequest()) },
        ]
    }
}

/// A call of the port that can be made to go wrong.
private struct FaultTarget: Sendable {
    let operation: SanctuaryOperation
    var needsUser = false
    let call: @Sendable () async throws -> Void

    /// Where a user is needed, 401 is not an error of the call but the beginning of a refresh (AUTH-01).
    func bears(_ fault: VendorFault) -> Bool { !(needsUser && fault == .status(401)) }

    /// The call's error while the fault lasts: for longer than a vendor's own retries, which are no business of ERR.
    func error(of fault: VendorFault, _ probe: any SanctuaryProbe) async throws -> (any Error)? {
        try await probe.inject(fault, on: operation, times: 10)
        var caught: (any Error)?
        do { try await call() } catch { caught = error }
        try await probe.clearFaults()
        return caught
    }
}

/// The names of types within the value that come neither from the language nor from the domain.
private func foreignTypes(in value: Any) -> [String] {
    var found: [String] = []
    var pending = [value]
    while let value = pending.popLast() {
        let name = String(reflecting: type(of: value))
        if !name.hasPrefix("Swift.") && !name.hasPrefix("SanctuaryDomain.") { found.append(name) }
        // A standard type holds nothing foreign but as the payload of a collection or an optional.
        let mirror = Mirror(reflecting: value)
        let isLeaf = name.hasPrefix("Swift.") && mirror.displayStyle == .struct
        if !isLeaf { pending += mirror.children.map(\.value) }
    }
    return found
}
