import CofferdamContracts
import SanctuaryDomain
import SanctuaryOperations

/// The fields of the ports' entities.
enum Values {
    static let rules = families.flatMap { $0.rules }.enumerated()
        .sorted { ($0.element.id, $0.offset) < ($1.element.id, $1.offset) }.map(\.element)
    static let mutants = families.flatMap { $0.mutants }

    private static let families: [any RuleFamily<SanctuarySubject>] = [
        animals, orders, messages, accessories, photos, signedInAccounts, accountStates, nicknames, place, send,
        setNickname, animalIDs, orderIDs,
    ]

    // MARK: Kinds

    private static let count = FieldKind.optional(.integer(0...Int.max)).mapped { number in
        number.map { .known($0) } ?? .unknown
    } back: { (count: Count) in
        switch count {
        case .known(let number): .some(number)
        case .unknown: .some(nil)
        case .ambiguousZero: nil
        }
    }

    private static let instant = FieldKind<Int64>.instant.mapped {
        Instant(millisecondsSince1970: $0)
    } back: {
        $0.millisecondsSince1970
    }

    private static func money(_ currencies: KeyValuePairs<String, Int>) -> FieldKind<Money> {
        .money(currencies) { example in
            Currency(example.currency).map { Money(minorUnits: example.minorUnits, currency: $0) }
        } back: {
            MoneyExample(minorUnits: $0.minorUnits, currency: $0.currency.code)
        }
    }

    private static let now = Instant(millisecondsSince1970: 1_700_000_000_000)

    private static func line(_ minorUnits: Int64, _ article: String) -> OrderLine {
        OrderLine(article: article, quantity: 2, unitPrice: Money(minorUnits: minorUnits, currency: .eur))
    }

    // MARK: What is shown

    private static let animals = ShownFields<SanctuarySubject, AnimalID, Animal>(
        fields: [
            Field("name", \.name, .text),
            Field(
                "group",
                \.group,
                .enumeration(
                    ["mammal": .mammal, "bird": .bird, "reptile": .reptile, "fish": .fish, "other": .other],
                    unknown: { .unknown($0) }
                )
            ),
            Field("legs", \.legs, count), Field("heads", \.heads, count),
        ],
        shownBy: [.get(SanctuaryCalls.animal), .list(SanctuaryCalls.animals)],
        id: \.id,
        usual: Animal(
            id: AnimalID(""),
            name: "kerberos",
            displayName: "",
            group: .mammal,
            legs: .known(4),
            heads: .known(3)
        ),
        prepare: { try await $0.probe.reset(.empty) },
        hold: { try await $0.add($1.map { AnimalFixture($0) }).map(\.entity) },
        unreadable: [
            .reported("fewer legs than none", at: "legs", held: { $0.legs = .known(-1) }, shown: { $0.legs = .unknown })
        ],
        errors: Gets.errors,
        issues: { try await $0.probe.output() }
    )

    private static let orders = ShownFields<SanctuarySubject, OrderID, Order>(
        fields: [
            Field(
                "status",
                \.status,
                .enumeration(
                    [
                        "pending": .pending, "authorized": .authorized, "captured": .captured, "shipped": .shipped,
                        "cancelled": .cancelled, "partiallyRefunded": .partiallyRefunded,
                    ],
                    unknown: { .unknown($0) }
                )
            ),
            Field("article", \.lines[0].article, .text),
            Field("quantity", \.lines[0].quantity, .integer(1...Int.max)),
            Field("unitPrice", \.lines[0].unitPrice, money(["EUR": 2])),
            Field("currency", \.lines[0].unitPrice, money(["EUR": 2, "JPY": 0, "KWD": 3]))
                .requiring(Capability.mixedCurrencies.tag),
            Field(
                "lines",
                \.lines,
                .list(
                    FieldKind(
                        corpus: [
                            .init(line(7, "b"), "usual"), .init(line(5, "a"), "usual"), .init(line(0, ""), "empty"),
                        ],
                        mistakes: []
                    )
                )
            ),
            Field("placedAt", \.placedAt, instant.leavingOut { $0.millisecondsSince1970 % 1000 != 0 }),
        ],
        shownBy: [.get(SanctuaryCalls.order), .list(SanctuaryCalls.orders)],
        id: \.id,
        usual: Order(id: OrderID(""), status: .pending, lines: [line(450, "meat"), line(99, "mirror")], placedAt: now),
        prepare: { try await $0.prepareEmpty() },
        hold: { subject, orders in
            var held: [Order] = []
            for order in orders {
                held.append(
                    try await subject.probe.addOrder(
                        order.lines,
                        of: subject.credentials.user,
                        status: order.status,
                        placedAt: order.placedAt
                    )
                )
            }
            return held
        },
        unreadable: [
            .failing("a quantity of 0", at: "lines[1].quantity") { $0.lines[1].quantity = 0 }
        ],
        errors: Gets.errors
    )

