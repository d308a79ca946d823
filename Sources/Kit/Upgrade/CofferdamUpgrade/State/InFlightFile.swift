#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif
import Synchronization

/// Counts the candidate's calls in flight, in a memory-mapped file that survives the process, however it ends. Each
/// call costs one addition. Only one process may use the file at a time.
///
/// A process that crashes or is killed leaves a ``Crash``: by a trap, `abort`, or a signal that it does not handle. A
/// process that exits normally leaves none, whatever is in flight: it drops this object, calls ``close()``, returns
/// from `main` or calls `exit`, as a SIGTERM handler does. A process that ends by `_exit`, or by a SIGTERM that it
/// does not handle, must call ``close()`` first.
///
/// A phone suspends an app in the background, and ends it there without a word. Between ``pause()`` and ``resume()``,
/// whatever ends the process leaves no crash.
public final class InFlightFile: CandidateCallLog {
    /// A crash of the previous process while calls were in flight.
    public struct Crash: Sendable, Hashable {
        /// The number of the candidate's calls in flight.
        package var calls: Int
        /// The number of units with a waiting caller; 0 if the calls had no unit.
        package var units: Int
        /// The number of units with only shadow calls in flight.
        package var shadowUnits: Int
        /// The number of calls of named units, which say nothing about other units.
        package var namedCalls: Int
        /// The number of units with a waiting caller on the legacy side.
        package var legacyUnits: Int
        /// The last epoch passed to `enter(epoch:)`.
        package var epoch: Int
        /// When the crash was noticed, in milliseconds since 1970.
        package var noticed: Int64

        package init(
            calls: Int,
            units: Int,
            shadowUnits: Int = 0,
            namedCalls: Int = 0,
            legacyUnits: Int = 0,
            epoch: Int,
            noticed: Int64
        ) {
            (self.calls, self.units, self.shadowUnits, self.namedCalls) = (calls, units, shadowUnits, namedCalls)
            (self.legacyUnits, self.epoch, self.noticed) = (legacyUnits, epoch, noticed)
        }
    }

    /// The crash of the previous process; nil if that process exited normally, no call was in flight, or the file is
    /// new.
    public let crash: Crash?
    /// Whether three processes crashed within ten minutes: do not open the candidate.
    package let hasCrashedTooOften: Bool

    private let file: Int32
    private let page: InFlightPage
    private let place: Int?
    /// Whether another process may own the file by now; then nothing is written to it.
    private let isOver = Atomic<Bool>(false)
    private let isExiting = Atomic<Bool>(false)

