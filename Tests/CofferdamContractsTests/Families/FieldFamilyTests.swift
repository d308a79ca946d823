import Cofferdam
import CofferdamContracts
import Foundation
import Testing

@Suite struct FieldFamilyTests {
    @Test func `an adapter that keeps every value passes, and each field has a row for each operation`() async throws {
        let report = await ContractRunner(rules: Attic.rules, adapters: [.attic()]).run()
        #expect(report.rows.filter { $0.outcome != .passed }.map(\.failure) == [])
        #expect(report.problems == [])
        let operations = Set(report.rows.filter { $0.rule == "VALUE-01" }.compactMap(\.operation))
        #expect(operations.isSuperset(of: ["box.label", "boxes.label", "arrivals.label", "boxes.weights"]))
        #expect(operations.count == 3 * Attic.fields.count)
    }

    @Test func `each mutant is killed by its own rule, and each kind has some`() async {
        let report = await MutationRunner(rules: Attic.rules, adapter: .attic()).run(Attic.mutants)
        #expect(report.problems == [])
        #expect(report.rows.count == Attic.mutants.count)
        for field in Attic.fields {
            let count = Attic.mutants.count { $0.operation == "boxes.\(field.name)" }
            #expect(count >= 2, "\(field.name)")
        }
    }

    @Test func `an operation that only shows values in part has a mutant, although it is no list (VALUE-04)`() async {
        let shown = ShownFields<AtticSubject, String, Box>(
            fields: [],
            shownBy: [.get(Attic.box)],
            id: \.id,
            usual: Box(id: ""),
            prepare: { $0.vendor.state.update { $0.boxes = [] } },
            hold: { $0.vendor.add($1) },
            unreadable: [
                .reported("no language", at: "language", held: { $0.language = "?" }, shown: { $0.language = "und" })
            ],
            issues: { $0.vendor.state.update(\.issues) }
        )
        let report = await MutationRunner(rules: shown.rules, adapter: .attic()).run(shown.mutants)
        #expect(report.obliged == ["VALUE-04"])
        #expect(report.problems == [])
    }

    /// Equal by `==`, which is why the rules compare scalars.
    @Test func `a text that was composed is a finding with readable letters and the reason`() async throws {
        let adapter = AdapterUnderTest<AtticSubject>.attic(spoil: { box in
            box.label = box.label.precomposedStringWithCanonicalMapping
        })
        let row = try #require(await outcome("boxes.label", adapter))
        let detail = try #require(row.detail)
        #expect(detail.contains(#"label "e\u{301}" (a letter and its accent are composed (NFC)): "#))
        #expect(detail.contains(#"expected "e\u{301}", got "é""#))
    }

    @Test func `a long text that differs at its end tells where`() async throws {
        let adapter = AdapterUnderTest<AtticSubject>.attic(spoil: { box in
            if box.label.count == 1025 { box.label = box.label.dropLast() + "y" }
        })
        let detail = try #require(await outcome("boxes.label", adapter)?.detail)
        #expect(detail.contains(#"from letter 1025 on "z" became "y""#))
    }

    @Test func `one value that fails the call for all is named`() async throws {
        let adapter = AdapterUnderTest<AtticSubject>.attic(spoil: { box in
            if box.label == "007" { throw AtticError(code: "garbage") }
        })
        let detail = try #require(await outcome("boxes.label", adapter)?.detail)
        #expect(detail == #"label "007" (a text of digits becomes a number): AtticError(code: "garbage", field: nil)"#)
    }

    @Test func `a value that is left out is a finding, and so is one that changes another field`() async throws {
        let leavesOut = AdapterUnderTest<AtticSubject>.attic(shows: { !$0.label.isEmpty })
        let detail = try #require(await outcome("boxes.label", leavesOut)?.detail)
        #expect(detail == #"label "" (empty is taken for missing): left out"#)
        let mixes = AdapterUnderTest<AtticSubject>.attic(spoil: { if $0.label.isEmpty { $0.count = 7 } })
        let other = try #require(await outcome("boxes.label", mixes)?.detail)
        #expect(other.hasPrefix(#"label "" (empty is taken for missing) changes another field: expected Box("#))
    }

    @Test func `two mistakes that cancel each other out are found at the vendor`() async throws {
        let mutant = try #require(
            Attic.mutants.first { $0.operation == "put.label" && $0.name == "trims, and answers as asked" }
        )
        let row = await MutationRunner(rules: Attic.rules, adapter: .attic()).run(mutant)
        #expect(row.outcome == .killed)
        #expect(row.detail?.contains("held by the vendor") == true)
    }

    @Test func `a narrowed kind is tried at its limit and one beyond`() {
        let kind = FieldKind.text.notEmpty.atMost(300, .utf8)
        #expect(kind.corpus.allSatisfy { (1...300).contains($0.value.utf8.count) })
        #expect(kind.corpus.contains { $0.value.utf8.count == 300 })
        #expect(kind.refused.contains { $0.value == "" })
        #expect(Set(kind.refused.map(\.value.utf8.count)).isSuperset(of: [301, 304]))
        #expect(FieldKind.text.leavingOut { $0.isEmpty }.refused.isEmpty)
    }

    @Test func `the limits of a kind hold within an optional and a list`() {
        let kind = FieldKind.text.atMost(3, .utf8)
        let refused = kind.refused.map(\.value)
        #expect(!refused.isEmpty)
        let optional: FieldKind<String?> = .optional(kind)
        #expect(optional.refused.compactMap(\.value) == refused)
        let list: FieldKind<[String]> = .list(kind)
        #expect(list.refused.map(\.value) == refused.map { [$0] })
        #expect(list.refused.map(\.reason) == kind.refused.map(\.reason))
    }

    @Test func `each value of a corpus is there once, with a reason`() {
        func check<Value>(_ kind: FieldKind<Value>, _ name: String) {
            // Texts that are equal by `==` may differ in their scalars.
            let values = kind.corpus.map { [AnyHashable($0.value), Array("\($0.value)".unicodeScalars)] }
            #expect(Set(values).count == values.count, "\(name)")
            #expect(kind.corpus.allSatisfy { !$0.reason.isEmpty })
            #expect(!kind.mistakes.isEmpty)
        }
        check(.text, "text")
        check(.identifier, "identifier")
        check(.url as FieldKind<String>, "url")
        check(.language, "language")
        check(.decimal as FieldKind<String>, "decimal")
        check(.day, "day")
        check(.integer(Int64.min...Int64.max), "integer")
        check(.integer(UInt8.min...UInt8.max), "small integer")
        check(.instant as FieldKind<Int64>, "instant")
        check(.instant as FieldKind<Date>, "date")
        check(.duration, "duration")
        check(.flag, "flag")
        check(.bytes as FieldKind<[UInt8]>, "bytes")
        check(.decimal as FieldKind<Decimal>, "decimal number")
        check(.url as FieldKind<URL>, "address")
        check(.bytes as FieldKind<Data>, "data")
    }

    private func outcome(
        _ operation: String,
        _ adapter: AdapterUnderTest<AtticSubject>
    ) async -> ContractReport.Row? {
        let rules = Attic.rules.filter { $0.operation == operation }
        return await ContractRunner(rules: rules, adapters: [adapter]).run().rows.first
    }
}
