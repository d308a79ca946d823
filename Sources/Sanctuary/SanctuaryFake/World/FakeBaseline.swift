import SanctuaryContracts
import SanctuaryDomain

extension FakeWorld {
    /// Seeds a small world, the same each time.
    func seed() {
        let times = (0..<8).map { _ in now() }
        update { state in
            for (index, fixture) in Self.animals.enumerated() {
                let id = state.add(fixture)
                state.photos[id] = Photo(bytes: Self.picture(shade: UInt8(index * 30)), mediaType: "image/bmp")
            }
            for accessory in Self.accessories(at: times[0]) { state.accessories[accessory.id] = accessory }
            for (index, line) in Self.lines.enumerated() {
                let sequence = state.nextSequence()
                let order = Order(
                    id: OrderID("o-\(sequence)"),
                    status: index == 0 ? .shipped : .pending,
                    lines: [line],
                    placedAt: times[1 + index]
                )
                let kept = FakeOrder(order: order, user: "amara", key: "seed-\(sequence)")
                state.orders.append(FakeRecord(sequence: sequence, value: kept))
            }
            for (index, (author, text)) in Self.conversation.enumerated() {
                let sequence = state.nextSequence()
                let message = Message(
                    id: MessageID("m-\(sequence)"),
                    author: author,
                    text: text,
                    sentAt: times[3 + index]
                )
                state.messages.append(FakeRecord(sequence: sequence, value: message))
            }
        }
    }

    private static let animals = [
        AnimalFixture(name: "kerberos", group: "mammal", legs: 4, heads: 3),
        AnimalFixture(name: "hydra", group: "reptile", legs: 0, heads: 9),
        AnimalFixture(name: "medusa", group: "other", legs: 2, heads: 1),
        AnimalFixture(name: "phoenix", group: "bird", legs: 2, heads: nil),
        AnimalFixture(name: "tiger", group: "mammal", legs: 4, heads: 1),
        AnimalFixture(name: "cat", group: "mammal", legs: 4, heads: 1),
        AnimalFixture(name: "bird", group: "bird", legs: 2, heads: 1),
        AnimalFixture(name: "carp", group: "fish", legs: 0, heads: 1),
    ]

    private static func accessories(at time: Instant) -> [Accessory] {
        [
            Accessory(
                id: AccessoryID("collar-1"),
                name: "Collar of the tiger",
                link: .active,
                battery: Battery(percent: 57),
                lastSeen: time
            ),
            Accessory(
                id: AccessoryID("collar-2"),
                name: "Collars of the kerberos",
                link: .linked,
                battery: Battery(percent: 100),
                lastSeen: time
            ),
            Accessory(
                id: AccessoryID("scale-1"),
                name: "Scale of the cat",
                link: .available,
                battery: nil,
                lastSeen: time
            ),
        ]
    }

    private static let lines = [
        OrderLine(article: "meat", quantity: 3, unitPrice: Money(minorUnits: 450, currency: .eur)),
        OrderLine(article: "mirror", quantity: 1, unitPrice: Money(minorUnits: 1999, currency: .eur)),
    ]

    private static let conversation = [
        ("amara", "The hydra has one more head than yesterday."),
        ("kenji", "Did one of you cut one off?"),
        ("noor", "I only trimmed a claw."),
    ]

    /// Returns a picture of 2 by 2 pixels in one shade of grey, as a BMP.
    private static func picture(shade: UInt8) -> [UInt8] {
        let header: [UInt8] = [
            0x42, 0x4D, 70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0,
            40, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0, 0, 0, 0, 0, 16, 0, 0, 0,
            0x13, 0x0B, 0, 0, 0x13, 0x0B, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ]
        let row = [UInt8](repeating: shade, count: 6) + [0, 0]
        return header + row + row
    }
}
