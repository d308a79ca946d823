#if Sandbox
import Cofferdam
import CofferdamContracts
import CofferdamStand
import MenagerieService
import SanctuaryContracts

/// The vendor's service, and the proxy through which adapters reach it. The proxy injects connection faults, holds
/// calls and counts them; the service injects faults that only the vendor can produce, such as its own errors and
/// encodings.
final class ServiceStand: Sendable {
    let service: RunningService
    private let proxy: TestProxy
    /// How far the service's clock is ahead of this machine's.
    let clockAhead: Duration
    /// The number of requests of each operation at the last reset.
    private let before = Mutex<[String: Int]>([:])

    var control: SandboxControl { service.control }
    /// The address at which adapters reach the service.
    var url: String { "http://127.0.0.1:\(proxy.port)" }

    private init(_ service: RunningService, _ proxy: TestProxy, _ clockAhead: Duration) {
        self.service = service
        self.proxy = proxy
        self.clockAhead = clockAhead
        service.control.advanceClock(by: clockAhead)
    }

    static func start(clockAhead: Duration) async throws -> ServiceStand {
        let service = try await startService()
        do {
            let operation = service.control.classifier()
            let framing = HTTPFraming(classify: { request in
                operation(request.method, request.target, request.body)?.rawValue ?? "none"
            })
            let proxy = try await TestProxy.start(to: .init(port: service.port), framing: framing)
            return ServiceStand(service, proxy, clockAhead)
        } catch {
            await service.stop()
            throw error
        }
    }

    func stop() async {
        await proxy.close()
        await service.stop()
    }

    func reset(to baseline: SanctuaryBaseline) async throws {
        proxy.clearRules()
        switch baseline {
        case .seeded: control.reset(baseline: .seeded)
        case .empty: control.reset(baseline: .empty)
        }
        control.advanceClock(by: clockAhead)
        try await proxy.release()
        before.withLock { before in
            for operation in MenagerieService.Operation.allCases {
                before[operation.rawValue] = proxy.arrivals(of: operation.rawValue)
            }
        }
    }

    // MARK: Faults

    func inject(_ fault: VendorFault, on operation: MenagerieService.Operation, times: Int) throws {
        switch fault {
        case .status(let status, let retryAfter):
            control.inject(.status(status, retryAfter: retryAfter), on: operation, times: times)
        case .encoded(.gzip): control.inject(.encoded(.gzip), on: operation, times: times)
        case .encoded(.deflate): control.inject(.encoded(.deflate), on: operation, times: times)
        case .encoded(.brotli): control.inject(.encoded(.brotli), on: operation, times: times)
        // The proxy truncates complete answers, and a stream is never complete.
        case .truncated where operation.isStream: control.inject(.truncated, on: operation, times: times)
        case .malformedChunk where operation.isStream: control.inject(.malformedChunk, on: operation, times: times)
        case .wrongLength(let difference) where operation.isStream:
            control.inject(.wrongContentLength(by: difference), on: operation, times: times)
        default: try proxy.inject(fault, on: operation.rawValue, times: times)
        }
    }

    func clearFaults() async throws {
        control.clearFaults()
        proxy.clearRules()
        try await proxy.release()
    }

    func releaseHeld() async throws { try await proxy.release() }

    func waitForHeld(exactly count: Int) async throws { try await proxy.waitForHeld(exactly: count) }

    // MARK: Evidence

    func calls(of operation: MenagerieService.Operation) -> Int {
        proxy.arrivals(of: operation.rawValue) - arrivalsBefore(operation)
    }

    func waitForCalls(of operation: MenagerieService.Operation, atLeast count: Int) async throws {
        try await proxy.waitForArrivals(of: operation.rawValue, atLeast: arrivalsBefore(operation) + count)
    }

    private func arrivalsBefore(_ operation: MenagerieService.Operation) -> Int {
        before.withLock { $0[operation.rawValue] ?? 0 }
    }
}

extension MenagerieService.Operation {
    fileprivate var isStream: Bool { self == .messageEvents || self == .accessoryEvents }
}
#endif
