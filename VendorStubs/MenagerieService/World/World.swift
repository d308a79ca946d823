/// All that the platform knows, and what it has been told to do wrong.
///
/// What is to outlive the service notes in ``touched`` that it may have changed.
struct World: Sendable {
    let seed: UInt64
    /// Grows with each reset: streams and waiting calls of an earlier epoch end.
    var epoch = 0
    var animals: AnimalStore { didSet { touched.insert(.animals) } }
    var orders = OrderStore() { didSet { touched.insert(.orders) } }
    var messages = MessageStore() { didSet { touched.insert(.messages) } }
    var accessories = AccessoryStore() { didSet { touched.insert(.accessories) } }
    var sessions: SessionRegister { didSet { touched.insert(.sessions) } }
    var paging = PagingState()
    /// What is wrong with the records that the APIs show of orders, messages and accessories, in the order it was asked for.
    var corruptions: [SandboxRecord: [Corruption]] = [:]
    var calls = CallRecord()
    /// The ids of the installations from which somebody has signed in.
    var devices: Set<String> = [] { didSet { touched.insert(.facts) } }
    var faults: FaultPlan
    /// The service's clock, as far as it differs from the machine's, or from the moment it stands at.
    var clockOffset: Duration = .zero { didSet { touched.insert(.facts) } }
    /// Where the clock stands, if it does not go.
    let frozenAt: Timestamp?

    var touched: WorldParts = .all
    /// nil: nothing is stored.
    var stored: StoredMarks?
    /// Why the last change is not stored.
    var storageFailure: String?

    /// What a world follows from.
    struct Origin: Sendable {
        let seed: UInt64
        let zoo: [AnimalStore.Entry]
        /// How many animals a seeded world has beyond the zoo's.
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

    /// A record as the APIs show it.
    func shown(_ record: JSON, of id: SandboxRecord) -> JSON {
        (corruptions[id] ?? []).reduce(record) { $1.applied(to: $0) }
    }

    var now: Timestamp { (frozenAt ?? Timestamp.machineNow) + clockOffset }
}
