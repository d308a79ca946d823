#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ErrorOperation {
    /// ERR-01 to ERR-08 for each call, and ERR-06 for each stream.
    public var rules: [Rule<Subject>] {
        Rule.each(calls.map { ($0.name, rules(of: $0)) } + streams.map { ($0.name, [noSecrets($0)]) })
    }

    func rules(of call: FaultyCall<Subject>) -> [Rule<Subject>] {
        [
            onlyPortErrors(call), statusCategories(call), deadConnections(call), sameFaultSameError(call),
            htmlIsUnreadable(call), noSecrets(call), boundedRedirects(call), statedDelay(call),
        ]
    }

    private func onlyPortErrors(_ call: FaultyCall<Subject>) -> Rule<Subject> {
        Rule(
            "ERR-01",
            "Every vendor failure becomes one error of the port; no vendor error leaks",
            consults: [.http],
            bound: .seconds(20)
        ) { subject, context in
            var findings = Findings()
            try await prepare(subject)
            for fault in faults(of: call, context) {
                let what = "\(fault) on \(call.name)"
                guard let error = try await call.error(of: fault, subject, context) else {
                    findings.add("\(what): no error")
                    continue
                }
                findings.expect(read(error) != nil, "\(what): \(type(of: error)) is not an error of the port")
                let foreign = foreignTypes(in: error, beside: modules)
                findings.expect(foreign.isEmpty, "\(what): the error contains \(foreign.joined(separator: ", "))")
                if fault == .unknown {
                    let namesStatus = "\(error)".contains("999")
                    findings.expect(namesStatus, "\(what): the error does not say which status: \(error)")
                }
            }
            return findings.violations
        }
    }

    private func statusCategories(_ call: FaultyCall<Subject>) -> Rule<Subject> {
        Rule(
            "ERR-02",
            "Each status maps to one category: 400 401 403 404 409 412 422 429 500 502 503 504 and 999",
            requires: [.http],
            bound: .seconds(20)
        ) { subject, context in
            var findings = Findings()
            for status in Self.statuses where !statusTable.contains(where: { $0.fault == .status(status) }) {
                findings.add("the table has no category for status \(status)")
            }
            try await hold(call, of: subject, against: statusTable, context, &findings)
            return findings.violations
        }
    }

    private func deadConnections(_ call: FaultyCall<Subject>) -> Rule<Subject> {
        Rule(
            "ERR-03",
            "A connection that breaks or never opens fails promptly with the declared category",
            consults: [.http],
            consultedHarnessCapabilities: [.deadAddresses],
            bound: .seconds(5)
        ) { subject, context in
            var findings = Findings()
            try await prepare(subject)
            let broken = faultTable.filter(\.breaksConnection)
            findings.expect(!broken.isEmpty, "the table has no fault that breaks a connection")
            try await hold(call, of: subject, against: broken, context, &findings)
            guard !call.needsSession else { return findings.violations }
            guard let opening, let nowhere = opening.nowhere else {
                throw UnmetRequirements(harnessCapabilities: [.deadAddresses])
            }
            for address in DeadAddress.allCases {
                guard let expected = addressTable[address] else { continue }
                let other = try await context.within("\(address): an instance") { try await nowhere(subject, address) }
                let what = "\(address): \(call.name)"
                expect(try await call.error(on: other, what, context), expected, what, &findings)
                try await context.within("\(address): the end") { try await opening.close(other) }
            }
            let missing = DeadAddress.allCases.filter { addressTable[$0] == nil }
            if !missing.isEmpty {
                throw UnmetRequirements(harnessCapabilities: Set(missing.map { .deadAddress($0) }))
            }
            return findings.violations
        }
    }

    private func sameFaultSameError(_ call: FaultyCall<Subject>) -> Rule<Subject> {
        Rule(
            "ERR-04",
            "The same fault has the same category on every adapter, and the same answer to whether a retry can help",
            consults: [.http],
            bound: .seconds(20)
        ) { subject, context in
            var findings = Findings()
            try await hold(call, of: subject, against: faultTable, context, &findings)
            return findings.violations
        }
    }

    private func htmlIsUnreadable(_ call: FaultyCall<Subject>) -> Rule<Subject> {
        Rule(
            "ERR-05",
            "Status 200 with an HTML page is an unreadable answer: no empty result, no success",
            requires: [.http]
        ) { subject, context in
            var findings = Findings()
            try await hold(call, of: subject, against: [page], context, &findings)
            return findings.violations
        }
    }

    private func noSecrets(_ call: FaultyCall<Subject>) -> Rule<Subject> {
        Rule(
            "ERR-06",
            "No error text, log or attachment contains a credential, also a mistyped one, not even in base64, hex or percent-encoded",
            consults: [.http],
            harnessCapabilities: secrets == nil ? ["knownSecrets"] : [],
            bound: .seconds(20)
        ) { subject, context in
            var findings = Findings()
            try await prepare(subject)
            var printed: [(what: String, text: SearchedText)] = []
            for isMistyped in call.mistyped == nil ? [false] : [false, true] {
                let what = isMistyped ? "\(call.name) with a mistyped secret" : call.name
                for fault in faults(of: call, context) {
                    let error = try await call.error(of: fault, subject, context, isMistyped: isMistyped)
                    if let error { printed.append(("\(fault) on \(what): the error's text", texts(of: error))) }
                }
                guard isMistyped else { continue }
                if let error = try await call.error(on: subject, what, context, isMistyped: true) {
                    printed.append(("\(what): the error's text", texts(of: error)))
                } else {
                    findings.add("\(what): no error")
                }
            }
            printed += try await output(subject).map { ("the adapter's output", SearchedText(Array($0.utf8))) }
            // Read last, because the vendor knows some secrets only once they have been used.
            var secrets = try await secrets(of: subject)
            findings.expect(!secrets.isEmpty, "there is no secret to look for")
            if call.mistyped != nil { secrets.append(Secret(name: "mistyped", value: Secret.mistyped)) }
            for (what, text) in printed where secrets.contains(where: { $0.isFound(in: text) }) {
                findings.add("\(what) contains a secret")
            }
            return findings.violations
        }
    }

    private func boundedRedirects(_ call: FaultyCall<Subject>) -> Rule<Subject> {
        Rule("ERR-07", "A redirect loop ends promptly with an error of the port", requires: [.http]) {
            subject,
            context in
            var findings = Findings()
            try await prepare(subject)
            let before = try await call.arrivals(subject)
            let error = try await call.error(of: .redirectLoop, subject, context)
            let count = try await call.arrivals(subject) - before
            findings.expect(count <= maxRedirects, "\(call.name): \(count) calls reached the vendor")
            if let error {
                findings.expect(read(error) != nil, "\(call.name): \(type(of: error)) is not an error of the port")
            } else {
                findings.add("\(call.name): no error")
            }
            return findings.violations
        }
    }
}

