#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The wall clock.
public enum WallTime {
    /// Returns the current time in milliseconds since 1970.
    public static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Returns the time since `past`, in the same unit; 0 if `past` is in the future.
    package static func since(_ past: Int64, at now: Int64) -> Int64 {
        let (difference, isOver) = now.subtractingReportingOverflow(past)
        return isOver ? (past < now ? .max : 0) : max(0, difference)
    }
}
