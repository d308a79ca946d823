#if Server
import Cofferdam
import CofferdamUpgrade

/// How often devices post evidence, for each capability, since this server started.
final class DevicePosts: Sendable {
    private struct Known {
        /// In milliseconds since 1970.
        var last: Int64
        /// The minute of the last post, and the posts in it.
        var minute: Int64
        var count = 0.0
        /// The posts in a usual minute with posts; nil in the first.
        var usual: Double?
    }

    private let known = Mutex<[String: Known]>([:])

    /// How much of the usual number the last minute is.
    private static let weight = 0.1

    /// Counts a post.
    ///
    /// - Parameter now: in milliseconds since 1970.
    func count(of capability: String, at now: Int64) {
        let minute = now / 60_000
        known.withLock { all in
            var known = all[capability] ?? Known(last: now, minute: minute)
            if known.minute != minute {
                let usual = known.usual ?? known.count
                known.usual = usual + Self.weight * (known.count - usual)
                (known.minute, known.count) = (minute, 0)
            }
            known.count += 1
            known.last = max(known.last, now)
            all[capability] = known
        }
    }

    /// Nil before the first post.
    func news(of capability: String, at now: Int64) -> DeviceNews? {
        known.withLock { $0[capability] }.map { known in
            DeviceNews(secondsAgo: max(0, now - known.last) / 1_000, perMinute: known.usual ?? known.count)
        }
    }
}
#endif
