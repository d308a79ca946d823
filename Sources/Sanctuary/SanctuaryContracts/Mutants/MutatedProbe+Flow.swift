import CofferdamContracts
import SanctuaryDomain

extension MutatedProbe {
    func revokeSessions() async throws { try await clean.revokeSessions() }
    func setCallbackQuirk(_ quirk: CallbackQuirk?) async throws { try await clean.setCallbackQuirk(quirk) }
    func befall(_ stream: SanctuaryStream, _ incident: StreamIncident) async throws {
        try await clean.befall(stream, incident)
    }

    func waitForDrops(of stream: SanctuaryStream, atLeast count: Int) async throws {
        try await clean.waitForDrops(of: stream, atLeast: count)
    }

    func waitForHeld(exactly count: Int) async throws { try await clean.waitForHeld(exactly: count) }
}
