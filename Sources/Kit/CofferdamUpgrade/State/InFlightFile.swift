#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import Synchronization

/// Counts the calls of the candidate that are under way in a file that outlives the process, however it ends: one addition in
/// memory that the system keeps. One process has the file at a time.
///
/// A process that crashes or is killed leaves an ``Crash``: by a trap, `abort`, or a signal that it does not handle. One that leaves
/// in order leaves none, whatever is under way: it drops this object, calls ``close()``, returns from `main` or calls `exit`, as the
/// handler of a SIGTERM does. A process that ends by `_exit`, or by a SIGTERM that it does not handle, has nothing to say it by, and so
/// calls ``close()`` before.
public final class InFlightFile: CandidateCallLog {
    /// What the process before left: it ended out of order while calls of the candidate were under way.
    public struct Crash: Sendable, Hashable {
        /// How many calls were under way.
        public var calls: Int
        /// Of how many units callers waited for some of them; 0 if they were nobody's.
        public var units: Int
        /// Of how many units some were to be compared, and nobody waited for them.
        public var shadowUnits: Int
        /// How many of the calls were named units': they say nothing of the others.
        public var namedCalls: Int
        /// The epoch that ``InFlightFile/enter(epoch:)`` was told last.
        public var epoch: Int
        /// When it was noticed, in milliseconds since 1970.
        public var noticed: Int64
    }

    /// Nil where the process has left in order, everything had ended, or the file is new.
    public let crash: Crash?
    /// Whether three processes ended so within ten minutes: the candidate is not to be opened.
    public let hasEndedTooOften: Bool

    private let file: Int32
    private let page: InFlightPage
    private let place: Int?
    /// Whether the file may be another's by now: then nothing is written to it any more.
    private let isOver = Atomic<Bool>(false)
    private let isExits = Atomic<Bool>(false)

    /// - Parameters:
    ///   - path: the file, made if it is missing; its directory must be there.
    ///   - now: milliseconds since 1970.
    /// - Throws: ``UpgradeStoreError``: `unavailable` if another process has the file, `unreadable` if it is none of these.
    public init(path: String, now: Int64 = WallTime.now()) throws(UpgradeStoreError) {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.failure(path, "cannot be opened") }
        do {
            page = try Self.map(file, path)
        } catch {
            Self.close(file)
            throw error
        }
        let hasLeft = page.enter()
        let taken = page.take()
        let (calls, units, shadowUnits, namedCalls) = hasLeft ? (0, 0, 0, 0) : taken
        let end = Crash(
            calls: calls,
            units: units,
            shadowUnits: shadowUnits,
            namedCalls: namedCalls,
            epoch: page.epoch,
            noticed: now
        )
        crash = calls > 0 ? end : nil
        hasEndedTooOften = calls > 0 && page.noteEnd(at: now)
        place = InFlightPages.shared.add(page)
    }

    deinit {
        letGo(inOrder: true)
        if !isExits.load(ordering: .relaxed) { page.unmap() }
        Self.close(file)
    }

    /// This process leaves in order: calls that are under way, or still begin, are no crash's, and are not counted any more. The file
    /// can be opened again at once, although this object is still there.
    public func close() { letGo(inOrder: true) }

    /// What is under way stays so, as if the process had been killed: for those who rehearse that.
    package func abandon() { letGo(inOrder: false) }

    private func letGo(inOrder: Bool) {
        guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // While the process exits, the page stays where it is.
        isExits.store(!InFlightPages.shared.remove(page, at: place), ordering: .relaxed)
        if inOrder { page.leave() }
        flock(file, LOCK_UN)
    }

    public func began(_ call: CandidateCall) { add(1, call) }
    public func ended(_ call: CandidateCall) { add(-1, call) }

    private func add(_ count: Int64, _ call: CandidateCall) {
        if !isOver.load(ordering: .relaxed) { page.add(count, call) }
    }

    /// The calls that begin from now on are of that epoch.
    public func enter(epoch: Int) { if !isOver.load(ordering: .relaxed) { page.epoch = epoch } }

    /// How many calls are under way; 0 once the file was closed.
    public var inFlight: Int { isOver.load(ordering: .relaxed) ? 0 : page.inFlight }

    private static func map(_ file: Int32, _ path: String) throws(UpgradeStoreError) -> InFlightPage {
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK
                ? UpgradeStoreError(.unavailable, "another process has it", subject: path)
                : failure(path, "cannot be locked")
        }
        var attributes = stat()
        guard fstat(file, &attributes) == 0 else { throw failure(path, "cannot be looked at") }
        guard [0, InFlightPage.size].contains(Int(attributes.st_size)) else {
            throw UpgradeStoreError(.unreadable, "it has \(attributes.st_size) bytes, none of ours has", subject: path)
        }
        try take(file, path)
        guard let start = mmap(nil, InFlightPage.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), start != MAP_FAILED
        else { throw failure(path, "cannot be mapped") }
        guard let page = InFlightPage(at: start) else {
            munmap(start, InFlightPage.size)
            throw UpgradeStoreError(.unreadable, "its format is another one", subject: path)
        }
        return page
    }

    /// Writes what is there once more, or zeros: a page that the disk has no place for would end the process when it is written to.
    private static func take(_ file: Int32, _ path: String) throws(UpgradeStoreError) {
        var bytes = [UInt8](repeating: 0, count: InFlightPage.size)
        guard pread(file, &bytes, bytes.count, 0) >= 0, pwrite(file, bytes, bytes.count, 0) == bytes.count else {
            throw failure(path, "has no place on the disk")
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
