/// The easy handles that wait for a request. Last in, first out: the last used is the one in the processor's cache.
final class HandlePool {
    private let settings: HandleSettings
    private let clock: LoopClock
    private let maximumIdle: Int
    private let connections = KeptConnections()
    private var idle: [[EasyHandle]] = Array(repeating: [], count: HandleUse.allCases.count)
    private(set) var idleCount = 0

    init(_ configuration: CurlConfiguration, clock: LoopClock) {
        settings = HandleSettings(configuration: configuration)
        self.clock = clock
        maximumIdle = configuration.maximumIdleHandles
    }

    /// `nil` when libcurl cannot make one.
    func take(for use: HandleUse) -> EasyHandle? {
        guard let handle = idle[use.rawValue].popLast() else {
            return EasyHandle(settings: settings, use: use, clock: clock, connections: connections)
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

/// What a handle is for, for good: libcurl does not change the size of its buffer while an HTTP/2 connection of the
/// handle's last transfer is in use.
enum HandleUse: Int, CaseIterable {
    case whole, stream

    init(_ transfer: Transfer) { self = transfer.isStream ? .stream : .whole }

    /// How much libcurl reads at once, in bytes.
    var bufferSize: Int {
        switch self {
        // Below 64 KB, from which on glibc tidies up its whole heap at each free.
        case .whole: 32 << 10
        case .stream: 128 << 10
        }
    }
}
