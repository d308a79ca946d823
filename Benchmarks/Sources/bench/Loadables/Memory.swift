import Cofferdam
import CofferdamState
import Foundation
import OpenCombine

#if os(Linux)
/// Measures the memory of one idle loadable and one observer, by the growth of the process.
func memoryRows() -> [Measurement] {
    let count = 200_000
    // All are kept until the end, so that none reuses the memory of another.
    var kept: [Any] = []
    let loadables = bytes(for: count, &kept) { Loadable<Int> { 1 } }
    let subjects = bytes(for: count, &kept) { CurrentValueSubject<Int, Never>(0) }
    let loadable = Loadable<Int> { 1 }
    let observers = bytes(for: count, &kept) { loadable.observe { _ in } }
    let subject = CurrentValueSubject<Int, Never>(0)
    let sinks = bytes(for: count, &kept) { subject.sink { _ in } }
    defer { withExtendedLifetime(kept) {} }
    return [
        ("memory.loadable", loadables, "OpenCombine's CurrentValueSubject", subjects),
        ("memory.observer", observers, "OpenCombine's sink", sinks),
    ].map { name, ours, base, theirs in
        Measurement(name: name, value: ours, unit: "bytes", base: base, ratio: ours / theirs, samples: count)
    }
}

private func bytes<Value>(for count: Int, _ kept: inout [Any], _ make: () -> Value) -> Double {
    var values: [Value] = []
    values.reserveCapacity(count)
    let before = residentBytes
    for _ in 0..<count { values.append(make()) }
    let after = residentBytes
    kept.append(values)
    // The array's own share was reserved, and not touched, before.
    return (after - before) / Double(count) - Double(MemoryLayout<Value>.stride)
}

private var residentBytes: Double {
    let fields = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (fields.flatMap { $0.count > 1 ? Double($0[1]) : nil } ?? .nan) * Double(sysconf(Int32(_SC_PAGESIZE)))
}
#else
func memoryRows() -> [Measurement] { [] }
#endif
