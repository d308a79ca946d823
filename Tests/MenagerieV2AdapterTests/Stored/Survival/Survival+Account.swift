#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import MenagerieV2
import SanctuaryDomain
import Testing

@testable import MenagerieV2Adapter

extension Survival {
    /// The signed-in user.
    func session() async throws -> Outcome {
        var outcome = Outcome.kept
        switch fate {
        case .upgrade:
            break
        case .kill:
            await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory as String] in
                try await LegacyArchive(directory: directory).hidden { _ = kill(getpid(), SIGKILL) }
            }
            // Twice, because libcurl repeats a call on a connection that it has used before.
            control.inject(.commitThenCut, on: stored == .v2 ? .refresh : .exchange, times: 2)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = url as String, directory = directory as String] in
                let services = try await openMenagerieV2(
                    MenagerieV2Configuration(serviceURL: url, key: "test", directory: directory)
                )
                // The server has issued new tokens, but this process has not stored them.
                await #expect(throws: SanctuaryError.self) { try await services.orders.orders(PageRequest()) }
                _ = kill(getpid(), SIGKILL)
            }
            control.clearFaults()
        case .locked:
            try await installation.locked(installation.sessionFile) {
                try await withV2 { services in
                    let error = await SanctuaryError.of { try await services.accounts.state() }
                    #expect(error?.subject == installation.sessionFile)
                }
            }
        case .downgrade:
            try await withV2 { try await checkSession($0) }
            try await withV1 { services in
                if try await services.accounts.state() == .signedOut {
                    outcome = .notKnownToV1
                } else {
                    try await checkSession(services)
                }
            }
        }
        try await withV2 { try await checkSession($0) }
        #expect(control.exchangedTokens == (stored == .v2 ? 0 : 1))
        return outcome
    }

    private func checkSession(_ services: SanctuaryServices) async throws {
        #expect(try await services.accounts.state().userID == "amara")
        #expect(try await services.orders.orders(PageRequest()).items.isEmpty == false)
    }

    /// The id by which the vendor identifies the installation.
    func device() async throws -> Outcome {
        switch fate {
        case .upgrade:
            break
        case .kill:
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = url as String, directory = directory as String] in
                let client = MenagerieClient(options: .init(serviceURL: url, apiKey: "test", directory: directory))
                let legacy = LegacyState(directory: directory)
                try await client.keepInstallation(of: legacy, issues: IssueSink { _, _ in })
                _ = kill(getpid(), SIGKILL)
            }
        case .locked:
            let file = file(v1: "menagerie.device", v2: "com.menagerie.device.v2.json")
            try await installation.locked(file) {
                try await withV2(allowsTelemetry: true) { services in
                    let credentials = Credentials(user: "amara", password: "sandbox")
                    let calls: [@Sendable () async throws -> Void] = [
                        { _ = try await services.accounts.state() },
                        { _ = try await services.accounts.signIn(credentials) },
                        { _ = try await services.catalogue.animals(AnimalsRequest()) },
                    ]
                    for call in calls { #expect(await SanctuaryError.of(call)?.subject == file) }
                }
            }
        case .downgrade:
            try await withV2 { try await checkSession($0) }
            try await withV1 { services in
                _ = try await services.accounts.signIn(Credentials(user: "amara", password: "sandbox"))
            }
        }
        try await withV2(allowsTelemetry: true) { services in
            await control.waitForCalls(of: .telemetry, atLeast: 1)
            // When this call is answered, the service has recorded the id.
            _ = try await services.accounts.signIn(Credentials(user: "amara", password: "sandbox"))
        }
        #expect(control.devices == [Installation.device])
        return .kept
    }

    /// Amara's unsent message.
    func outbox() async throws -> Outcome {
        switch fate {
        case .upgrade:
            break
        case .kill:
            control.inject(.hold, on: .deliverOutbox)
            async let _: Void = killChild { await $0.waitForHeld(exactly: 1) }
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = url as String, directory = directory as String] in
                try Survival.announce(in: directory)
                let services = try await openMenagerieV2(
                    MenagerieV2Configuration(serviceURL: url, key: "test", directory: directory)
                )
                _ = try await services.messages.send(MessageDraft(text: "never", key: "never"))
            }
            // The message was delivered, and the process was gone before the answer.
            await control.waitForHeld(exactly: 0)
        case .locked:
            let file = file(v1: "menagerie.outbox", v2: "com.menagerie.outbox.v2.json")
            try await installation.locked(file) {
                try await withV2 { services in
                    let error = await SanctuaryError.of { try await send("while locked", services) }
                    #expect(error?.subject == (stored == .v2 ? file : nil))
                }
            }
        case .downgrade:
            try await withV2 { _ = try await $0.accounts.state() }
            try await withV1 { services in
                if try await services.accounts.state() == .signedOut {
                    _ = try await services.accounts.signIn(Credentials(user: "amara", password: "sandbox"))
                }
                try await send("under V1", services)
                try await checkDelivery(services)
            }
        }
        try await withV2 { services in
            try await send("now", services)
            try await checkDelivery(services)
        }
        return .deliveredOnce
    }

    private func send(_ text: String, _ services: SanctuaryServices) async throws {
        _ = try await services.messages.send(MessageDraft(text: text, key: UUID().uuidString))
    }

    private func checkDelivery(_ services: SanctuaryServices) async throws {
        let messages = try await services.messages.messages(PageRequest()).items
        #expect(messages.filter { $0.text == Installation.unsent }.map(\.author) == ["amara"])
    }
}
#endif
