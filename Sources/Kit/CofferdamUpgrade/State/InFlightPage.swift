#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import Synchronization

/// The numbers of an ``InFlightFile``, in memory that is the file.
///
/// Proof that it may be sent: every number is an atomic one, and the memory is mapped until the file's owner goes.
struct InFlightPage: @unchecked Sendable {
    /// In bytes.
    static let size = 4096

    /// "CofI" and the format's version.
    private static let mark: Int64 = 0x436F_6649_0000_0001
    /// How many ends in how many milliseconds are too many.
    private static let mostEnds = 3
    private static let mostCalls: Int64 = 10_000
    private static let period: Int64 = 10 * 60 * 1_000

    private enum Place: Int {
        case mark, inFlight, epoch, ends
        // After the three ends. A file of before has zeros there.
        case units = 6
        case shadowUnits
        /// 1 where the process has left in order. A file of before says no such thing.
        case isLeft
        /// The calls of named units. A file of before has none.
        case named
    }

    private let start: UnsafeMutableRawPointer

    /// Nil where something else is there. A file that is new is all zeros.
    ///
    /// - Parameter start: ``size`` bytes, from the beginning of a page.
    init?(at start: UnsafeMutableRawPointer) {
        self.start = start
        let found = number(.mark).pointee.load(ordering: .relaxed)
        guard found == 0 || found == Self.mark else { return nil }
        number(.mark).pointee.store(Self.mark, ordering: .relaxed)
    }

    /// One that is there already.
    init(mapped start: UnsafeMutableRawPointer) { self.start = start }

    var address: UInt { UInt(bitPattern: start) }

    func unmap() { munmap(start, Self.size) }

    /// The process leaves in order: what is under way from now on says nothing.
    func leave() { number(.isLeft).pointee.store(1, ordering: .relaxed) }

    /// - Returns: whether the process before has left in order.
    func enter() -> Bool { number(.isLeft).pointee.exchange(0, ordering: .relaxed) == 1 }

    /// - Parameter count: 1 for a call that begins, -1 for one that ends.
    func add(_ count: Int64, _ call: CandidateCall) {
        number(.inFlight).pointee.wrappingAdd(count, ordering: .relaxed)
        switch call.kind {
        case .named: number(.named).pointee.wrappingAdd(count, ordering: .relaxed)
        case .answering: if call.isUnitsOnly { number(.units).pointee.wrappingAdd(count, ordering: .relaxed) }
        case .shadow: if call.isUnitsOnly { number(.shadowUnits).pointee.wrappingAdd(count, ordering: .relaxed) }
        }
    }
    var inFlight: Int { Int(number(.inFlight).pointee.load(ordering: .relaxed)) }

    var epoch: Int {
        get { Int(number(.epoch).pointee.load(ordering: .relaxed)) }
        nonmutating set { number(.epoch).pointee.store(Int64(newValue), ordering: .relaxed) }
    }

    /// What was under way, and from now on is not.
    func take() -> (calls: Int, units: Int, shadowUnits: Int, namedCalls: Int) {
        let calls = take(.inFlight, most: Self.mostCalls)
        let shadowUnits = take(.shadowUnits, most: calls)
        let units = take(.units, most: calls - shadowUnits)
        let namedCalls = take(.named, most: calls - shadowUnits - units)
        return (Int(calls), Int(units), Int(shadowUnits), Int(namedCalls))
    }

    /// More than can be are a damaged file's.
    private func take(_ place: Place, most: Int64) -> Int64 {
        min(max(0, number(place).pointee.exchange(0, ordering: .relaxed)), most)
    }

    /// - Returns: whether it is one of too many; then they are forgotten, for the next time.
    func noteEnd(at now: Int64) -> Bool {
        let places = 0..<Self.mostEnds
        let before = places.map { number(.ends, $0).pointee.load(ordering: .relaxed) }
        // A clock that was set back must not hide an end: what is in the future is as good as now.
        let recent = before.filter { $0 > 0 && now - min($0, now) <= Self.period } + [now]
        let isTooOften = recent.count >= Self.mostEnds
        let kept = isTooOften ? [] : recent
        for place in places {
            number(.ends, place).pointee.store(kept.count > place ? kept[place] : 0, ordering: .relaxed)
        }
        return isTooOften
    }

    private func number(_ place: Place, _ offset: Int = 0) -> UnsafeMutablePointer<Atomic<Int64>> {
        start.assumingMemoryBound(to: Atomic<Int64>.self) + (place.rawValue + offset)
    }
}
