#if Sandbox
import CofferdamContracts
import MenagerieV1Adapter
import MenagerieService
import SanctuaryContracts
import SanctuaryDomain

extension ServiceProbe {
    func revokeSessions() async throws { control.revokeSessions() }

    func setCallbackQuirk(_ quirk: CallbackQuirk?) async throws { provokeMenagerieV1(quirk?.rawValue) }

    func simulate(_ incident: StreamIncident, on stream: SanctuaryStream) async throws {
        let sandboxIncident: EventIncident =
            switch incident {
            case .heartbeat: .heartbeat
            case .end: .end
            case .truncation: .truncation
            case .loss: .loss
            }
        control.simulate(sandboxIncident, on: stream.channel)
    }

    func waitForDrops(of stream: SanctuaryStream, atLeast count: Int) async throws {
        try await drops.wait(of: stream, atLeast: count)
    }

    func waitForHeld(exactly count: Int) async throws {
        try await stand.waitForHeld(exactly: count)
    }
}
#endif
