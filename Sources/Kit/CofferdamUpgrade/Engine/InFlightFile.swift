#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import Synchronization

/// Counts the calls of the candidate that are under way in a file that outlives the process, however it ends: one addition in
/// memory that the system keeps. One process has the file at a time.
public final class InFlightFile: CandidateCallLog {
    /// What the process before left: it ended while calls of the candidate were under way.
    public struct UncleanEnd: Sendable, Hashable {
        /// How many calls were under way.
        public var calls: Int
        /// Of how many units callers waited for some of them; 0 if they were nobody's.
        public var units: Int
        /// Of how many units some were to be compared, and nobody waited for them.
        public var shadowUnits: Int
        /// The epoch that ``InFlightFile/enter(epoch:)`` was told last.
        public var epoch: Int
        /// When it was noticed, in milliseconds since 1970.
        public var noticed: Int64
    }

    /// Nil where everything had ended, or the file is new.
    public let uncleanEnd: UncleanEnd?
    /// Whether three processes ended so within ten minutes: the candidate is not to be opened.
    public let hasEndedTooOften: Bool

    private let file: Int32
    private let page: InFlightPage

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
            close(file)
            throw error
        }
        let (calls, units, shadowUnits) = page.take()
        let end = UncleanEnd(calls: calls, units: units, shadowUnits: shadowUnits, epoch: page.epoch, noticed: now)
        uncleanEnd = calls > 0 ? end : nil
        hasEndedTooOften = calls > 0 && page.noteEnd(at: now)
    }

    deinit {
        page.unmap()
        // Closing lets go of the lock.
        close(file)
    }

    public func began(_ call: CandidateCall) { page.add(1, call) }
    public func ended(_ call: CandidateCall) { page.add(-1, call) }

    /// The calls that begin from now on are of that epoch.
    public func enter(epoch: Int) { page.epoch = epoch }

    /// How many calls are under way.
    public var inFlight: Int { page.inFlight }

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
        guard ftruncate(file, off_t(InFlightPage.size)) == 0 else { throw failure(path, "cannot be made larger") }
        guard let start = mmap(nil, InFlightPage.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), start != MAP_FAILED
        else { throw failure(path, "cannot be mapped") }
        guard let page = InFlightPage(at: start) else {
            munmap(start, InFlightPage.size)
            throw UpgradeStoreError(.unreadable, "its format is another one", subject: path)
        }
        return page
    }

    private static func failure(_ path: String, _ what: String) -> UpgradeStoreError {
        UpgradeStoreError(.unavailable, "\(what): \(String(cString: strerror(errno)))", subject: path)
    }
}
