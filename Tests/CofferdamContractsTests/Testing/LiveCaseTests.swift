#if os(Linux)
import CofferdamContracts
import CofferdamTesting
import Glibc
import Testing

/// A vendor's SDK that traps when asked for a missing value.
private struct TrappingVendor: KeyValueStore {
    private let store = DictionaryStore()

    func set(_ value: String, for key: String) async throws { store.set(value, for: key) }
    func value(for key: String) async throws -> String? {
        guard let value = store.value(for: key) else { preconditionFailure("the vendor has no such thing") }
        return value
    }
}

extension AdapterUnderTest<Subject> {
    fileprivate static let vendor = AdapterUnderTest(name: "vendor") { TrappingVendor() }
}

/// A rule that reports the process it runs in.
private let process = Rule<Subject>("kv/KV-20", "Says its process") { _, _ in [Violation("process \(getpid())")] }

@Suite(
    .coversContract([StoreContract.remembers, StoreContract.forgets, process], on: [.vendor, .dictionary]),
    .timeLimit(.minutes(5))
)
struct LiveCaseTests {
    @Test(
        arguments: contractCases(
            [StoreContract.remembers, StoreContract.forgets, process],
            [.vendor, .dictionary]
        )
    )
    func `a vendor's trap is a failed row, and the cases before and after it are judged`(
        _ contractCase: ContractCase<Subject>
    ) async throws {
        switch (contractCase.rule.id, contractCase.adapter.name) {
        case ("kv/KV-02", "vendor"):
            try await failing(contractCase, .crashed, "Fatal error: the vendor has no such thing")
        case ("kv/KV-20", "vendor"):
            try await failing(contractCase, .failed, "process ", isHere: false)
        case ("kv/KV-20", _):
            try await failing(contractCase, .failed, "process ", isHere: true)
        default:
            #expect(await expect(contractCase)?.outcome == .passed)
        }
    }

    private func failing(
        _ contractCase: ContractCase<Subject>,
        _ outcome: ContractReport.Outcome,
        _ detail: String,
        isHere: Bool? = nil
    ) async throws {
        var known = KnownDeviation(
            .rule(contractCase.rule.id, on: contractCase.adapter.name),
            reason: "r",
            link: Made.link,
            expires: "2026-12-01"
        )
        known.outcome = outcome
        let row = try #require(await expect(contractCase, deviations: [known], today: "2026-12-01"))
        #expect(row.outcome == outcome)
        #expect(row.detail?.contains(detail) == true)
        if let isHere { #expect((row.detail == "process \(getpid())") == isHere) }
    }
}

@Suite(.timeLimit(.minutes(5))) struct LoneLiveCaseTests {
    @Test func `in a test without arguments, and when it is run again`() async throws {
        let contractCase = ContractCase(StoreContract.forgets, on: .vendor)
        for _ in 1...2 {
            await withKnownIssue {
                #expect(await expect(contractCase)?.outcome == .crashed)
            } matching: { issue in
                "\(issue.comments)".contains("kv/KV-02 on vendor crashed: signal ")
            }
        }
    }

    @Test func `a case that its process does not reach says so`() async {
        guard getenv("COFFERDAM_CASE_WORKER") == nil else { return }
        await withKnownIssue {
            await expect(ContractCase(StoreContract.remembers, on: .vendor))
        } matching: { issue in
            "\(issue.comments)".contains(
                "the test did not reach it in the child process for vendor: its process ended with code 0"
            )
        }
    }
}
#endif
