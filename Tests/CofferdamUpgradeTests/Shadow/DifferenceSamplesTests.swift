import Cofferdam
import CofferdamUpgrade
import Testing

@Suite struct DifferenceSamplesTests {
    private func comparison(
        _ paths: [String],
        operation: String = "animal",
        outcome: ComparisonOutcome = .mismatch,
        legacy: String? = "old",
        candidate: String? = "new"
    ) -> ShadowComparison {
        ShadowComparison(
            capability: "zoo",
            operation: operation,
            stage: .shadow(sample: .all),
            epoch: 1,
            unit: "keeper",
            outcome: outcome,
            differences: paths.map { Difference(subject: "a-1", path: $0, legacy: legacy, candidate: candidate) },
            durations: [:]
        )
    }

    @Test func `each field is counted, with its first examples`() {
        var samples = DifferenceSamples()
        for index in 0..<7 { samples.record(comparison(["legs", "lines[\(index)].price"])) }
        samples.record(comparison(["legs"], outcome: .noisy))
        samples.record(comparison(["legs"], operation: "animals"))
        #expect(samples.fields.map(\.path) == ["legs", "lines[*].price", "legs", "legs"])
        #expect(samples.fields.map(\.count) == [7, 7, 1, 1])
        #expect(samples.fields.map(\.samples.count) == [5, 5, 1, 1])
        #expect(samples.fields[1].samples.map(\.path) == (0..<5).map { "lines[\($0)].price" })
    }

    @Test(
        arguments: [
            ("legs", "legs"), ("lines[12].a[0]", "lines[*].a[*]"), ("map[key].x", "map[key].x"), ("[", "["),
            ("a[", "a["), ("a[]b", "a[]b"), ("", ""),
        ]
    )
    func `a field is the same at any index`(path: String, field: String) {
        let difference = Difference(subject: "", path: path, legacy: nil, candidate: nil)
        #expect(difference.pathWithoutIndices == field)
    }

    @Test func `a long text is cut, and what is absent stays so`() {
        var samples = DifferenceSamples(longestText: 3)
        samples.record(comparison(["name"], legacy: "abcd", candidate: nil))
        #expect(samples.fields[0].samples == [Difference(subject: "a-1", path: "name", legacy: "abc…", candidate: nil)])
    }

    @Test func `however many fields there are, no more are kept`() {
        var samples = DifferenceSamples()
        for index in 0..<1_000 { samples.record(comparison(["field \(index)"])) }
        #expect(samples.fields.count == DifferenceSamples.maxFields)
        #expect(samples.unlisted == 800)
    }

    private struct Login: Sendable {
        var user = "amara"
        var token = "secret-1"
    }

    @Test func `a redacted field shows only that it differs, also as part of a whole`() {
        let login = Comparator<Login>().field("user", \.user).redactedField("token", \.token)
        let other = Login(token: "secret-2")
        let (kept, left) = ([Login(), other], [Login()])
        let found =
            login.differences(legacy: Login(), candidate: other, subject: "x")
            + Comparator<[Login]>().list("logins", { $0 }, login).differences(
                legacy: kept,
                candidate: left,
                subject: "x"
            )
            + login.differences(legacy: kept, candidate: left, key: \.token, subject: \.user)
            + Comparator<[[Login]]>().list("all", { $0 }, Comparator<[Login]>().list("logins", { $0 }, login))
            .differences(legacy: [kept], candidate: [], subject: "x")
        #expect(found.map(\.path) == ["token", "logins[1]", Difference.presence, "all[0]"])
        #expect(!found.description.contains("secret"))
        #expect(found.allSatisfy { $0.legacy?.contains(Difference.redacted) ?? false })
    }

    @Test func `a field may be compared within a tolerance`() {
        let weight = Comparator<Double>().field("weight", { $0 }, isSame: { abs($0 - $1) <= 0.5 })
        #expect(weight.differences(legacy: 1, candidate: 1.5, subject: "x").isEmpty)
        #expect(weight.differences(legacy: 1, candidate: 1.6, subject: "x").map(\.path) == ["weight"])
    }
}
