#if Sandbox
/// The platform's state, with its injected faults.
///
/// Parts that outlive the service record in ``touched`` that they may have changed.
struct World: Sendable {
    let seed: UInt64
    /// Incremented by each reset: streams and waiting calls of an earlier epoch end.
    var epoch = 0
    var animals: AnimalStore { didSet { touched.insert(.animals) } }
    var orders = OrderStore() { didSet { touched.insert(.orders) } }
    var messages = MessageStore() { didSet { touched.insert(.messages) } }
    var accessories = AccessoryStore() { didSet { touched.insert(.accessories) } }
    var sessions: SessionRegister { didSet { touched.insert(.sessions) } }
    var paging = PagingState()
    /// The corruptions of orders', messages' and accessories' records, in the order of their injection.
    var corruptions: [SandboxRecord: [Corruption]] = [:]
    var calls = CallRecord()
    /// The ids of the installations from which a user has signed in.
    var devices: Set<String> = [] { didSet { touched.insert(.facts) } }
    var faults: FaultPlan
    /// The offset of the service's clock from the machine's, or from the time it is frozen at.
    var clockOffset: Duration = .zero { didSet { touched.insert(.facts) } }
    /// The time at which the clock is frozen, if it is.
    let frozenAt: Timestamp?

    var touched: WorldParts = .all
    /// What has been stored; nil without storage.
    var stored: StoredMarks?
    /// The reason the last change was not stored.
    var storageFailure: String?

    /// The parameters that determine a world.
    struct Origin: Sendable {
        let seed: UInt64
        let zoo: [AnimalStore.Entry]
        /// The number of animals that a seeded world has in addition to the zoo's.
        let moreAnimals: Int
        let frozenAt: Timestamp?
    }

    init(baseline: Baseline, of origin: Origin) {
        seed = origin.seed
        frozenAt = origin.frozenAt
        animals = AnimalStore(seed: origin.seed)
        sessions = SessionRegister(seed: origin.seed)
        faults = FaultPlan(seed: origin.seed)
        if baseline == .seeded {
            populate(origin.zoo)
            animals.addMany(origin.moreAnimals)
        }
    }

    /// Returns a record as the APIs show it.
    func shown(_ record: JSON, of id: SandboxRecord) -> JSON {
        (corruptions[id] ?? []).reduce(record) { $1.applied(to: $0) }
    }

    var now: Timestamp { (frozenAt ?? Timestamp.machineNow) + clockOffset }
}
#endif
