/// A write with a key, which may wait: made again after its answer was lost, made twice at once, or kept by the adapter
/// or its vendor's SDK and sent later. Described for the rules LIFE-07 and WAIT-01 to WAIT-07.
///
/// An outbox, a journal and drafts keep writes. What they keep goes out with the same user's next write at the latest,
/// each once, in the order of the calls, under its own key. A write that is not kept fails, and is never sent later: that
/// too is a promise, of WAIT-01.
///
/// The rules make the writes through the port, and judge by what the vendor holds in the end.
public struct WaitingWrite<Subject: Sendable, Draft: Sendable, Entity: Sendable & Hashable>: RuleFamily {
    let call: PortCall<Subject, Draft, Entity>
    let draft: @Sendable (_ content: String, _ key: String) -> Draft
    let another: @Sendable (Draft) -> Draft
    let shows: @Sendable (Entity) -> String
    let keeping: Keeping?
    let opening: Opening<Subject>
    let reach: PortCall<Subject, Bool, Subject>?
    let instances: Instances?
    let vendor: Vendor
    let unreachable: any Error
    let isUnreachable: @Sendable (any Error) -> Bool
    let isMadeBefore: @Sendable (any Error) -> Bool

    /// Describes a write with a key.
    ///
    /// - Parameters:
    ///   - call: the write.
    ///   - draft: what to write: a content of one word, under a key.
    ///   - another: the same draft under another key, as a mutant that forgot the first one sends it.
    ///   - shows: the content that an answer shows.
    ///   - keeping: how the port keeps a write that cannot be sent; nil if such a write fails for good.
    ///   - opening: how the app is launched again, and how instances close.
    ///   - reach: makes the vendor unreachable or reachable again, so that nothing is sent in between, and returns the
    ///     subject to go on with: the same one, or one that was opened again on the same device. Nil if the harness
    ///     cannot; the rules that need it are then not judged.
    ///   - instances: two instances on one vendor that know each other's keys; nil if there is one, or if the
    ///     vendor does not compare keys.
    ///   - unreachable: the error that a mutant throws for what it keeps.
    ///   - isUnreachable: whether the port's error says that the vendor cannot be reached.
    ///   - isMadeBefore: whether the port's error, thrown instead of an answer, says that the write was made before.
    public init(
        call: PortCall<Subject, Draft, Entity>,
        draft: @escaping @Sendable (_ content: String, _ key: String) -> Draft,
        another: @escaping @Sendable (Draft) -> Draft,
        shows: @escaping @Sendable (Entity) -> String,
        keeping: Keeping? = nil,
        opening: Opening<Subject>,
        reach: PortCall<Subject, Bool, Subject>? = nil,
        instances: Instances? = nil,
        vendor: Vendor,
        unreachable: any Error,
        isUnreachable: @escaping @Sendable (any Error) -> Bool,
        isMadeBefore: @escaping @Sendable (any Error) -> Bool = { _ in false }
    ) {
        self.call = call
        self.draft = draft
        self.another = another
        self.shows = shows
        self.keeping = keeping
        self.opening = opening
        self.reach = reach
        self.instances = instances
        self.vendor = vendor
        self.unreachable = unreachable
        self.isUnreachable = isUnreachable
        self.isMadeBefore = isMadeBefore
    }

    /// What a port promises of the writes that it keeps.
    public struct Keeping: Sendable {
        let refused: @Sendable (_ key: String) -> Draft
        let isRefused: @Sendable (any Error) -> Bool
        let isReported: @Sendable (Subject, _ key: String) async throws -> Bool
        let secondUser: String
        let signInSecond: @Sendable (Subject) async throws -> Void
        let signOut: @Sendable (Subject) async throws -> Void

        /// Describes a port that keeps writes for their user, also while another one is signed in.
        ///
        /// - Parameters:
        ///   - refused: a draft that the vendor refuses whenever it arrives, and not the adapter before it is sent.
        ///   - isRefused: whether the port's error is this refusal, which is final.
        ///   - isReported: whether the app was told, by other means than an error, that what was kept under this key is
        ///     refused: in an issue, a log, an event.
        ///   - secondUser: another user, as ``Vendor`` calls it.
        public init(
            refused: @escaping @Sendable (_ key: String) -> Draft,
            isRefused: @escaping @Sendable (any Error) -> Bool,
            isReported: @escaping @Sendable (Subject, _ key: String) async throws -> Bool,
            secondUser: String,
            signInSecond: @escaping @Sendable (Subject) async throws -> Void,
            signOut: @escaping @Sendable (Subject) async throws -> Void
        ) {
            self.refused = refused
            self.isRefused = isRefused
            self.isReported = isReported
            self.secondUser = secondUser
            self.signInSecond = signInSecond
            self.signOut = signOut
        }
    }

    /// Two instances of an adapter that are open at once.
    public struct Instances: Sendable {
        let capability: CapabilityTag
        let another: PortCall<Subject, Void, Subject>

        /// - Parameters:
        ///   - capability: the capability of adapters that can have several instances.
        ///   - another: opens another instance on the same vendor.
        public init(capability: CapabilityTag = "instances", another: PortCall<Subject, Void, Subject>) {
            self.capability = capability
            self.another = another
        }
    }

    /// The vendor's side of a write.
    public struct Vendor: Sendable {
        let user: String
        let reset: @Sendable (Subject) async throws -> Void
        let signIn: @Sendable (Subject) async throws -> Void
        let contents: @Sendable (Subject, _ user: String) async throws -> [String]
        let loseAnswers: @Sendable (Subject, Bool) async throws -> Void
        let hold: @Sendable (Subject) async throws -> Void
        let held: HeldCalls<Subject>

        /// Describes the vendor's side of a write.
        ///
        /// - Parameters:
        ///   - user: the user who writes.
        ///   - reset: empties the vendor.
        ///   - signIn: signs the user in.
        ///   - contents: what the vendor holds of a user's writes, in order of arrival, not asked through this subject.
        ///   - loseAnswers: starts or stops losing the answers to writes, also to those sent later; they are still
        ///     carried out.
        ///   - hold: makes the vendor hold the next write.
        public init(
            user: String,
            reset: @escaping @Sendable (Subject) async throws -> Void,
            signIn: @escaping @Sendable (Subject) async throws -> Void,
            contents: @escaping @Sendable (Subject, _ user: String) async throws -> [String],
            loseAnswers: @escaping @Sendable (Subject, Bool) async throws -> Void,
            hold: @escaping @Sendable (Subject) async throws -> Void,
            held: HeldCalls<Subject>
        ) {
            self.user = user
            self.reset = reset
            self.signIn = signIn
            self.contents = contents
            self.loseAnswers = loseAnswers
            self.hold = hold
            self.held = held
        }
    }
}

extension HarnessCapability {
    /// The vendor can be made unreachable for an open instance.
    static let unreachability: HarnessCapability = "unreachability"
}
