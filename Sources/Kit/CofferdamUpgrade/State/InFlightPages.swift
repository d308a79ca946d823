#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import Synchronization

/// The pages that this process has open: `exit` marks each of them as left in order, for no `deinit` comes then.
///
/// Everything is done by atomic numbers: `exit` may be called on any thread, while others still open and drop files, and from a
/// signal's handler.
struct InFlightPages: Sendable {
    static let shared = InFlightPages()

    /// More files than that at a time are as good as never left by `exit`.
    private static let most = 64

    // Proof that it may be sent: it is allocated once and never freed, and holds atomic numbers alone.
    private nonisolated(unsafe) let places: UnsafeMutablePointer<Atomic<UInt>>
    /// A process that was forked has the pages as well, and its end is none of theirs.
    private let process = getpid()

    private init() {
        places = .allocate(capacity: Self.most)
        for place in 0..<Self.most { (places + place).initialize(to: Atomic(0)) }
        atexit { InFlightPages.shared.leaveAll() }
    }

    /// - Returns: where it is; nil where there is no place.
    func add(_ page: InFlightPage) -> Int? {
        (0..<Self.most).first {
            places[$0].compareExchange(expected: 0, desired: page.address, ordering: .acquiringAndReleasing).exchanged
        }
    }

    /// - Returns: whether it is still its owner's; otherwise `exit` has it, and it must stay mapped.
    func remove(_ page: InFlightPage, at place: Int?) -> Bool {
        guard let place else { return true }
        return places[place].compareExchange(expected: page.address, desired: 0, ordering: .acquiringAndReleasing)
            .exchanged
    }

    private func leaveAll() {
        guard getpid() == process else { return }
        for place in 0..<Self.most {
            let address = places[place].exchange(0, ordering: .acquiringAndReleasing)
            guard let start = UnsafeMutableRawPointer(bitPattern: address) else { continue }
            InFlightPage(mapped: start).leave()
        }
    }
}
