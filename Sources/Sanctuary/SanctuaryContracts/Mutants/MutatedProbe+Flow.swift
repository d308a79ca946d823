import CofferdamContracts
import SanctuaryDomain

extension MutatedProbe {
    func revokeSessions() async throws { try await clean.revokeSessions() }
    func setCallbackQuirk(_ quirk: CallbackQuirk?) async throws { try await clean.setCallbackQuirk(quirk) }
    func simulate(_ incident: StreamIncident, on stream: SanctuaryStream) async throws {
        try await clean.simulate(incident, on: stream)
    }

    func waitForDrops(of stream: SanctuaryStream, atLeast count: Int) async throws {
        try await clean.waitForDrops(of: stream, atLeast: count)
    }

    func waitForHeld(exactly count: Int) async throws { try await clean.waitForHeld(exactly: count) }
}