extension ErrorOperation {
    private func statedDelay(_ call: FaultyCall<Subject>) -> Rule<Subject> {
        Rule(
            "ERR-08",
            "The port's error states how long the vendor asks to wait, for 429 and 503",
            requires: [.http]
        ) { subject, context in
            var findings = Findings()
            try await prepare(subject)
            let delay = Duration.seconds(7)
            // If the vendor names a moment instead of a delay, the time that has passed since is missing.
            let range = (delay - .seconds(3))...(delay + .seconds(1))
            for status in [429, 503] {
                let what = "\(status) on \(call.name)"
                guard let error = try await call.error(of: .status(status, retryAfter: delay), subject, context) else {
                    findings.add("\(what): no error")
                    continue
                }
                let stated = read(error)?.retryAfter
                findings.expect(
                    stated.map(range.contains) ?? false,
                    "\(what): the vendor asks to wait \(delay), the port says \(stated.map { "\($0)" } ?? "nothing")"
                )
            }
            return findings.violations
        }
    }

    /// How an HTML page instead of an answer must appear at the port.
    var page: FaultExpectation {
        faultTable.first { $0.fault == .html } ?? FaultExpectation(.html, decoding, isRetryable: false)
    }

    /// The faults that the call can have at this adapter's vendor.
    private func faults(of call: FaultyCall<Subject>, _ context: RuleContext) -> [VendorFault] {
        var seen: Set<VendorFault> = []
        return (statusTable + faultTable).map(\.fault).filter {
            call.supports($0) && context.supports($0) && seen.insert($0).inserted
        }
    }

    private func hold(
        _ call: FaultyCall<Subject>,
        of subject: Subject,
        against table: [FaultExpectation],
        _ context: RuleContext,
        _ findings: inout Findings
    ) async throws {
        try await prepare(subject)
        for expectation in table where call.supports(expectation.fault) && context.supports(expectation.fault) {
            let error = try await call.error(of: expectation.fault, subject, context)
            expect(error, expectation.failure(of: call.effect), "\(expectation.fault) on \(call.name)", &findings)
        }
    }

    private func expect(
        _ error: (any Error)?,
        _ expected: PortFailure,
        _ what: String,
        _ findings: inout Findings
    ) {
        guard let error else { return findings.add("\(what): expected \(expected.category), got no error") }
        guard let failure = read(error) else {
            return findings.add("\(what): expected \(expected.category), got \(type(of: error)): \(error)")
        }
        findings.expect(failure.category == expected.category, "\(what): expected \(expected.category), got \(error)")
        findings.expectEqual(failure.isRetryable, expected.isRetryable, "\(what): can a retry help")
    }

    func secrets(of subject: Subject) async throws -> [Secret] {
        let values = try await secrets?(subject) ?? []
        var seen: Set<String> = [""]
        return values.filter { seen.insert($0).inserted }.map { Secret(name: "credential", value: $0) }
    }

    /// Every text that may be printed for the error and for all that it is made of, such as its cause.
    private func texts(of error: any Error) -> SearchedText {
        var text = ""
        var pending: [Any] = [error]
        var seen: Set<ObjectIdentifier> = []
        while let value = pending.popLast() {
            // Objects may lead back to themselves.
            if type(of: value) is AnyClass, !seen.insert(ObjectIdentifier(value as AnyObject)).inserted { continue }
            print(value, String(reflecting: value), separator: "\n", to: &text)
            if let error = value as? any LocalizedError {
                for shown in [error.errorDescription, error.failureReason, error.recoverySuggestion, error.helpAnchor] {
                    if let shown { print(shown, to: &text) }
                }
            }
            var layer: Mirror? = Mirror(reflecting: value)
            while let mirror = layer {
                pending += mirror.children.map(\.value)
                layer = mirror.superclassMirror
            }
        }
        return SearchedText(Array(text.utf8))
    }
}

extension RuleContext {
    /// Whether the adapter's vendor can have this fault.
    func supports(_ fault: VendorFault) -> Bool { !fault.isHTTP || capabilities.contains(.http) }
}
