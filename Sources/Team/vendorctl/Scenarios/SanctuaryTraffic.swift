import CofferdamRehearsal
import SanctuaryDomain

/// What keepers do all day, and what is true of what they are told.
struct SanctuaryTraffic {
    /// What either SDK may say of each animal; the catalogue does not change during a rehearsal.
    let truth: [AnimalID: Set<Animal>]
    /// An order that does not change.
    let order: Order

    /// - Parameters:
    ///   - catalogues: the whole catalogue, by each SDK as it is, without faults or routing.
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

    /// A cursor is one SDK's: who was in the middle of a list when the upgrade went back begins again.
    private static func catalogue(_ services: SanctuaryServices) async throws -> [Animal] {
        do {
            return try await services.wholeCatalogue()
        } catch let error as SanctuaryError where error.code == .invalidCursor {
            return try await services.wholeCatalogue()
        }
    }

    /// The conversation, in which every user receives all messages.
    ///
    /// - Parameter record: all messages, in the order of their arrival.
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
