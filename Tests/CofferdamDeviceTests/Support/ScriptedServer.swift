import Cofferdam
import CofferdamDevice
import CofferdamUpgrade
import Foundation
import HTTPTypes
import TestSupport

/// The server's side of a transport: one stage, and what was posted.
final class ScriptedServer: Sendable {
    enum Network: Sendable {
        case up
        /// Every request fails at once.
        case down
        /// No request is answered.
        case silent
    }

    private struct State {
        var stored = StoredUpgrade(state: UpgradeState(capability: "orders", since: 0))
        var network = Network.up
        var reports: [EvidenceReport] = []
        var reads = 0
        var waiting = 0
        var changes: [Int: CheckedContinuation<Void, any Error>] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    var reports: [EvidenceReport] { state.withLock { $0.reports } }
    /// How often the stage was read without a wait.
    var reads: Int { state.withLock { $0.reads } }
    /// The number of long polls in flight.
    var polls: Int { state.withLock { $0.waiting } }

    /// The units of an epoch that were posted.
    func units(of epoch: Int) -> Set<String> {
        Set(reports.filter { $0.epoch == epoch }.flatMap(\.units).map(\.unit))
    }

    func set(_ network: Network) { state.withLock { $0.network = network } }

    /// Sets the stage, as an operator does.
    func move(to stage: Stage) {
        change { stored in
            (stored.state.stage, stored.state.epoch) = (stage, stored.state.epoch + 1)
        }
    }

    func kill() { change { $0.kill = KillSwitch(.legacy, by: "operator", reason: "a test") } }

    private func change(_ body: (inout StoredUpgrade) -> Void) {
        let waiting = state.withLock { state in
            body(&state.stored)
            state.stored.revision += 1
            state.stored.state.entry = "change \(state.stored.revision)"
            defer { state.changes = [:] }
            return Array(state.changes.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    var server: UpgradeServer {
        UpgradeServer("https://upgrades.example.com", token: "secret", transport: DeviceTransport(answer))
    }

    @Sendable private func answer(
        _ request: HTTPRequest,
        _ body: [UInt8],
        _ time: Duration
    ) async throws -> (head: HTTPResponse, body: [UInt8]) {
        switch state.withLock({ $0.network }) {
        case .up: break
        case .down: throw DeviceTransportError("no network", wasSent: false)
        case .silent: try await waitForChange(after: state.withLock { $0.stored.revision })
        }
        let path = request.path ?? ""
        // It enrols no installations.
        if path.hasSuffix("/enrolments") { return (HTTPResponse(status: .notFound), Array("{}".utf8)) }
        if request.method == .post {
            struct Post: Decodable { var reports: [EvidenceReport] }
            let post = try JSONDecoder().decode(Post.self, from: Data(body))
            state.withLock { $0.reports += post.reports }
            return (HTTPResponse(status: .ok), Array("{}".utf8))
        }
        let tag = request.headerFields[.ifNoneMatch]
        let known = state.withLock { state -> Int64? in
            guard path.contains("wait=") else {
                state.reads += 1
                return nil
            }
            guard tag == ServedStage(state.stored, of: "orders").tag else { return nil }
            state.waiting += 1
            return state.stored.revision
        }
        if let known {
            defer { state.withLock { $0.waiting -= 1 } }
            try await waitForChange(after: known)
        }
        if tag == current.tag { return (HTTPResponse(status: .notModified), []) }
        return (HTTPResponse(status: .ok), Array(try JSONEncoder().encode(current)))
    }

    private var current: ServedStage { state.withLock { ServedStage($0.stored, of: "orders") } }

    /// Returns at once if the stage has changed since that revision.
    private func waitForChange(after revision: Int64) async throws {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Read once, under the lock that the handler takes.
                let answer = state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.stored.revision != revision { return .success(()) }
                    state.changes[number] = continuation
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            state.withLock { $0.changes.removeValue(forKey: number) }?.resume(throwing: CancellationError())
        }
    }
}
