#if Sandbox
import Cofferdam
import SanctuaryContracts

/// Counts the events that an adapter has dropped, from the issues that it reports.
final class DroppedEvents: Sendable {
    private typealias Wake = @Sendable (Result<Void, any Error>) -> Void

    private struct State: Sendable {
        var counts: [SanctuaryStream: Int] = [:]
        var waiting: [(stream: SanctuaryStream, count: Int, wake: Wake)] = []

        mutating func takeMet() -> [Wake] {
            let counts = self.counts
            let met = waiting.filter { counts[$0.stream, default: 0] >= $0.count }
            waiting.removeAll { counts[$0.stream, default: 0] >= $0.count }
            return met.map(\.wake)
        }
    }

    private let state = Mutex(State())

    var sink: IssueSink {
        IssueSink { issues, operation in
            guard let stream = Self.streams[operation] else { return }
            let dropped = issues.filter { $0.path == TranslationIssue.droppedPath }.compactMap { Int($0.raw) }
            self.change { $0.counts[stream, default: 0] += dropped.reduce(0, +) }
        }
    }

    /// Waits until at least `count` events of the stream were dropped.
    func wait(of stream: SanctuaryStream, atLeast count: Int) async throws {
        try await vendorCall { (wake: @escaping Wake) in
            change { $0.waiting.append((stream, count, wake)) }
            return .none
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let met = state.withLock { state in
            body(&state)
            return state.takeMet()
        }
        for wake in met { wake(.success(())) }
    }

    private static let streams: [String: SanctuaryStream] = [
        "message events": .messages, "accessory events": .accessories,
    ]
}
#endif
