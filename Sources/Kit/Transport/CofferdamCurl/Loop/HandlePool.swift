#if Curl
/// A pool of idle easy handles. Last in, first out: the most recently used one is in the processor's cache.
final class HandlePool {
    private let settings: HandleSettings
    private let clock: LoopClock
    private let maximumIdle: Int
    private let connections = KeptConnections()
    private let sessions = SharedSessions()
    private var idle: [[EasyHandle]] = Array(repeating: [], count: HandleUse.allCases.count)
    private(set) var idleCount = 0

    init(_ configuration: CurlConfiguration, clock: LoopClock) {
        settings = HandleSettings(configuration: configuration)
        self.clock = clock
        maximumIdle = configuration.maximumIdleHandles
    }

    /// Returns an idle or new handle; `nil` when libcurl cannot create one.
    func take(for use: HandleUse) -> EasyHandle? {
        guard let handle = idle[use.rawValue].popLast() else {
            return EasyHandle(
                settings: settings,
                use: use,
                clock: clock,
                connections: connections,
                sessions: sessions
            )
        }
        idleCount -= 1
        return handle
    }

    func give(_ handle: EasyHandle, for use: HandleUse) {
        guard idleCount < maximumIdle else { return }
        idle[use.rawValue].append(handle)
        idleCount += 1
    }

    func removeAll() {
        for use in HandleUse.allCases { idle[use.rawValue] = [] }
        idleCount = 0
    }
}

/// A handle's fixed purpose: libcurl cannot change a handle's buffer size while an HTTP/2 connection of its last
/// transfer is in use.
enum HandleUse: Int, CaseIterable {
    case whole, stream

    init(_ transfer: Transfer) { self = transfer.isStream ? .stream : .whole }

    /// The largest number of bytes that libcurl reads at once.
    var bufferSize: Int {
        switch self {
        // Below 64 KB: from there on glibc consolidates its whole heap at each free.
        case .whole: 32 << 10
        case .stream: 128 << 10
        }
    }
}
#endif