    private static let messages = ShownFields<SanctuarySubject, MessageID, Message>(
        fields: [
            Field("author", \.author, .identifier), Field("text", \.text, .text), Field("sentAt", \.sentAt, instant),
        ],
        shownBy: [
            .list(SanctuaryCalls.messages),
            .stream(
                "message events",
                Streams.messages.stream,
                waitForSubscriber: { try await $0.probe.waitForSubscribers(of: .messages, exactly: 1) },
                entities: { if case .received(let message) = $0 { [message] } else { [] } },
                changing: { if case .received(let message) = $0 { .received($1(message)) } else { $0 } }
            ),
        ],
        id: \.id,
        usual: Message(id: MessageID(""), author: "kenji", text: "The hydra sleeps.", sentAt: now),
        prepare: { try await $0.prepareEmpty() },
        hold: { subject, messages in
            var held: [Message] = []
            for message in messages {
                held.append(
                    try await subject.probe.postMessage(
                        author: message.author,
                        text: message.text,
                        sentAt: message.sentAt
                    )
                )
            }
            return held
        },
        unreadable: [.failing("a time beyond all others", at: "sent") { $0.sentAt = beyond }],
        errors: Gets.errors
    )

    /// A time that no vendor's form of times holds.
    private static let beyond = Instant(millisecondsSince1970: .max)

    private static let accessories = ShownFields<SanctuarySubject, AccessoryID, Accessory>(
        fields: [
            Field("name", \.name, .text),
            Field(
                "battery",
                \.battery,
                FieldKind.integer(0...100).mapped {
                    Optional(Battery(percent: $0))
                } back: {
                    $0?.percent
                }
            ),
            Field(
                "link",
                \.link,
                .enumeration([
                    "available": .available, "linked": .linked, "active": .active, "reconnecting": .reconnecting,
                ])
            ),
            Field("lastSeen", \.lastSeen, instant),
        ],
        shownBy: [
            .list(SanctuaryCalls.accessoryPages), .list(SanctuaryCalls.scanPages),
            .stream(
                "accessory events",
                Streams.accessories.stream,
                waitForSubscriber: { try await $0.probe.waitForSubscribers(of: .accessories, exactly: 1) },
                entities: { event in
                    switch event {
                    case .current(let accessories): accessories
                    case .changed(let accessory): [accessory]
                    case .removed: []
                    }
                },
                changing: { event, change in
                    switch event {
                    case .current(let accessories): .current(accessories.map(change))
                    case .changed(let accessory): .changed(change(accessory))
                    case .removed: event
                    }
                }
            ),
        ],
        id: \.id,
        usual: Accessory(
            id: AccessoryID(""),
            name: "Collar",
            link: .available,
            battery: Battery(percent: 57),
            lastSeen: now
        ),
        prepare: { try await $0.prepareEmpty() },
        hold: { subject, accessories in
            var held: [Accessory] = []
            for accessory in accessories {
                held.append(
                    try await subject.probe.updateAccessory(
                        AccessoryID("value-\(held.count)"),
                        name: accessory.name,
                        battery: accessory.battery,
                        link: accessory.link,
                        lastSeen: accessory.lastSeen
                    )
                )
            }
            return held
        },
        unreadable: [
            .failing("a time beyond all others", at: "last") { $0.lastSeen = beyond },
            .reported("more than a whole battery", at: "battery", held: { $0.battery = nil }, shown: { _ in }),
        ],
        errors: Gets.errors,
        issues: { try await $0.probe.output() }
    )

