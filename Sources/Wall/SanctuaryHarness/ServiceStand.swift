import CofferdamContracts
import MenagerieService
import SanctuaryContracts
import SanctuaryDomain

/// The vendor's service as the rules drive it.
final class ServiceStand: Sendable {
    let service: RunningService

    var control: SandboxControl { service.control }
    /// Where adapters find the service.
    var url: String { service.url }

    private init(_ service: RunningService) { self.service = service }

    static func start() async throws -> ServiceStand { ServiceStand(try await startService()) }

    func stop() async { await service.stop() }

    func reset(to baseline: SanctuaryBaseline) async throws {
        switch baseline {
        case .seeded: control.reset(baseline: .seeded)
        case .empty: control.reset(baseline: .empty)
        }
    }

    // MARK: Trouble

    func inject(_ fault: VendorFault, on operation: MenagerieService.Operation, times: Int) throws {
        let sandboxFault: Fault =
            switch fault {
            case .status(let status, let retryAfter): .status(status, retryAfter: retryAfter)
            case .html: .html
            case .garbage: .garbage
            case .truncated: .truncated
            case .reset: .reset
            case .emptyReply: .emptyReply
            case .malformedChunk: .malformedChunk
            case .wrongLength(let difference): .wrongContentLength(by: difference)
            case .redirectLoop: .redirectLoop
            case .appliedThenReset: .commitThenCut
            case .hold: .hold
            case .stall(let count): .stall(afterBytes: count)
            case .trickle: .dribble()
            case .chunked: .chunked
            case .withoutLength: .slowClose(.zero)
            case .conflictingLengths: .conflictingLengths
            case .encoded(.gzip): .encoded(.gzip)
            case .encoded(.deflate): .encoded(.deflate)
            case .encoded(.brotli): .encoded(.brotli)
            case .own(let name): throw SanctuaryError(.unsupported, "the sandbox has no such fault", subject: name)
            }
        control.inject(sandboxFault, on: operation, times: times)
    }

    func clearFaults() async throws {
        control.clearFaults()
        control.releaseHeld()
    }

    func releaseHeld() async throws { control.releaseHeld() }

    func waitForHeld(exactly count: Int) async throws {
        await control.waitForHeld(exactly: count)
        try Task.checkCancellation()
    }

    // MARK: Evidence

    func calls(of operation: MenagerieService.Operation) -> Int { control.calls(of: operation) }

    func waitForCalls(of operation: MenagerieService.Operation, atLeast count: Int) async throws {
        await control.waitForCalls(of: operation, atLeast: count)
        try Task.checkCancellation()
    }
}
