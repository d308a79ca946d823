#if Curl
#if os(Linux)
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The resources of this process, as counted by the kernel.
enum ProcessCensus {
    /// The threads of clients, and of libcurl's resolver, which inherit their name.
    static var clientThreads: Int {
        names(in: "/proc/self/task").count { content(of: "/proc/self/task/\($0)/comm") == "cofferdam-curl\n" }
    }

    /// The open sockets, by their inode numbers.
    static var sockets: Set<String> {
        Set(names(in: "/proc/self/fd").map { target(of: "/proc/self/fd/\($0)") }.filter { $0.hasPrefix("socket:") })
    }

    /// Returns once the kernel's counts are as expected; fails the test otherwise.
    static func until(_ condition: () -> Bool) async {
        for _ in 0..<20_000 {
            if condition() { return }
            usleep(500)
            await Task.yield()
        }
        Issue.record("\(clientThreads) threads, \(sockets.count) sockets")
    }

    /// AddressSanitizer keeps freed memory for a while.
    static var keepsFreedMemory: Bool { dlsym(nil, "__asan_init") != nil }

    /// In bytes.
    static var residentMemory: Int { statusValue("VmRSS:") }

    /// The largest so far, in bytes.
    static var peakMemory: Int { statusValue("VmHWM:") }

    /// The memory allocated by malloc, in bytes; `nil` where it is unknown.
    static var allocatedMemory: Int? {
        // Swift's module map of the C library lacks it.
        typealias Report = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
        guard let symbol = dlsym(nil, "malloc_info") else { return nil }
        var text: UnsafeMutablePointer<CChar>?
        var size = 0
        guard let file = open_memstream(&text, &size) else { return nil }
        let result = unsafeBitCast(symbol, to: Report.self)(0, file)
        fclose(file)
        defer { free(text) }
        guard result == 0, let text else { return nil }
        // The totals of all arenas come last.
        let report = String(cString: text).split(separator: "\n")
        func value(_ prefix: String) -> Int {
            let line = report.last { $0.hasPrefix(prefix) } ?? ""
            return line.firstRange(of: "size=\"").flatMap { Int(line[$0.upperBound...].prefix { $0 != "\"" }) } ?? 0
        }
        let free = value("<total type=\"fast\"") + value("<total type=\"rest\"")
        let given = value("<system type=\"current\"") - free
        return given > 0 ? given + value("<total type=\"mmap\"") : nil
    }

    private static func statusValue(_ name: String) -> Int {
        for line in content(of: "/proc/self/status").split(separator: "\n") where line.hasPrefix(name) {
            return (Int(line.filter(\.isNumber)) ?? 0) << 10
        }
        return 0
    }

    private static func target(of link: String) -> String {
        var target = [CChar](repeating: 0, count: 256)
        guard readlink(link, &target, target.count - 1) > 0 else { return "" }
        return String(decoding: target.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func content(of path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(file, &block, block.count), count > 0 { bytes += block[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
#endif
#endif
