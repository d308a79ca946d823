/// The easy handles that wait for a request. Last in, first out: the last used is the one in the processor's cache.
final class HandlePool {
    /// What libcurl reads at once, in bytes. It allocates that for each request: below 64 KB, from which on glibc tidies
    /// up its whole heap at each free.
    private static let bufferSize = 32 << 10
    private static let streamBufferSize = 128 << 10

    private let settings: HandleSettings
    private let clock: LoopClock
    private let maximumIdle: Int
    private var idle: [EasyHandle] = []
    private var idleStreams: [EasyHandle] = []

    init(_ configuration: CurlConfiguration, clock: LoopClock) {
        settings = HandleSettings(configuration: configuration)
        self.clock = clock
        maximumIdle = configuration.maximumIdleHandles
    }

    var idleCount: Int { idle.count + idleStreams.count }

    /// `nil` when libcurl cannot make one.
    func take(forStream isStream: Bool) -> EasyHandle? {
        let idle = isStream ? idleStreams.popLast() : idle.popLast()
        let bufferSize = isStream ? Self.streamBufferSize : Self.bufferSize
        return idle ?? EasyHandle(settings: settings, bufferSize: bufferSize, clock: clock)
    }

    func give(_ handle: EasyHandle, forStream isStream: Bool) {
        guard idleCount < maximumIdle else { return }
        if isStream { idleStreams.append(handle) } else { idle.append(handle) }
    }

    func removeAll() {
        idle = []
        idleStreams = []
    }
}
