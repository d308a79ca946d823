import Cofferdam
import CofferdamContracts
import Testing

/// A notebook on a device, which may or may not keep the signed-in user and the sent keys across a relaunch.
private struct Notebook: Sendable {
    final class Device: Sendable {
        let user = Mutex<String?>(nil)
        /// The notes at the vendor, by the key of their write.
        let notes = Mutex<[String: String]>([:])
        let losesAnswers = Mutex(false)
    }

    struct Lost: Error {}
    struct SignedOut: Error {}

    let device: Device
    var user: @Sendable () -> String?
    var setUser: @Sendable (String?) -> Void
    var write: @Sendable (_ key: String) async throws -> String
    var reopen: @Sendable () -> Notebook

    init(_ device: Device = Device()) {
        self.device = device
        user = { device.user.withLock { $0 } }
        setUser = { user in device.user.withLock { $0 = user } }
        write = { key in
            device.notes.withLock { $0[key] = "note" }
            if device.losesAnswers.withLock({ $0 }) { throw Lost() }
            return "note"
        }
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

    private static let write = RelaunchedWrite<Notebook, String, String>(
        call: PortCall(
            "write",
            get: { $0.write },
            replace: { notebook, perform in
                var notebook = notebook
                notebook.write = perform
                return notebook
            }
        ),
        opening: opening(true),
        prepare: { _ in "a key" },
        another: { $0 + "-again" },
        loseAnswers: { notebook, loses in notebook.device.losesAnswers.withLock { $0 = loses } },
        written: { notebook in Array(notebook.device.notes.withLock { $0 }.values) }
    )

    private static func adapter(_ open: @escaping @Sendable () -> Notebook = { Notebook() }) -> AdapterUnderTest<
        Notebook
    > {
        AdapterUnderTest(name: "notebook") { open() }
    }

    @Test func `what is kept on the device outlives a relaunch, and the mutants are killed (LIFE-06, LIFE-07)`() async {
        let rules = Self.session().rules + Self.write.rules
        let report = await ContractRunner(rules: rules, adapters: [Self.adapter()]).run()
        #expect(report.rows.map(\.outcome) == [.passed, .passed])
        for mutant in Self.session().mutants + Self.write.mutants {
            let row = await MutationRunner(rules: rules, adapter: Self.adapter()).run(mutant)
            #expect(row.outcome == .killed, "\(mutant.name): \(row.detail ?? "no detail")")
        }
    }

    @Test func `an adapter that keeps nothing on the device is caught`() async {
        let rules = Self.session().rules + Self.write.rules
        let forgetful = Self.adapter {
            var notebook = Notebook()
            notebook.reopen = { [device = notebook.device] in
                var other = Notebook(device)
                other.user = { nil }
                other.write = { key in
                    device.notes.withLock { $0[key + " of the second launch"] = "note" }
                    return "note"
                }
                return other
            }
            return notebook
        }
        let details = await ContractRunner(rules: rules, adapters: [forgetful]).run().rows.map { $0.detail ?? "" }
        #expect(
            details.first?.contains("who is signed in after a relaunch: expected Optional(\"ann\"), got nil") == true,
            "\(details)"
        )
        #expect(details.last?.contains("what is there after the repeat") == true, "\(details)")
    }

    @Test func `without a way to reopen, the rule is not judged`() async {
        let session = Self.session(canReopen: false)
        let report = await ContractRunner(rules: session.rules, adapters: [Self.adapter()]).run()
        #expect(report.rows.map(\.missingHarnessCapabilities) == [["relaunch"]])
        #expect(session.mutants.isEmpty)
    }
}
