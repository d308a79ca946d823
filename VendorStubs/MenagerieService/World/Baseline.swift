#if Sandbox
/// The initial state of a world.
public enum Baseline: String, Sendable, Hashable, CaseIterable {
    /// The zoo, and orders, messages and accessories derived from the seed.
    case seeded
    /// Only the users.
    case empty
}

extension World {
    /// 14 November 2023, 22:13:20 UTC: when a seeded world's history begins.
    private static let beginning = Timestamp(milliseconds: 1_700_000_000_000)

    /// Fills an empty world.
    mutating func populate(_ zoo: [AnimalStore.Entry]) {
        for entry in zoo { animals.add(entry) }
        populateOrders()
        populateMessages()
        populateAccessories()
    }

    private mutating func populateOrders() {
        var generator = SeededGenerator(seed: seed, stream: 2)
        func line(_ article: String, _ unitPrice: Int64, _ currency: Currency) -> Order.Line {
            let quantity = Int64.random(in: 1...5, using: &generator)
            return Order.Line(article: article, quantity: quantity, unitPrice: unitPrice, currency: currency)
        }
        // Prices at the limits of each currency, and one derived from the seed.
        let history: [(user: String, status: Order.Status, lines: [Order.Line])] = [
            (
                "amara", .captured,
                [line("hay, bale", 450, .eur), line("salt lick", Int64.random(in: 100...999, using: &generator), .eur)]
            ),
            ("kenji", .shipped, [line("fish feed", 500, .jpy)]),
            ("noor", .authorized, [line("millet", 1234, .kwd)]),
            (
                "amara", .partiallyRefunded,
                [
                    line("brush", 1299, .eur),
                    Order.Line(article: "refund: brush", quantity: 1, unitPrice: -1299, currency: .eur),
                ]
            ),
            ("kenji", .pending, [line("bamboo", Int64.random(in: 1000...9999, using: &generator), .jpy)]),
            ("noor", .cancelled, [line("perch", 15_750, .kwd), line("seed sample", 1, .kwd)]),
            ("amara", .pending, [line("sticker", 1, .eur)]),
            // Of three currencies: v1 cannot show it.
            (
                "noor", .shipped,
                [
                    line("date palm", 12_345, .kwd), line("shipping", 1990, .eur),
                    line("customs stamp", 500, .jpy),
                ]
            ),
        ]
        for (index, entry) in history.enumerated() {
            guard let user = User.named(entry.user) else { continue }
            let moment = Self.beginning + .seconds(86_400 * index)
            orders.place(entry.lines, for: user, status: entry.status, at: moment)
        }
    }

    private mutating func populateMessages() {
        var generator = SeededGenerator(seed: seed, stream: 3)
        let openings = ["The penguins", "The hydra's heads", "Kerberos", "The wallabies", "The octopus", "All bats"]
        let ends = ["had breakfast.", "slept well.", "want out.", "are counted.", "need fresh water.", "hid again."]
        var moment = Self.beginning
        for index in 0..<12 {
            moment = moment + .milliseconds(Int.random(in: 1...600, using: &generator) * 500)
            let opening = openings[Int.random(in: 0..<openings.count, using: &generator)]
            let end = ends[Int.random(in: 0..<ends.count, using: &generator)]
            let author = User.all[index % User.all.count].id
            // The log assigns the ids, so none is taken yet.
            do { try messages.add(author: author, text: "\(opening) \(end)", at: moment) } catch { continue }
        }
    }

    private mutating func populateAccessories() {
        var generator = SeededGenerator(seed: seed, stream: 4)
        let devices: [(id: String, name: String, nickname: String, state: AccessoryState)] = [
            ("collar-1", "Collar", "Kerberos, middle head", .active),
            ("feeder-1", "Feeder", "Breakfast", .linked),
            ("camera-1", "Camera", "Night watch", .available),
            ("scale-1", "Scale", "", .available),
        ]
        for device in devices {
            let seen = Int.random(in: 0...86_400_000, using: &generator)
            accessories.seed(
                Accessory(
                    id: device.id,
                    name: device.name,
                    nickname: device.nickname,
                    state: device.state,
                    battery: device.id == "collar-1" ? 57 : Int.random(in: 0...100, using: &generator),
                    lastSeen: Self.beginning + .milliseconds(seen)
                )
            )
        }
    }
}
#endif
