import Cofferdam
import CofferdamContracts
import Testing

/// A notebook on a device, which may or may not keep the signed-in user across a relaunch.
private struct Notebook: Sendable {
    final class Device: Sendable {
        let user = Mutex<String?>(nil)
    }

    struct SignedOut: Error {}

    let device: Device
    var user: @Sendable () -> String?
    var setUser: @Sendable (String?) -> Void
    var reopen: @Sendable () -> Notebook

    init(_ device: Device = Device()) {
        self.device = device
        user = { device.user.withLock { $0 } }
        setUser = { user in device.user.withLock { $0 = user } }
        reopen = { Notebook(device) }
    }

    /// The replacement that a mutant installs.
    var replacedReopen: (@Sendable (()) async throws -> Notebook)?
}

@Suite struct RelaunchTests {
    private static func opening(_ canReopen: Bool) -> Opening<Notebook> {
        Opening(
            close: PortCall("close", get: { _ in { _ in } }, replace: { notebook, _ in notebook }),
            reopen: canReopen
                ? PortCall(
                    "reopen",
                    get: { notebook in
                        { _ in
                            if let reopen = notebook.replacedReopen { try await reopen(()) } else { notebook.reopen() }
                        }
                    },
                    replace: { notebook, perform in
                        var notebook = notebook
                        notebook.replacedReopen = perform
                        return notebook
                    }
                ) : nil
        )
    }

    private static func session(canReopen: Bool = true) -> RelaunchedSession<Notebook> {
        RelaunchedSession(
            opening: opening(canReopen),
            signIn: { $0.setUser("ann") },
            signOut: { $0.setUser(nil) },
            user: PortCall("user", get: { notebook in { _ in notebook.user() } }, replace: { notebook, _ in notebook }),
            call: AnyPortCall("notes") { notebook in
                guard notebook.user() != nil else { throw Notebook.SignedOut() }
                return true
            }
        )
    }

    private static func adapter(
        harnessCapabilities: Set<HarnessCapability> = [],
        _ open: @escaping @Sendable () -> Notebook = { Notebook() }
    ) -> AdapterUnderTest<Notebook> {
        AdapterUnderTest(name: "notebook", harnessCapabilities: harnessCapabilities) { open() }
    }

    @Test func `what is kept on the device outlives a relaunch, and the mutants are killed (LIFE-06)`() async {
        let rules = Self.session().rules
        let report = await ContractRunner(rules: rules, adapters: [Self.adapter()]).run()
        #expect(report.rows.map(\.outcome) == [.passed])
        for mutant in Self.session().mutants {
            let row = await MutationRunner(rules: rules, adapter: Self.adapter()).run(mutant)
            #expect(row.outcome == .killed, "\(mutant.name): \(row.detail ?? "no detail")")
        }
    }

    @Test func `an adapter that keeps nothing on the device is caught`() async {
        let forgetful = Self.adapter {
            var notebook = Notebook()
            notebook.reopen = { [device = notebook.device] in
                var other = Notebook(device)
                other.user = { nil }
                return other
            }
            return notebook
        }
        let report = await ContractRunner(rules: Self.session().rules, adapters: [forgetful]).run()
        let details = report.rows.map { $0.detail ?? "" }
        #expect(
            details.first?.contains("who is signed in after a relaunch: expected Optional(\"ann\"), got nil") == true,
            "\(details)"
        )
    }

    @Test func `without a way to reopen, the rule is not judged`() async {
        let session = Self.session(canReopen: false)
        let report = await ContractRunner(rules: session.rules, adapters: [Self.adapter()]).run()
        #expect(report.rows.map(\.missingHarnessCapabilities) == [["relaunch"]])
        #expect(session.mutants.isEmpty)
    }

    @Test func `a harness that claims to reopen without a way to do so fails the rule`() async {
        let claiming = Self.adapter(harnessCapabilities: ["relaunch"])
        let rules = Self.session(canReopen: false).rules
        let report = await ContractRunner(rules: rules, adapters: [claiming]).run()
        #expect(report.rows.map(\.detail) == ["the harness claims relaunch, and there is no reopen"])
    }
}
