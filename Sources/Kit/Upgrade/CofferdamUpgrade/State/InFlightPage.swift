#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif
import Synchronization

/// The counters of an ``InFlightFile``, in memory mapped from the file.
///
/// Proof that it is safe to send: every counter is atomic, and the memory stays mapped while its owner lives.
struct InFlightPage: @unchecked Sendable {
    /// The size of the page in bytes.
    static let size = 4096

    /// "CofI" and the format's version.
    private static let mark: Int64 = 0x436F_6649_0000_0001
    /// This many crashes within ``period`` are too many.
    private static let maxCrashes = 3
    private static let maxCalls: Int64 = 10_000
    /// In milliseconds.
    private static let period: Int64 = 10 * 60 * 1_000

    private enum Place: Int {
        case mark, inFlight, epoch, ends
        // After the three `ends`. Older files have zeros here.
        case units = 6
        case shadowUnits
        /// 1 after a normal exit. Older files have 0.
        case cleanExit
        /// The calls of named units. Older files have 0.
        case named
        /// 1 while the app is paused. Older files have 0.
        case paused
        /// The units with a waiting caller on the legacy side. Older files have 0.
        case legacyUnits
    }

    private let start: UnsafeMutableRawPointer

    /// Nil if the page has a different format. A new file is all zeros.
    ///
    /// - Parameter start: `size` bytes, page-aligned.
    init?(at start: UnsafeMutableRawPointer) {
        self.start = start
        let found = number(.mark).pointee.load(ordering: .relaxed)
        guard found == 0 || found == Self.mark else { return nil }
        number(.mark).pointee.store(Self.mark, ordering: .relaxed)
    }

    /// A page that is mapped already.
    init(mapped start: UnsafeMutableRawPointer) { self.start = start }

    var address: UInt { UInt(bitPattern: start) }

    func unmap() { munmap(start, Self.size) }

    /// Marks a normal exit: calls that are in flight from now on do not count.
    func leave() { number(.cleanExit).pointee.store(1, ordering: .relaxed) }

    /// - Returns: whether the previous process exited normally.
    func enter() -> Bool { number(.cleanExit).pointee.exchange(0, ordering: .relaxed) == 1 }

    /// Sets whether the system may end the process at any moment, which is no crash.
    func pause(_ isPaused: Bool) { number(.paused).pointee.store(isPaused ? 1 : 0, ordering: .relaxed) }

    /// - Returns: whether the previous process was paused.
    func resume() -> Bool { number(.paused).pointee.exchange(0, ordering: .relaxed) == 1 }

    /// - Parameter count: 1 for a call that begins, -1 for one that ends.
    func add(_ count: Int64, _ call: CandidateCall) {
        number(.inFlight).pointee.wrappingAdd(count, ordering: .relaxed)
        switch call.kind {
        case .named: number(.named).pointee.wrappingAdd(count, ordering: .relaxed)
        case .answering: if call.isUnitsOnlyCall { number(.units).pointee.wrappingAdd(count, ordering: .relaxed) }
        case .shadow: if call.isUnitsOnlyCall { number(.shadowUnits).pointee.wrappingAdd(count, ordering: .relaxed) }
        }
    }

    /// - Parameter count: of a unit with its only call to the legacy side.
    func addLegacyUnit(_ count: Int64) { number(.legacyUnits).pointee.wrappingAdd(count, ordering: .relaxed) }

    var inFlight: Int { Int(number(.inFlight).pointee.load(ordering: .relaxed)) }

    var epoch: Int {
        get { Int(number(.epoch).pointee.load(ordering: .relaxed)) }
        nonmutating set { number(.epoch).pointee.store(Int64(newValue), ordering: .relaxed) }
    }

    /// Returns and resets the calls in flight.
    func take() -> (calls: Int, units: Int, shadowUnits: Int, namedCalls: Int, legacyUnits: Int) {
        let calls = take(.inFlight, upTo: Self.maxCalls)
        let shadowUnits = take(.shadowUnits, upTo: calls)
        let units = take(.units, upTo: calls - shadowUnits)
        let namedCalls = take(.named, upTo: calls - shadowUnits - units)
        let legacyUnits = take(.legacyUnits, upTo: Self.maxCalls)
        return (Int(calls), Int(units), Int(shadowUnits), Int(namedCalls), Int(legacyUnits))
    }

    /// Returns and resets a counter. Clamps values that only a damaged file can contain.
    private func take(_ place: Place, upTo maximum: Int64) -> Int64 {
        min(max(0, number(place).pointee.exchange(0, ordering: .relaxed)), maximum)
    }

    /// Records a crash.
    ///
    /// - Returns: whether there were too many crashes; if so, they are forgotten.
    func noteCrash(at now: Int64) -> Bool {
        let places = 0..<Self.maxCrashes
        let before = places.map { number(.ends, $0).pointee.load(ordering: .relaxed) }
        // A clock that was set back must not hide a crash: a time in the future counts as now.
        let recent = before.filter { $0 > 0 && now - min($0, now) <= Self.period } + [now]
        let isTooOften = recent.count >= Self.maxCrashes
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

/// The pages that this process has mapped. `exit` marks each as a normal exit, because no `deinit` runs then.
///
/// All state is atomic: `exit` may be called on any thread, while others open and drop files, and from a signal
/// handler.
struct InFlightPages: Sendable {
    static let shared = InFlightPages()

    /// Files beyond this number are not marked by `exit`.
    private static let maxPages = 64

    // Proof that it may be sent: the memory is allocated once and never freed, and holds only atomic numbers.
    private nonisolated(unsafe) let places: UnsafeMutablePointer<Atomic<UInt>>
    /// A forked process has the pages too, but must not mark them.
    private let process = getpid()

    private init() {
        places = .allocate(capacity: Self.maxPages)
        for place in 0..<Self.maxPages { (places + place).initialize(to: Atomic(0)) }
        atexit { InFlightPages.shared.leaveAll() }
    }

    /// - Returns: the page's place; nil if none is left.
    func add(_ page: InFlightPage) -> Int? {
        (0..<Self.maxPages).first {
            places[$0].compareExchange(expected: 0, desired: page.address, ordering: .acquiringAndReleasing).exchanged
        }
    }

    /// - Returns: whether the page belongs to its owner alone; if not, `exit` is using it, and it must stay mapped.
    func remove(_ page: InFlightPage, at place: Int?) -> Bool {
        guard let place else { return true }
        return places[place].compareExchange(expected: page.address, desired: 0, ordering: .acquiringAndReleasing)
            .exchanged
    }

    private func leaveAll() {
        guard getpid() == process else { return }
        for place in 0..<Self.maxPages {
            let address = places[place].exchange(0, ordering: .acquiringAndReleasing)
            guard let start = UnsafeMutableRawPointer(bitPattern: address) else { continue }
            InFlightPage(mapped: start).leave()
        }
    }
}