    /// - Parameters:
    ///   - path: the file, created if it is missing; its directory must exist.
    ///   - now: milliseconds since 1970.
    /// - Throws: ``UpgradeStoreError``: `unavailable` if another process uses the file, `unreadable` if it is a
    ///   different kind of file.
    public init(path: String, now: Int64 = WallTime.now()) throws(UpgradeStoreError) {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.failure(path, "cannot be opened") }
        do {
            page = try Self.map(file, path)
        } catch {
            Self.close(file)
            throw error
        }
        let (hasLeft, wasPaused) = (page.enter(), page.resume())
        let taken = page.take()
        let (calls, units, shadowUnits, namedCalls, legacyUnits) = hasLeft || wasPaused ? (0, 0, 0, 0, 0) : taken
        let end = Crash(
            calls: calls,
            units: units,
            shadowUnits: shadowUnits,
            namedCalls: namedCalls,
            legacyUnits: legacyUnits,
            epoch: page.epoch,
            noticed: now
        )
        crash = calls > 0 || legacyUnits > 0 ? end : nil
        hasCrashedTooOften = calls > 0 && page.noteCrash(at: now)
        place = InFlightPages.shared.add(page)
    }

    deinit {
        release(cleanly: true)
        if !isExiting.load(ordering: .relaxed) { page.unmap() }
        Self.close(file)
    }

    /// Marks a normal exit: calls in flight, or that still begin, do not count as a crash. The file can be opened
    /// again at once, even while this object exists.
    public func close() { release(cleanly: true) }

    /// Sets the calls in flight aside, and those that still begin: call it when the app goes to the background. From now
    /// on the end of the process is no crash.
    public func pause() { if !isOver.load(ordering: .relaxed) { page.pause(true) } }

    /// Ends ``pause()``: call it when the app comes to the foreground. Calls that are still in flight count again.
    public func resume() { if !isOver.load(ordering: .relaxed) { page.pause(false) } }

    /// Leaves the calls in flight as if the process had been killed, to rehearse a crash.
    package func abandon() { release(cleanly: false) }

    private func release(cleanly: Bool) {
        guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // While the process exits, the page stays mapped.
        isExiting.store(!InFlightPages.shared.remove(page, at: place), ordering: .relaxed)
        if cleanly { page.leave() }
        flock(file, LOCK_UN)
    }

    /// Counts the call in the file.
    public func began(_ call: CandidateCall) { add(1, call) }
    /// Removes the call from the file's count.
    public func ended(_ call: CandidateCall) { add(-1, call) }

    /// Counts the unit in the file.
    public func beganLegacy(isUnitsOnlyCall: Bool) { addLegacyUnit(1, isUnitsOnlyCall) }
    /// Removes the unit from the file's count.
    public func endedLegacy(isUnitsOnlyCall: Bool) { addLegacyUnit(-1, isUnitsOnlyCall) }

    private func addLegacyUnit(_ count: Int64, _ isUnitsOnlyCall: Bool) {
        if isUnitsOnlyCall, !isOver.load(ordering: .relaxed) { page.addLegacyUnit(count) }
    }

    private func add(_ count: Int64, _ call: CandidateCall) {
        if !isOver.load(ordering: .relaxed) { page.add(count, call) }
    }

    /// Sets the epoch of the calls that begin from now on.
    package func enter(epoch: Int) { if !isOver.load(ordering: .relaxed) { page.epoch = epoch } }

    /// The number of calls in flight; 0 after closing.
    package var inFlight: Int { isOver.load(ordering: .relaxed) ? 0 : page.inFlight }

    private static func map(_ file: Int32, _ path: String) throws(UpgradeStoreError) -> InFlightPage {
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK
                ? UpgradeStoreError(.unavailable, "another process is using it", subject: path)
                : failure(path, "cannot be locked")
        }
        var attributes = stat()
        guard fstat(file, &attributes) == 0 else { throw failure(path, "cannot be examined") }
        guard [0, InFlightPage.size].contains(Int(attributes.st_size)) else {
            throw UpgradeStoreError(.unreadable, "its size is wrong: \(attributes.st_size) bytes", subject: path)
        }
        try take(file, path)
        guard let start = mmap(nil, InFlightPage.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), start != MAP_FAILED
        else { throw failure(path, "cannot be mapped") }
        guard let page = InFlightPage(at: start) else {
            munmap(start, InFlightPage.size)
            throw UpgradeStoreError(.unreadable, "its format is unknown", subject: path)
        }
        return page
    }

    /// Rewrites the file's content, or fills a new file with zeros, to allocate its disk space. Without that space,
    /// writing to the mapped page would end the process.
    private static func take(_ file: Int32, _ path: String) throws(UpgradeStoreError) {
        var bytes = [UInt8](repeating: 0, count: InFlightPage.size)
        guard pread(file, &bytes, bytes.count, 0) >= 0, pwrite(file, bytes, bytes.count, 0) == bytes.count else {
            throw failure(path, "its disk space cannot be allocated")
        }
    }

    private static func close(_ file: Int32) {
        #if canImport(Glibc)
        _ = Glibc.close(file)
        #elseif canImport(Darwin)
        _ = Darwin.close(file)
        #endif
    }

    private static func failure(_ path: String, _ what: String) -> UpgradeStoreError {
        UpgradeStoreError(.unavailable, "\(what): \(String(cString: strerror(errno)))", subject: path)
    }
}
