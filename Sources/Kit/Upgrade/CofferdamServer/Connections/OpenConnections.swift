#if Server
import Cofferdam

/// Counts the open connections, in total and of each address, and those that were refused.
final class OpenConnections: Sendable {
    /// Why a connection was closed.
    enum Refusal: String, Sendable, CaseIterable {
        /// There are too many connections.
        case total
        /// There are too many connections from its address.
        case address
        /// A request did not arrive in time.
        case late
    }

    private struct State {
        var open = 0
        var byAddress: [String: Int] = [:]
        var refused: [Refusal: Int] = [:]
    }

    private let total: Int
    /// 0 for no limit.
    private let perAddress: Int
    private let state = Mutex(State())

    /// - Parameter most: the total where the limits have none.
    init(_ limits: ConnectionLimits, most: Int) {
        total = limits.total ?? most
        perAddress = limits.perAddress ?? max(1, min(1_000, total / 2))
    }

    /// The number of open connections, and of those that were refused.
    var counts: (open: Int, refused: [Refusal: Int]) { state.withLock { ($0.open, $0.refused) } }

    /// Counts a connection, if the limits allow it.
    ///
    /// - Parameter bucket: the key of its address; nil for a trusted proxy.
    func admit(_ bucket: String?) -> Bool {
        state.withLock { state in
            guard state.open < total else {
                state.refused[.total, default: 0] += 1
                return false
            }
            if let bucket {
                guard perAddress == 0 || state.byAddress[bucket, default: 0] < perAddress else {
                    state.refused[.address, default: 0] += 1
                    return false
                }
                state.byAddress[bucket, default: 0] += 1
            }
            state.open += 1
            return true
        }
    }

    /// An admitted connection was closed.
    func remove(_ bucket: String?) {
        state.withLock { state in
            state.open -= 1
            guard let bucket, let count = state.byAddress[bucket] else { return }
            state.byAddress[bucket] = count > 1 ? count - 1 : nil
        }
    }

    func countLate() { state.withLock { $0.refused[.late, default: 0] += 1 } }
}
#endif
