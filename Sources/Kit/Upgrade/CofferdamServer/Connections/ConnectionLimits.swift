#if Server
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// How many connections a server accepts, and how long it waits for a request.
public struct ConnectionLimits: Sendable, Hashable {
    /// The maximum number of open connections; nil for what the process's limit of open files allows, but at most
    /// 10,000 more than long polls and event streams.
    public var total: Int?
    /// The maximum number from one IPv4 address or one /64 of IPv6, trusted proxies excepted. 0 for no limit; nil
    /// for 1,000, but at most half of the total.
    public var perAddress: Int?
    /// The time in which the head of a request must arrive.
    public var head: Duration = .seconds(10)
    /// The time that a request's body may take, in addition to that for its bytes.
    public var body: Duration = .seconds(10)
    /// The least rate of a body.
    public var bodyBytesPerSecond = 500

    /// Creates the default limits.
    public init() {}

    /// What the process's limit of open files allows, without those that the rest of the server needs.
    static func most(ofFiles files: Int) -> Int { max(1, files - min(1_000, max(32, files / 4))) }

    func check() throws(ControlPlaneError) {
        let files = FileLimit.current
        let most = Self.most(ofFiles: files)
        guard (1...most).contains(total ?? most) else {
            throw ControlPlaneError(
                .invalidConfiguration,
                "the number of connections must be 1 to \(most): the process may open \(files) files"
            )
        }
        guard perAddress ?? 0 >= 0, head > .zero, body > .zero, bodyBytesPerSecond > 0 else {
            throw ControlPlaneError(
                .invalidConfiguration,
                "the connections of an address must not be negative, and the times and the rate must be positive"
            )
        }
    }
}

/// The limit of the files, and with them the connections, that this process may have open at once.
package enum FileLimit {
    private static var files: rlimit {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : rlimit(rlim_cur: 256, rlim_max: 256)
    }

    #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let resource = RLIMIT_NOFILE
    #endif

    static var current: Int { Int(clamping: files.rlim_cur) }

    /// Raises the soft limit to the hard one.
    package static func raise() {
        var limit = files
        #if canImport(Darwin)
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, rlim_t(OPEN_MAX)))
        #else
        limit.rlim_cur = limit.rlim_max
        #endif
        setrlimit(resource, &limit)
    }
}
#endif
