import Cofferdam
import CofferdamContracts
import CofferdamTesting
import Testing

/// Parts that are still to be written.
@Suite struct NotWrittenTests {
    /// A rule that takes whatever the port throws for the port's own error.
    private static func swallowing(_ part: String, step: Int) -> Rule<Subject> {
        Rule("kv/KV-21", "Takes any error for the port's own") { _, _ in
            do { throw NotWritten(part, step: step) } catch { return [Violation("'\(type(of: error))' is not known")] }
        }
    }

    @Test func `a case says which part to write first, whatever the rule made of its error`() async {
        let rule = Rule<Subject>("kv/KV-22", "Needs two parts") { _, _ in
            _ = NotWritten("later", step: 7)
            return await Task { [Violation("\(NotWritten("sooner", step: 3))")] }.value
        }
        let report = await ContractRunner(rules: [rule], adapters: [.dictionary]).run()
        #expect(report.rows.map(\.detail) == ["step 3: sooner is not written yet"])
        #expect(report.rows.map(\.outcome) == [.failed])
    }

    @Test func `cases that need the same part have one issue together`() async {
        for step in [101, 102] {
            let rule = Self.swallowing("Fake.part\(step)", step: step)
            await withKnownIssue {
                await expect(ContractCase(rule, on: .dictionary))
            } matching: { issue in
                "\(issue.comments)".contains("step \(step): Fake.part\(step) is not written yet")
            }
            // No issue, and not passed either.
            #expect(await expect(ContractCase(rule, on: .dictionary))?.outcome == .failed)
        }
    }

    @Test func `a case that passes is not judged by the parts that it met`() async {
        let rule = Rule<Subject>("kv/KV-23", "Does not need the part") { _, _ in
            _ = NotWritten("unused")
            return []
        }
        #expect(await expect(ContractCase(rule, on: .dictionary))?.outcome == .passed)
    }

    @Test func `mutants of a rule that needs such a part are skipped`() async {
        let rule = Self.swallowing("Fake.part", step: 1)
        let mutant = Mutant<Subject>("kv/KV-21", "changes nothing") { subject, effect in
            effect.occurred()
            return subject
        }
        let row = await MutationRunner(rules: [rule], adapter: .dictionary).run(mutant)
        #expect(row.outcome == .skipped)
        #expect(row.detail == "step 1: Fake.part is not written yet")
    }
}
