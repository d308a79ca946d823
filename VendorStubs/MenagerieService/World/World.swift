/// All that the platform knows, and what it has been told to do wrong.
struct World: Sendable {
    let seed: UInt64
    /// Grows with each reset: streams and waiting calls of an earlier epoch end.
    var epoch = 0
    var animals: AnimalStore
    var orders = OrderStore()
    var messages = MessageStore()
    var accessories = AccessoryStore()
    var sessions: SessionRegister
    var paging = PagingState()
    var calls = CallRecord()
    /// The ids of the installations from which somebody has signed in.
    var devices: Set<String> = []
    var faults = FaultPlan()
    /// The service's clock, as far as it differs from the machine's.
    var clockOffset: Duration = .zero

    init(baseline: Baseline, seed: UInt64, zoo: [AnimalStore.Entry]) {
        self.seed = seed
        animals = AnimalStore(seed: seed)
        sessions = SessionRegister(seed: seed)
        if baseline == .seeded { populate(zoo) }
    }

    var now: Timestamp { Timestamp.machineNow + clockOffset }
}
