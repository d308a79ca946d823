extension CreateOperation {
    /// MUT-01 and MUT-04 to MUT-08; MUT-05 only if there is a `contradiction`.
    public var rules: [Rule<Subject>] {
        let conflicting = contradiction.map { [conflict($0)] } ?? []
        return [visibleAtOnce, rejection] + conflicting + [noBlindRetry, outcomeUnknown, onlyContractFields]
    }

    private var visibleAtOnce: Rule<Subject> {
        Rule(
            "MUT-01",
            "A created entity can be read at once, by its id and in the list, exactly as it was returned"
        ) { subject, _ in
            var findings = Findings()
            try await prepare(subject)
            for draft in drafts(subject) {
                let created = try await call(subject, draft)
                findings.expect(shows(created, draft), "\(draft): \(call.name) returned \(created)")
                if let get {
                    do {
                        findings.expectEqual(try await get(subject, id(created)), created, get.name)
                    } catch {
                        findings.add("\(get.name): expected \(created), got \(error)")
                    }
                }
                let same = try await listed(subject).filter { "\(id($0))" == "\(id(created))" }
                findings.expectEqual(same, [created], list.name)
            }
            return findings.violations
        }
    }

    private var rejection: Rule<Subject> {
        Rule("MUT-04", "A rejected write throws an error that names the field, and changes nothing") { subject, _ in
            var findings = Findings()
            try await prepare(subject)
            if let first = drafts(subject).first { _ = try await call(subject, first) }
            let before = try await listed(subject)
            for (draft, field) in rejected(subject) {
                let error = await findings.expectError(
                    "a refusal",
                    "\(draft)",
                    where: { errors.rejectedField($0) != nil }
                ) { try await call(subject, draft) }
                if let named = error.flatMap(errors.rejectedField) {
                    findings.expect(named.contains(field), "\(draft): the error names \"\(named)\", not \(field)")
                }
                findings.expect(try await listed(subject), are: before, inOrder: false, "\(list.name) after \(draft)")
            }
            return findings.violations
        }
    }

    private func conflict(_ contradiction: @escaping @Sendable (Draft) -> Draft) -> Rule<Subject> {
        Rule("MUT-05", "An update based on an outdated version is a conflict, and changes nothing") {
            subject,
            _ in
            var findings = Findings()
            try await prepare(subject)
            for draft in drafts(subject) {
                _ = try await call(subject, draft)
                let before = try await listed(subject)
                let contradicting = contradiction(draft)
                await findings.expectError("a conflict", "\(contradicting)", where: errors.isConflict) {
                    try await call(subject, contradicting)
                }
                findings.expect(
                    try await listed(subject),
                    are: before,
                    inOrder: false,
                    "\(list.name) after the conflict"
                )
            }
            return findings.violations
        }
    }

    private var noBlindRetry: Rule<Subject> {
        Rule(
            "MUT-06",
            "A write with an unknown outcome is not repeated, unless every attempt carries the same key",
            consults: deduplicates.map { [$0] } ?? []
        ) { subject, context in
            var findings = Findings()
            guard var draft = drafts(subject).first else { return [Violation("there is no draft")] }
            for fault in [VendorFault.reset, .emptyReply, .truncated, .appliedThenReset] {
                // Each fault gets a new key: a repetition of a lost attempt may be treated differently.
                defer { draft = another(draft) }
                try await prepare(subject)
                let calls = try await vendor.calls(subject)
                try await vendor.inject(subject, fault, 1)
                do { _ = try await call(subject, draft) } catch { try Task.checkCancellation() }
                try await vendor.clearFaults(subject)
                let made = try await vendor.calls(subject) - calls
                findings.expect(made > 0, "\(fault): the vendor was not called")
                if !(deduplicates.map(context.capabilities.contains) ?? false) {
                    findings.expect(made <= 1, "\(fault): \(made) calls")
                }
                let count = try await listed(subject).count { shows($0, draft) }
                findings.expect(count <= 1, "\(fault): \(count) of it")
            }
            return findings.violations
        }
    }

    private var outcomeUnknown: Rule<Subject> {
        Rule(
            "MUT-07",
            "If a write succeeded but its answer was lost, the outcome is unknown or the entity is returned, and the list has it once"
        ) { subject, _ in
            var findings = Findings()
            try await prepare(subject)
            for draft in drafts(subject) {
                try await vendor.inject(subject, .appliedThenReset, 1)
                do {
                    let created = try await call(subject, draft)
                    findings.expect(shows(created, draft), "\(draft): \(call.name) returned \(created)")
                } catch {
                    findings.expect(errors.isOutcomeUnknown(error), "expected an unknown outcome, got \(error)")
                }
                try await vendor.clearFaults(subject)
                findings.expectEqual(
                    try await listed(subject).count { shows($0, draft) },
                    1,
                    "how often \(draft) is there"
                )
                guard isRepeatable else { continue }
                let repeated = try await call(subject, draft)
                findings.expect(shows(repeated, draft), "\(draft): \(call.name), repeated, returned \(repeated)")
                findings.expectEqual(try await listed(subject).count { shows($0, draft) }, 1, "\(draft) after a repeat")
            }
            return findings.violations
        }
    }

    private var onlyContractFields: Rule<Subject> {
        Rule("MUT-08", "A request contains exactly the fields that the vendor documents") { subject, _ in
            var findings = Findings()
            try await prepare(subject)
            for draft in drafts(subject) { _ = try await call(subject, draft) }
            findings.expect(try await vendor.calls(subject) > 0, "the vendor was not called")
            let stray = try await vendor.strayFields(subject, ())
            findings.expect(stray.isEmpty, "\(call.name) sends \(stray.joined(separator: ", "))")
            return findings.violations
        }
    }

    private func listed(_ subject: Subject) async throws -> [Entity] {
        let walk = await Walk(list.perform(subject), limit: 50, atMost: 20)
        if case .failed(let error) = walk.end { throw error }
        return walk.items
    }
}
