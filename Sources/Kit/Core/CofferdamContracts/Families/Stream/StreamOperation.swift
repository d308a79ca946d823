/// A stream of a port, described for the rules STRM-01 to STRM-13.
///
/// The rules make the vendor send events that carry numbers, from 1 without gaps. An event may stand for all before it,
/// as a list of everything does.
public struct StreamOperation<Subject: Sendable, Event: Sendable & Hashable>: RuleFamily {
    /// The stream that the rules subscribe to.
    public let stream: PortStream<Subject, Event>
    let vendor: Vendor
    /// Returns the number that an event carries, the highest if it stands for several; nil if it carries none.
    let number: @Sendable (Event) -> Int?
    /// Whether events carry numbers at all.
    let hasNumbers: Bool
    /// Whether the event stands for everything before it, so that no single event was missed.
    let isWhole: @Sendable (Event) -> Bool
    /// How something is removed at the vendor; nil if nothing ever is: STRM-12 is then not among the rules.
    let removal: Removal?
    /// Whether a new subscriber receives single events from before its subscription, as from a log that is read from
    /// its start. STRM-13 is then not among the rules. An event that stands for everything, such as a current state, is
    /// not a single event.
    let repeatsPast: Bool
    /// The event with which every stream begins, before anything happens; nil if streams begin with what happens first.
    let beginning: (@Sendable (Subject) async throws -> Event)?
    /// Whether a stream finishes when the vendor ends it properly. Otherwise it throws: the port takes the vendor for
    /// lost.
    let endsInOrder: Bool
    let overflow: Overflow
    /// The objects that belong to one stream alone and must be freed with it: its continuation, its buffer. Nil for
    /// those of the kit's `EventStream`; of any other stream, none are then known.
    let owned: (@Sendable (PortStream<Subject, Event>.Events) -> [any AnyObject & Sendable])?
    /// Whether this event says that the port does not know what happened in between; for ``resume``.
    let isGap: @Sendable (Event) -> Bool
    /// The capability of adapters whose stream resumes automatically after a lost connection.
    let resume: CapabilityTag
    /// The capability of harnesses whose vendor can be made to finish a stream.
    let orderlyEnd: HarnessCapability
    /// The capability of harnesses that learn how many events the adapter has dropped.
    let countedDrops: HarnessCapability

    /// Describes a stream.
    ///
    /// - Parameter number: reads the number that an event carries. The event needs no id for that: the vendor's `send`
    ///   can put the number into any content of the event, such as a text, an amount or a date. Pass nil only for
    ///   events without content. Then only STRM-02, STRM-03, STRM-04 and STRM-06 are judged, and the rules that tell
    ///   one event from another are inapplicable.
    public init(
        stream: PortStream<Subject, Event>,
        vendor: Vendor,
        number: (@Sendable (Event) -> Int?)?,
        isWhole: @escaping @Sendable (Event) -> Bool = { _ in false },
        beginning: (@Sendable (Subject) async throws -> Event)? = nil,
        removal: Removal? = nil,
        repeatsPast: Bool = false,
        endsInOrder: Bool,
        overflow: Overflow,
        owned: (@Sendable (PortStream<Subject, Event>.Events) -> [any AnyObject & Sendable])? = nil,
        isGap: @escaping @Sendable (Event) -> Bool = { _ in false },
        resume: CapabilityTag = "resume",
        orderlyEnd: HarnessCapability = "orderlyEnd",
        countedDrops: HarnessCapability = "countedDrops"
    ) {
        self.stream = stream
        self.vendor = vendor
        self.number = number ?? { _ in nil }
        hasNumbers = number != nil
        self.isWhole = isWhole
        self.beginning = beginning
        self.removal = removal
        self.repeatsPast = repeatsPast
        self.endsInOrder = endsInOrder
        self.overflow = overflow
        self.owned = owned
        self.isGap = isGap
        self.resume = resume
        self.orderlyEnd = orderlyEnd
        self.countedDrops = countedDrops
    }

    var name: String { stream.name }

    /// How the thing that an event reported is removed at the vendor.
    public struct Removal: Sendable {
        let remove: @Sendable (Subject, _ number: Int) async throws -> Void
        let isRemoval: @Sendable (Event) -> Bool

        /// Describes a removal.
        ///
        /// - Parameters:
        ///   - remove: removes the thing that the event with that number reported.
        ///   - isRemoval: whether an event reports a removal.
        public init(
            remove: @escaping @Sendable (Subject, _ number: Int) async throws -> Void,
            isRemoval: @escaping @Sendable (Event) -> Bool
        ) {
            self.remove = remove
            self.isRemoval = isRemoval
        }
    }

    /// The declared bound of a slow consumer's buffer, and what happens to a consumer that falls further behind.
    public struct Overflow: Sendable {
        let bound: Int
        let isError: @Sendable (any Error) -> Bool
        let waitForDrops: (@Sendable (Subject, _ atLeast: Int) async throws -> Void)?

        /// Declares how many events are buffered, and how the stream reports an overflow.
        ///
        /// - Parameters:
        ///   - isError: whether the error reports an overflow. If no error does, one event must replace the dropped
        ///     ones.
        ///   - waitForDrops: returns once the adapter has dropped at least this many events; for `countedDrops`. Nil
        ///     if the stream does not count its drops; STRM-07 then checks the bound only.
        public init(
            bound: Int,
            isError: @escaping @Sendable (any Error) -> Bool = { _ in false },
            waitForDrops: (@Sendable (Subject, _ atLeast: Int) async throws -> Void)? = nil
        ) {
            self.bound = bound
            self.isError = isError
            self.waitForDrops = waitForDrops
        }
    }

    /// The vendor's side.
    public struct Vendor: Sendable {
        let prepare: @Sendable (Subject) async throws -> Void
        let send: @Sendable (Subject, _ number: Int) async throws -> Void
        let waitForSubscribers: @Sendable (Subject, _ exactly: Int) async throws -> Void
        let cause: @Sendable (Subject, StreamIncident) async throws -> Void
        let inject: @Sendable (Subject, VendorFault) async throws -> Void

        /// Describes what the harness does at the vendor.
        ///
        /// - Parameters:
        ///   - prepare: prepares the vendor: no event has occurred yet, and a user who may subscribe is signed in.
        ///   - send: makes the event with that number occur.
        ///   - waitForSubscribers: returns once the vendor serves exactly this many subscriptions.
        ///   - cause: makes an incident happen to the streams that are served now.
        ///   - inject: serves the next stream with this fault.
        public init(
            prepare: @escaping @Sendable (Subject) async throws -> Void,
            send: @escaping @Sendable (Subject, _ number: Int) async throws -> Void,
            waitForSubscribers: @escaping @Sendable (Subject, _ exactly: Int) async throws -> Void,
            cause: @escaping @Sendable (Subject, StreamIncident) async throws -> Void,
            inject: @escaping @Sendable (Subject, VendorFault) async throws -> Void
        ) {
            self.prepare = prepare
            self.send = send
            self.waitForSubscribers = waitForSubscribers
            self.cause = cause
            self.inject = inject
        }
    }
}
