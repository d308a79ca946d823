#if Sandbox
import Cofferdam
import CofferdamRehearsal
import CofferdamUpgrade
import MenagerieService
import SanctuaryDomain
import SanctuaryHarness
import SanctuaryRouting

/// Returns the rehearsal of the sanctuary's upgrade: both SDKs against one embedded service, with its real catalogue.
func sanctuaryScenarios() -> ScenarioRunner {
    ScenarioRunner { walk in
        let service = try await startService()
        do {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let report = try await walk(try await RehearsedSanctuary(url: service.url, directory.path).upgrade())
            await service.stop()
            return report
        } catch {
            await service.stop()
            throw error
        }
    }
}

private struct RehearsedSanctuary {
    let url: String
    let directory: String

    init(url: String, _ directory: String) {
        self.url = url
        self.directory = directory
    }

    func upgrade() async throws -> RehearsedUpgrade<SanctuaryServices> {
        RehearsedUpgrade(
            capability: "sanctuary",
            directory: directory,
            operations: try await traffic().operations,
            feed: SanctuaryTraffic.conversation {
                try await use("conversation", isLegacy: false) { services in
                    try await services.all { try await services.messages.messages($0) }
                }
            },
            failures: .sanctuary,
            failure: { meaning in
                switch meaning {
                case .unsent: SanctuaryError(.closed, "the rehearsed SDK refuses calls")
                case .answer: SanctuaryError(.authenticationRequired, "the rehearsed SDK knows no session")
                case .failed: SanctuaryError(.rateLimited, "the rehearsed SDK is asked too often")
                case .outcomeUnknown: SanctuaryError(.outcomeUnknown, "the rehearsed SDK has dropped the call")
                }
            },
            expecting: expectedDifferences.values.flatMap(\.self),
            // A fifth of the animals have no recorded legs or heads, and most calls read animals.
            gate: .defaults { $0.uncountedLimit = 0.4 },
            open: { instance in try await open(instance.rawValue, isLegacy: instance == .legacy) },
            close: { await $0.close() },
            routed: { router, session, settings in
                routedServices(router, for: session, capabilities: [], settings)
            },
            faulty: faultyServices,
            written: { try await written() }
        )
    }

    /// Opens an SDK in a separate directory, and signs in.
    private func open(_ name: String, isLegacy: Bool) async throws -> SanctuaryServices {
        let path = "\(directory)/\(name)"
        let issues = IssueSink { _, _ in }
        let services =
            isLegacy
            ? try await openV1(at: url, directory: path, issues: issues)
            : try await openV2(at: url, directory: path, issues: issues)
        do {
            _ = try await services.accounts.signIn(Credentials(user: "amara", password: "sandbox"))
            return services
        } catch {
            await services.close()
            throw error
        }
    }

    private func use<Result>(
        _ name: String,
        isLegacy: Bool,
        _ body: (SanctuaryServices) async throws -> Result
    ) async throws -> Result {
        let services = try await open(name, isLegacy: isLegacy)
        do {
            let result = try await body(services)
            await services.close()
            return result
        } catch {
            await services.close()
            throw error
        }
    }

    /// Creates the traffic, with the expected values as each SDK returns them before anything is routed.
    private func traffic() async throws -> SanctuaryTraffic {
        let old = try await use("truth-legacy", isLegacy: true) { try await $0.wholeCatalogue() }
        return try await use("truth-candidate", isLegacy: false) { services in
            let line = OrderLine(article: "hay", quantity: 1, unitPrice: Money(minorUnits: 100, currency: .eur))
            let order = try await services.orders.place(OrderDraft(lines: [line], key: "truth"))
            return SanctuaryTraffic(catalogues: [old, try await services.wholeCatalogue()], order: order)
        }
    }

    /// Returns the service's own record, read by a client that took no part in the rehearsal.
    private func written() async throws -> [String: Int] {
        try await use("record", isLegacy: false) { services in
            let orders = try await services.all { try await services.orders.orders($0) }
            let messages = try await services.all { try await services.messages.messages($0) }
            let keys = orders.flatMap { $0.lines.map(\.article) } + messages.map(\.text)
            return Dictionary(keys.map { ($0, 1) }, uniquingKeysWith: +)
        }
    }
}
#endif
