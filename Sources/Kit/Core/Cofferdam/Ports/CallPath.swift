import struct Synchronization.Atomic

/// Leads the calls of a route to its sides. Without type parameters, because calls through a protocol are not
/// specialized and would look up their types each time.
///
/// Only the caller's own call of the port is asynchronous: a call begins and ends without waiting. What must wait, such
/// as the opening of a side, is prepared before an attempt.
@usableFromInline
package protocol CallPath: AnyObject, Sendable {
    /// Begins a call and its first attempt, as far as it need not wait: see ``RoutedAttempt/isReady``.
    ///
    /// - Parameter cursor: where the call continues in a list; nil at the beginning, and for other calls.
    func begin(_ operation: borrowing OperationTraits, _ cursor: borrowing String?) -> RoutedAttempt

    /// Begins the next attempt, and waits for what it needs.
    ///
    /// - Throws: what the caller gets if there is no attempt; the call has ended then.
    func prepare(_ operation: OperationTraits, _ cursor: String?, _ call: inout RoutedAttempt) async throws

    /// Ends an attempt, and the call if it is the last one.
    ///
    /// - Parameter error: what the attempt threw; nil if it returned.
    /// - Returns: what the caller gets instead of an answer; nil if the attempt returned, or if another one follows.
    func end(
        _ operation: borrowing OperationTraits,
        _ error: (any Error)?,
        _ call: inout RoutedAttempt
    ) -> (any Error)?

    /// Reports an attempt whose caller has given up, while the side is still asked.
    func givenUp(_ operation: OperationTraits, _ call: RoutedAttempt)

    /// The cursor with the mark of its side; nil if it needs none.
    func marked(_ cursor: String, of side: Side) -> String?

    /// Runs the comparisons.
    var comparing: (any TaskExecutor)? { get }

    /// Waits for the turn of a comparison.
    ///
    /// - Parameter continuation: is resumed once when it is: with true at once, or later with false.
    func wait(at place: ComparisonPlace, _ continuation: UnsafeContinuation<Bool, Never>)

    /// Asks the other side and reports how the answers compare, once it is its turn.
    ///
    /// - Parameters:
    ///   - first: the answer of the side that was asked first.
    ///   - call: the ended call.
    nonisolated(nonsending) func compare<Port, Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ first: Result<Output, any Error>,
        _ ports: SidePorts<Port>,
        _ call: ComparedCall
    ) async
}

/// What a call carries from its beginning to its end.
@usableFromInline
package struct RoutedAttempt: Sendable {
    /// Whether the side may be asked; otherwise the attempt is prepared first.
    @usableFromInline package var isReady = false
    /// Whether a cancellation is reported when it happens.
    @usableFromInline package var isTimed = false
    /// Whether it was reported.
    @usableFromInline package var isReported = false
    /// The side that is asked.
    @usableFromInline package var side = Side.legacy
    /// The cursor as its side issued it, if it had a mark.
    @usableFromInline package var cursor: String?
    /// The place of the ended call's comparison; nil if there is none.
    @usableFromInline package var comparison: ComparisonPlace?

    // For the path's own use.
    package var decision: (any AnyObject & Sendable)?
    package var permit: (any AnyObject & Sendable)?
    package var other: Side?
    package var shadow: Side?
    package var isFallback = false
    package var isForeign = false
    package var isOpened = true
    /// Whether the answer matters, and not only a failure.
    package var isRecorded = false
    /// When the attempt began, and how long it took once it has ended.
    package var time = Duration.zero
    /// How long the caller waited for the side to open.
    package var opening = Duration.zero
    package var first: FirstAttempt?
    /// The report of the first attempt, which waits for the second one.
    package var report: (any Sendable)?
    /// Identifies the attempt for those who were told of its beginning; 0 if it was not told.
    package var number: UInt64 = 0

    /// How the first attempt failed, once another one has begun.
    package enum FirstAttempt: Sendable {
        case refused
        case failed(any Error, isUnknown: Bool)
    }

    package init() {}
}

/// What a comparison needs of its call, which would be copied whole.
@usableFromInline
package struct ComparedCall: Sendable {
    package let decision: (any AnyObject & Sendable)?
    /// The side that is asked for comparison.
    package let shadow: Side?
    /// How long the call took.
    package let time: Duration
    /// Whether its side could be opened.
    package let isOpened: Bool

    @usableFromInline
    init(_ call: borrowing RoutedAttempt) {
        (decision, shadow, time, isOpened) = (call.decision, call.shadow, call.time, call.isOpened)
    }
}

/// The place of a comparison in its queue.
@usableFromInline
package struct ComparisonPlace: Sendable {
    package let number: Int
    /// Whether others come first.
    @usableFromInline package let waits: Bool

    package init(number: Int, waits: Bool) { (self.number, self.waits) = (number, waits) }
}

/// A cursor that no side accepts any more.
package struct StaleCursor: Error {
    package init() {}
}

/// Whether an attempt is in flight that its caller may give up.
@usableFromInline
struct CancellationWatch: ~Copyable, Sendable {
    private let isInFlight = Atomic<Bool>(false)

    @usableFromInline
    init() {}

    @usableFromInline
    borrowing func begin() { isInFlight.store(true, ordering: .releasing) }

    /// - Returns: whether the attempt was in flight: it ends once, with its result or when its caller gives up.
    @usableFromInline
    borrowing func end() -> Bool { isInFlight.exchange(false, ordering: .acquiringAndReleasing) }
}
