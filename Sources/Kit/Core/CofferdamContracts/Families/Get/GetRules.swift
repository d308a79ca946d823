extension GetOperation {
    /// The rules GET-01 to GET-07 that the description provides for.
    public var rules: [Rule<Subject>] {
        var rules = [fieldByField]
        if let find { rules.append(unknownInput(find)) }
        if let odd { rules += [extraField(odd), missingField(odd), nullAbsentEmpty(odd)] }
        if let exact { rules.append(exactNumbers(exact)) }
        if let odd, let value = odd.unknownValue { rules.append(unknownValue(odd, value.raw, value.shown)) }
        return rules
    }

    private var fieldByField: Rule<Subject> {
        Rule(
            "GET-01",
            "An entity matches the vendor's data field by field, including 0, false, null, \"\" and unusual letters"
        ) { subject, _ in try await expect(try await samples(subject), of: subject) }
    }

    private func unknownInput(_ find: PortCall<Subject, Input, Entity?>) -> Rule<Subject> {
        Rule("GET-02", "An unknown id is reported as not found, by the port's error or by nil") {
            subject,
            _ in
            var findings = Findings()
            let unknown = try await unknown(subject)
            findings.expect(!unknown.isEmpty, "the vendor knows every id that was tried")
            for input in unknown {
                do {
                    guard let entity = try await find(subject, input) else { continue }
                    findings.add("\(input): expected it not to be found, got the result \(entity)")
                } catch {
                    findings.add("\(input): expected it not to be found, got \(error)")
                }
            }
            return findings.violations
        }
    }

    private func extraField(_ odd: OddPayloads<Subject, Input, Entity>) -> Rule<Subject> {
        Rule("GET-03", "Unknown fields are ignored") { subject, _ in
            try await expect(try await odd.seed(subject, .extraField).samples, of: subject)
        }
    }

    private func missingField(_ odd: OddPayloads<Subject, Input, Entity>) -> Rule<Subject> {
        Rule("GET-04", "A missing field is an unreadable answer, and the error names its path") { subject, _ in
            try await expect(
                FieldPromise(.missing(field: odd.requiredField), .refused(path: odd.requiredField)),
                of: subject,
                odd
            )
        }
    }

    private func nullAbsentEmpty(_ odd: OddPayloads<Subject, Input, Entity>) -> Rule<Subject> {
        Rule("GET-05", "Null, absent and empty are distinguished as the port documents") { subject, _ in
            let promises = odd.promises(subject)
            guard !promises.isEmpty else {
                throw UnmetRequirements(inapplicability: "nothing is promised about null, absent and empty fields")
            }
            var findings = Findings()
            for promise in promises {
                for violation in try await expect(promise, of: subject, odd) { findings.add(violation.detail) }
            }
            return findings.violations
        }
    }

    private func exactNumbers(_ exact: @escaping Samples) -> Rule<Subject> {
        Rule("GET-06", "Integers to 2^53-1 and decimal money arrive exactly") { subject, _ in
            try await expect(try await exact(subject), of: subject)
        }
    }

    private func unknownValue(
        _ odd: OddPayloads<Subject, Input, Entity>,
        _ raw: String,
        _ shown: @escaping @Sendable (Entity) -> Entity
    ) -> Rule<Subject> {
        Rule(
            "GET-07",
            "An unknown value is kept as unknown(raw), and does not affect other entities"
        ) { subject, _ in
            try await expect(FieldPromise(.unknownValue(raw), .shown(shown)), of: subject, odd)
        }
    }

    // MARK: Checks

    /// Expects the port to return exactly these, one by one and in the list.
    private func expect(
        _ samples: [GetSample<Input, Entity>],
        of subject: Subject
    ) async throws -> [Violation] {
        var findings = Findings()
        if let find {
            for sample in samples {
                let what = "\(find.name) \(sample.input)"
                guard let entity = try await find(subject, sample.input) else {
                    findings.add("\(what): not found")
                    continue
                }
                if !isSame(entity, sample.entity) { findings.expectEqual(entity, sample.entity, what) }
            }
        }
        if let page {
            var walk = await walk(page, of: subject, samples.count)
            walk.items = withoutTolerance(walk.items, samples)
            findings.expect(walk, gives: samples.map(\.entity), page.name)
        }
        return findings.violations
    }

    /// The items, with each that is accepted as the sample at its place replaced by that sample.
    private func withoutTolerance(_ items: [Entity], _ samples: [GetSample<Input, Entity>]) -> [Entity] {
        var items = items
        for (index, sample) in zip(items.indices, samples) where isSame(items[index], sample.entity) {
            items[index] = sample.entity
        }
        return items
    }

    private func expect(
        _ promise: FieldPromise<Entity>,
        of subject: Subject,
        _ odd: OddPayloads<Subject, Input, Entity>
    ) async throws -> [Violation] {
        var seed = try await odd.seed(subject, promise.oddity)
        switch promise.outcome {
        case .shown(let shown):
            seed.samples[seed.odd].entity = shown(seed.samples[seed.odd].entity)
            return try await expect(seed.samples, of: subject).map { Violation("\(promise.oddity): \($0)") }
        case .refused(let path):
            var findings = Findings()
            if let find {
                await findings.expectPath([path], "\(find.name), \(promise.oddity)", errors) {
                    try await find(subject, seed.samples[seed.odd].input)
                }
            }
            if let page {
                await findings.expectPath(["[\(seed.odd)]", path], "\(page.name), \(promise.oddity)", errors) {
                    try await page(subject, ListQuery(limit: seed.samples.count))
                }
            }
            return findings.violations
        }
    }

    private func walk(
        _ page: PortCall<Subject, ListQuery, ListPage<Entity>>,
        of subject: Subject,
        _ count: Int
    ) async -> Walk<Entity> {
        await Walk(page.perform(subject), limit: max(1, count), atMost: count + 2)
    }
}

extension Findings {
    fileprivate mutating func expectPath<Value>(
        _ parts: [String],
        _ what: String,
        _ errors: GetErrors,
        _ operation: () async throws -> Value
    ) async {
        let error = await expectError(
            "the error of an unreadable answer",
            what,
            where: { errors.decodingPath($0) != nil },
            operation
        )
        guard let error, let path = errors.decodingPath(error) else { return }
        expect(parts.allSatisfy(path.contains), "\(what): path \"\(path)\", without \(parts.joined(separator: " or "))")
    }
}
