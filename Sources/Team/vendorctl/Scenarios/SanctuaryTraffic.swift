#if Sandbox
import CofferdamRehearsal
import SanctuaryDomain

/// The calls that keepers make all day, with the values that they must return.
struct SanctuaryTraffic {
    /// The values that either SDK may return for each animal. The catalogue does not change during a rehearsal.
    let truth: [AnimalID: Set<Animal>]
    /// An order that does not change during a rehearsal.
    let order: Order

    /// - Parameters:
    ///   - catalogues: the whole catalogue from each SDK, read without faults or routing.
    init(catalogues: [[Animal]], order: Order) {
        truth = Dictionary(grouping: catalogues.joined(), by: \.id).mapValues(Set.init)
        self.order = order
    }

    var operations: [TrafficOperation<SanctuaryServices>] {
        let (truth, order) = (truth, order)
        let ids = truth.keys.sorted { $0.rawValue < $1.rawValue }
        return [
            TrafficOperation("animal", .read, weight: 14) { services, step in
                let id = try step.choice(from: ids)
                try check(try await services.catalogue.animal(id), in: truth)
            },
            TrafficOperation("order", .read, weight: 2) { services, _ in
                let read = try await services.orders.order(order.id)
                guard read == order else { throw WrongValue("order \(read), placed \(order)") }
            },
            TrafficOperation("photo", .read) { services, step in
                let photo = try await services.photos.photo(of: try step.choice(from: ids))
                guard !photo.bytes.isEmpty else { throw WrongValue("an empty picture") }
            },
            TrafficOperation("catalogue", .walk) { services, _ in
                let animals = try await Self.catalogue(services)
                guard Set(animals.map(\.id)) == Set(ids) else {
                    throw WrongValue("\(animals.count) animals of \(ids.count)")
                }
                for animal in animals { try check(animal, in: truth) }
            },
            TrafficOperation("place", .write, weight: 2) { services, step in
                let price = Money(minorUnits: 450, currency: .eur)
                let lines = [OrderLine(article: step.key, quantity: 2, unitPrice: price)]
                let placed = try await services.orders.place(OrderDraft(lines: lines, key: step.key))
                guard placed.lines == lines else { throw WrongValue("ordered \(lines), placed \(placed.lines)") }
            },
            Self.send,
        ]
    }

    /// Returns the whole catalogue. A cursor belongs to one SDK: if a rollback interrupts the walk, it starts again.
    private static func catalogue(_ services: SanctuaryServices) async throws -> [Animal] {
        do {
            return try await services.wholeCatalogue()
        } catch let error as SanctuaryError where error.code == .invalidCursor {
            return try await services.wholeCatalogue()
        }
    }

    /// The traffic of the conversation, in which every user receives all messages.
    ///
    /// - Parameter record: returns all messages in order of arrival.
    static func conversation(
        record: @escaping @Sendable () async throws -> [Message]
    ) -> TrafficFeed<SanctuaryServices> {
        TrafficFeed("conversation", publish: send, record: { try await record().map(\.text) }) { services in
            services.messages.events()
        } item: { event in
            switch event {
            case .received(let message): .item(message.text)
            case .deleted: nil
            }
        }
    }

    private static let send = TrafficOperation<SanctuaryServices>("send", .write, weight: 3) { services, step in
        let sent = try await services.messages.send(MessageDraft(text: step.key, key: step.key))
        guard sent.text == step.key else { throw WrongValue("sent \(step.key), kept \(sent.text)") }
    }
}

private func check(_ animal: Animal, in truth: [AnimalID: Set<Animal>]) throws {
    guard truth[animal.id]?.contains(animal) == true else { throw WrongValue("no animal is \(animal)") }
}
#endif
