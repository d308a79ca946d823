#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The resources that this process has used so far.
enum ProcessUsage {
    /// User and system time of all threads, in seconds.
    static var processor: Double {
        let usage = usage
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// The high-water mark of the memory, in KB.
    ///
    /// Not `ru_maxrss` on Linux, where a child starts with the peak of its parent.
    static var peak: Int {
        #if canImport(Darwin)
        return usage.ru_maxrss / 1024
        #else
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard text.hasPrefix("VmHWM:") else { continue }
            return text.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
        }
        return 0
        #endif
    }

    /// Raises the limit of open files, for a thousand connections.
    static func raiseFileLimit() {
        var limit = rlimit()
        #if canImport(Glibc)
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let files = RLIMIT_NOFILE
        #endif
        guard getrlimit(files, &limit) == 0 else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 8192))
        setrlimit(files, &limit)
    }

    private static var usage: rusage {
        var usage = rusage()
        #if canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        return usage
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
}

/// Returns the monotonic time in nanoseconds, as cheaply as the C client does.
func nanoseconds() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}