    // MARK: What is written

    static let rejectedField: @Sendable (any Error) -> String? = {
        SanctuaryError.isCode(.invalidRequest, $0) ? ($0 as? SanctuaryError)?.subject ?? "" : nil
    }

    private static let place = WrittenFields<SanctuarySubject, OrderDraft, Order>(
        call: SanctuaryCalls.place,
        fields: [
            Field("article", \.lines[0].article, .text.notEmpty.atMost(200, .utf8)),
            Field(
                "quantity",
                \.lines[0].quantity,
                FieldKind.integer(-1...1_000_001).accepting { (1...1_000_000).contains($0) }
            ),
            Field("unitPrice", \.lines[0].unitPrice, money(["EUR": 2])),
            Field("currency", \.lines[0].unitPrice, money(["EUR": 2, "JPY": 0, "KWD": 3]))
                .requiring(Capability.mixedCurrencies.tag),
        ],
        prepare: { try await $0.prepareEmpty() },
        draft: { _, number in
            OrderDraft(
                lines: [
                    OrderLine(article: "meat", quantity: 1, unitPrice: Money(minorUnits: 450, currency: .eur)),
                    line(99, "mirror"),
                ],
                key: "VALUE-\(number)"
            )
        },
        answered: { Order(id: $1.id, status: $1.status, lines: $0.lines, placedAt: $1.placedAt) },
        held: { subject, order in
            let lines = try await subject.probe.linesHeld(of: order.id)
            return Order(id: order.id, status: order.status, lines: lines, placedAt: order.placedAt)
        },
        read: { try await $0.services.orders.order($1.id) },
        rejectedField: rejectedField
    )

    private static let send = WrittenFields<SanctuarySubject, MessageDraft, Message>(
        call: SanctuaryCalls.send,
        fields: [Field("text", \.text, .text.notEmpty.atMost(4000, .utf8))],
        prepare: { try await $0.prepareEmpty() },
        draft: { MessageDraft(text: "The hydra sleeps.", key: "VALUE-\($1)") },
        answered: { Message(id: $1.id, author: $1.author, text: $0.text, sentAt: $1.sentAt) },
        held: { subject, message in
            let text = try await subject.probe.textHeld(of: message.id)
            return Message(id: message.id, author: message.author, text: text, sentAt: message.sentAt)
        },
        rejectedField: rejectedField
    )
}

extension Values {
    private static let animalIDs = DistinctIDs<SanctuarySubject, AnimalID, Animal>(
        call: SanctuaryCalls.animal,
        seed: { try await $0.add([.cat, .cat]).map(\.input) },
        text: \.rawValue,
        make: { AnimalID($0) },
        id: \.id,
        arrivals: { try await $0.probe.calls(of: .animal) }
    )

    private static let orderIDs = DistinctIDs<SanctuarySubject, OrderID, Order>(
        call: SanctuaryCalls.order,
        seed: { subject in
            try await subject.prepareEmpty()
            return [
                try await subject.probe.addOrder([line(1, "a")]).id,
                try await subject.probe.addOrder([line(2, "b")]).id,
            ]
        },
        text: \.rawValue,
        make: { OrderID($0) },
        id: \.id,
        arrivals: { try await $0.probe.calls(of: .order) }
    )
}

extension AnimalFixture {
    fileprivate init(_ animal: Animal) {
        func number(_ count: Count) -> Int? { if case .known(let number) = count { number } else { nil } }
        self.init(
            name: animal.name,
            group: animal.group.description,
            legs: number(animal.legs),
            heads: number(animal.heads)
        )
    }
}
