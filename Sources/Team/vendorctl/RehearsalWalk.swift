#if Sandbox
import CofferdamRehearsal
import CofferdamTool
import SanctuaryDomain

/// A keeper's day through one adapter, with the outcome of each step.
struct RehearsalWalk {
    let adapter: String
    let services: SanctuaryServices
    let progress: ToolProgress
    private(set) var steps: [RehearsalReport.Step] = []
    private(set) var animals: [Animal] = []

    init(adapter: String, services: SanctuaryServices, progress: ToolProgress) {
        self.adapter = adapter
        self.services = services
        self.progress = progress
    }

    mutating func run() async {
        animals =
            await step("read the catalogue") {
                try await $0.wholeCatalogue()
            } detail: {
                "\($0.count) animals"
            } ?? []
        if let animal = animals.first(where: { $0.name == "kerberos" }) ?? animals.first {
            _ = await step("fetch a picture") {
                try await $0.photos.photo(of: animal.id)
            } detail: {
                "\(animal.name): \($0.bytes.count) bytes of \($0.mediaType)"
            }
        }
        _ = await step("show the chosen accessory") {
            try await $0.chosenAccessory()
        } detail: { accessory in
            accessory.map { "\($0.name), battery \($0.battery.map { "\($0)" } ?? "unknown")" } ?? "none is active"
        }
        let account = await step("sign in") {
            try await $0.accounts.signIn(Credentials(user: "amara", password: "sandbox"))
        } detail: {
            "\($0.displayName), \($0.currency.code)"
        }
        guard let account else { return }
        await order(in: account.currency)
        await message()
        _ = await step("sign out") {
            try await $0.accounts.signOut()
        } detail: {
            ""
        }
    }

    private mutating func order(in currency: Currency) async {
        let price = Money(minorUnits: 450, currency: currency)
        let draft = OrderDraft(
            lines: [OrderLine(article: "hay", quantity: 2, unitPrice: price)],
            key: "rehearsal-\(adapter)"
        )
        _ = await step("place an order, and read it back") { services in
            let placed = try await services.orders.place(draft)
            let read = try await services.orders.order(placed.id)
            guard read == placed else { throw RehearsalFailure("placed \(placed), read \(read)") }
            return placed
        } detail: { order in
            "\(order.id), \(order.status), \(order.totals.map { $0.map(\.description).joined(separator: " + ") } ?? "?")"
        }
    }

    private mutating func message() async {
        let draft = MessageDraft(text: "The rehearsal was here, through \(adapter).", key: "rehearsal-\(adapter)")
        _ = await step("send a message, and find it last") { services in
            let sent = try await services.messages.send(draft)
            guard let last = try await services.lastMessage(), last == sent else {
                throw RehearsalFailure("sent \(sent.id), but another message is the last")
            }
            return sent
        } detail: {
            "\($0.id)"
        }
    }

    /// Runs one step and returns its result; nil if it failed.
    private mutating func step<Value: Sendable>(
        _ name: String,
        _ body: (SanctuaryServices) async throws -> Value,
        detail: (Value) -> String
    ) async -> Value? {
        progress.show("\(adapter): \(name)")
        let start = ContinuousClock.now
        do {
            let value = try await body(services)
            record(name, .passed, detail(value), since: start)
            return value
        } catch {
            record(name, .failed, "\(error)", since: start)
            return nil
        }
    }

    private mutating func record(
        _ name: String,
        _ outcome: RehearsalReport.Step.Outcome,
        _ detail: String,
        since start: ContinuousClock.Instant
    ) {
        let seconds = start.duration(to: .now) / .seconds(1)
        steps.append(.init(name: name, outcome: outcome, detail: detail, seconds: seconds))
    }
}

/// The error of a step that succeeded with a wrong result.
struct RehearsalFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension SanctuaryServices {
    func wholeCatalogue() async throws -> [Animal] {
        try await all { try await catalogue.animals(AnimalsRequest($0)) }
    }

    fileprivate func lastMessage() async throws -> Message? {
        try await all { try await messages.messages($0) }.last
    }

    fileprivate func chosenAccessory() async throws -> Accessory? {
        try await accessories.accessories().first { $0.link == .active }
    }

    /// Returns all items, following the cursors to the end.
    func all<Item>(_ page: (PageRequest) async throws -> Page<Item>) async throws -> [Item] {
        var items: [Item] = []
        var request = PageRequest()
        repeat {
            let next = try await page(request)
            items += next.items
            request.cursor = next.next
        } while request.cursor != nil
        return items
    }
}
#endif
