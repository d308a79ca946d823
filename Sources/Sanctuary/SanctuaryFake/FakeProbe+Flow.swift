import CofferdamContracts
import SanctuaryContracts
import SanctuaryDomain

extension FakeProbe {
    func revokeSessions() async throws {
        world.update { state in
            state.accessTokens = [:]
            state.refreshTokens = [:]
        }
    }

    func setCallbackQuirk(_ quirk: CallbackQuirk?) async throws { world.update { $0.callbackQuirk = quirk } }

    func befall(_ stream: SanctuaryStream, _ incident: StreamIncident) async throws {
        switch incident {
        case .heartbeat: break
        case .end: world.endStreams(stream, throwing: SanctuaryError(.unreachable, "the vendor ended its event stream"))
        case .truncation: world.endStreams(stream, throwing: SanctuaryError(.truncated, "an event ended early"))
        case .loss: world.endStreams(stream, throwing: SanctuaryError(.unreachable, "the connection was lost"))
        }
    }

    func waitForDrops(of stream: SanctuaryStream, atLeast count: Int) async throws {
        try await world.wait { state, _ in (state.drops[stream] ?? 0) >= count }
    }

    func waitForHeld(exactly count: Int) async throws { try await world.wait { state, _ in state.held == count } }
}
