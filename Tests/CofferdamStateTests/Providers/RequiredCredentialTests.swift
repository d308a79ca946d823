import CofferdamState
import Testing
import TestSupport

@Suite struct RequiredCredentialTests {
    private actor Client: CredentialDataSource {
        var token: String?
        func sign(in token: String?) { self.token = token }
        func credential() -> String? { token }
    }

    private func required(_ client: Client) -> RequiredCredential<String> {
        RequiredCredential(from: client) { TestError("missing") }
    }

    @Test func `a credential that is missing throws, and the call is not made (AUTH-10)`() async {
        let client = Client()
        let required = required(client)
        await #expect(throws: TestError("missing")) {
            try await required.use { _ in Issue.record("no call was allowed") }
        }
        await client.sign(in: nil)
    }

    @Test func `a credential that is known only later is used from then on, and the newest each time`() async throws {
        let client = Client()
        let required = required(client)
        await #expect(throws: TestError("missing")) { try await required.get() }
        await client.sign(in: "a")
        #expect(try await required.use { "with \($0)" } == "with a")
        await client.sign(in: "b")
        #expect(try await required.use { "with \($0)" } == "with b")
        await client.sign(in: nil)
        await #expect(throws: TestError("missing")) { try await required.get() }
    }

    @Test func `a client that is gone is not kept alive, and its credential is missing`() async {
        weak var gone: Client?
        let required: RequiredCredential<String>
        do {
            let client = Client()
            gone = client
            required = self.required(client)
            await client.sign(in: "a")
        }
        #expect(gone == nil)
        await #expect(throws: TestError("missing")) { try await required.get() }
    }

    @Test func `a client's own error is the caller's`() async {
        let required = RequiredCredential<String>(missing: { TestError("missing") }) { throw TestError("locked") }
        await #expect(throws: TestError("locked")) { try await required.get() }
    }
}
