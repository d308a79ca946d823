/// The easy handles that wait for a request. Last in, first out: the last used is the one in the processor's cache.
final class HandlePool {
    private let settings: HandleSettings
    private let clock: LoopClock
    private let maximumIdle: Int
    private let connections = KeptConnections()
    private var idle: [EasyHandle] = []

    init(_ configuration: CurlConfiguration, clock: LoopClock) {
        settings = HandleSettings(configuration: configuration)
        self.clock = clock
        maximumIdle = configuration.maximumIdleHandles
    }

    var idleCount: Int { idle.count }

    /// `nil` when libcurl cannot make one, or refuses an option.
    func take(preparedFor transfer: Transfer) -> EasyHandle? {
        if let handle = idle.popLast() {
            if handle.prepare(for: transfer) { return handle }
            // One whose transfer was broken off may keep its buffer, and then refuses another size for it.
            handle.recycle()
        }
        guard let handle = EasyHandle(settings: settings, clock: clock, connections: connections),
            handle.prepare(for: transfer)
        else { return nil }
        return handle
    }

    func give(_ handle: EasyHandle) {
        if idle.count < maximumIdle { idle.append(handle) }
    }

    func removeAll() { idle = [] }
}
