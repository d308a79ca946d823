import CofferdamContracts
import SanctuaryDomain

/// The ports' operations that read one entity. The account is not among them: the port reads it from the session on the
/// device, without an id and without a vendor that could send odd values.
enum Gets {
    static let rules = Rule.each([
        ("animal", animal.rules), ("order", order.rules), ("messages", message.rules),
        ("accessories", accessory.rules), ("photo", photo.rules),
    ])
    .map { $0.id == "GET-06" ? $0.consulting([Capability.mixedCurrencies.tag]) : $0 }
    static let mutants = Mutant.each([
        ("animal", animal.mutants), ("order", order.mutants), ("messages", message.mutants),
        ("accessories", accessory.mutants), ("photo", photo.mutants),
    ])

    static let errors = GetErrors(
        isNotFound: { SanctuaryError.isCode(.notFound, $0) },
        decodingPath: { SanctuaryError.isCode(.decoding, $0) ? ($0 as? SanctuaryError)?.subject ?? "" : nil },
        withoutPath: { _ in SanctuaryError(.decoding, "a field is missing") }
    )

    private static let photo = ConditionalGet(
        call: SanctuaryCalls.photo,
        capability: Capability.conditionalGet.tag,
        seed: { subject in
            try await subject.probe.reset(.empty)
            let id = try await subject.probe.addAnimal(.cat)
            try await subject.probe.setPhoto([1, 2, 3], of: id)
            return GetSample(id, Photo(bytes: [1, 2, 3], mediaType: "image/bmp"))
        },
        change: { subject, id in
            try await subject.probe.setPhoto([4, 5], of: id)
            return Photo(bytes: [4, 5], mediaType: "image/bmp")
        },
        evidence: { subject in
            let traffic = try await subject.probe.photoTraffic()
            return .init(validators: traffic.validators, bytes: traffic.bytes)
        },
        emptied: { Photo(bytes: [], mediaType: $0.mediaType) }
    )
}

extension AnimalFixture {
    static let cat = AnimalFixture(name: "cat", group: "mammal", legs: 4, heads: 1)
}

// MARK: Animals

extension Gets {
    private static let animal = GetOperation(
        call: SanctuaryCalls.animal,
        page: SanctuaryCalls.animals,
        errors: errors,
        samples: { subject in
            try await subject.add([
                AnimalFixture(name: "kerberos", group: "mammal", legs: 4, heads: 3),
                AnimalFixture(name: "hydra", group: "reptile", legs: 0, heads: 9),
                AnimalFixture(name: "shadow", group: "other", legs: 0, heads: 0),
                AnimalFixture(name: "rumour", group: "bird", legs: nil, heads: nil),
                AnimalFixture(name: "", group: "fish", legs: 1000, heads: 1),
                AnimalFixture(name: "ñandú \"the greater\" \\ 鳥 & <b>", group: "bird", legs: 2, heads: 1),
            ])
        },
        unknown: { subject in
            try await subject.probe.reset(.empty)
            // The last of many: a valid id that no animal has after the next reset.
            let forgotten = try await subject.probe.seedAnimals(20).map(\.id)
            try await subject.probe.reset(.empty)
            let kept = try await subject.probe.seedAnimals(3).map(\.id)
            return [forgotten[19], AnimalID("no-such-animal")].filter { !kept.contains($0) }
        },
        exact: { subject in
            let numbers = [1 << 31, 1 << 32 + 1, 1 << 53 - 1]
            return try await subject.add(
                numbers.map { AnimalFixture(name: "\($0)", group: "other", legs: $0, heads: $0 - 1) }
            )
        },
        odd: oddAnimals,
        mistakes: GetMistakes(
            fabricated: { .fabricated($0) },
            losingZeros: { animal in
                var animal = animal
                if [.known(0), .ambiguousZero].contains(animal.legs) { animal.legs = .unknown }
                return animal
            },
            losingDigits: { animal in
                var animal = animal
                if case .known(let legs) = animal.legs { animal.legs = .known(Int(Int32(truncatingIfNeeded: legs))) }
                return animal
            }
        )
    )

    private static let oddAnimals = OddPayloads(
        seed: OddSeeds.call("animals", \.animals),
        requiredField: "name",
        unknownValue: ("Cryptid", shown: { $0.of(.unknown("Cryptid")) }),
        isUnknown: \.group.isUnknown,
        promises: { subject in
            let required: [FieldPromise<Animal>] = ["name", "kind"].flatMap { field in
                [
                    FieldPromise(.missing(field: field), .refused(path: field)),
                    FieldPromise(.null(field: field), .refused(path: field)),
                ]
            }
            let optional: [FieldPromise<Animal>] = [PayloadOddity.missing(field: "legs"), .null(field: "legs")].map {
                // Does not apply to a vendor that also sends 0 for "not recorded".
                guard subject.expectedCount(nil) == .unknown else { return FieldPromise($0, .refused(path: "legs")) }
                return FieldPromise($0, .shown { $0.withUnknownLegs })
            }
            return required + optional + [FieldPromise(.empty(field: "kind"), .shown { $0.of(.unknown("")) })]
        }
    )
}

extension Animal {
    fileprivate func of(_ group: AnimalGroup) -> Animal {
        var animal = self
        animal.group = group
        return animal
    }

    fileprivate var withUnknownLegs: Animal {
        var animal = self
        animal.legs = .unknown
        return animal
    }
}

extension SanctuarySubject {
    /// Adds animals to an empty vendor, and returns them as the port must show them.
    func add(_ fixtures: [AnimalFixture]) async throws -> [GetSample<AnimalID, Animal>] {
        try await probe.reset(.empty)
        var samples: [GetSample<AnimalID, Animal>] = []
        for fixture in fixtures {
            let animal = Animal(
                id: try await probe.addAnimal(fixture),
                name: fixture.name,
                displayName: fixture.name,
                group: AnimalGroup(fixture.group),
                legs: expectedCount(fixture.legs),
                heads: expectedCount(fixture.heads)
            )
            samples.append(GetSample(animal.id, animal))
        }
        return samples
    }
}

// MARK: Orders

extension Gets {
    private static let order = GetOperation(
        call: SanctuaryCalls.order,
        page: SanctuaryCalls.orders,
        errors: errors,
        samples: { subject in
            try await subject.add([
                [line(450, quantity: 3)], [line(0), line(-1)], [line(99, "mirror & \"frame\"")], [line(1, "鳥 \\ <b>")],
            ])
        },
        unknown: { subject in
            let kept = try await subject.add([[line(1)]]).map(\.input)
            return [OrderID("o-9999"), OrderID("no-such-order")].filter { !kept.contains($0) }
        },
        exact: { subject in
            let digits: Int64 = 1 << 53 - 1
            let isMixed = subject.services.capabilities.contains(.mixedCurrencies)
            let currencies: [Currency] = isMixed ? [.eur, .jpy, .kwd] : [.eur]
            return try await subject.add(
                currencies.flatMap { currency in
                    [1, 500, 1234, digits, -digits, digits - 1].map { [line($0, in: currency)] }
                }
            )
        },
        odd: OddPayloads(
            seed: OddSeeds.call("orders", \.orders),
            requiredField: "status",
            unknownValue: ("lost at sea", shown: { $0.of(.unknown("lost at sea")) }),
            isUnknown: { if case .unknown = $0.status { true } else { false } },
            promises: { _ in
                ["status", "lines"].flatMap { field in
                    [
                        FieldPromise(.missing(field: field), .refused(path: field)),
                        FieldPromise(.null(field: field), .refused(path: field)),
                    ]
                } + [FieldPromise(.empty(field: "status"), .shown { $0.of(.unknown("")) })]
            }
        ),
        mistakes: GetMistakes(
            fabricated: { Order(id: $0, status: .pending, lines: [], placedAt: Instant(millisecondsSince1970: 0)) },
            losingZeros: { order in order.mappingPrices { $0 == 0 ? 1 : $0 } },
            losingDigits: { order in order.mappingPrices { Int64(Float($0)) } }
        )
    )

    private static func line(
        _ minorUnits: Int64,
        _ article: String = "meat",
        quantity: Int = 1,
        in currency: Currency = .eur
    ) -> OrderLine {
        OrderLine(article: article, quantity: quantity, unitPrice: Money(minorUnits: minorUnits, currency: currency))
    }
}

extension Order {
    fileprivate func of(_ status: OrderStatus) -> Order {
        var order = self
        order.status = status
        return order
    }

    fileprivate func mappingPrices(_ change: (Int64) -> Int64) -> Order {
        var order = self
        for index in order.lines.indices {
            let price = order.lines[index].unitPrice
            order.lines[index].unitPrice = Money(minorUnits: change(price.minorUnits), currency: price.currency)
        }
        return order
    }
}

extension SanctuarySubject {
    /// Signs in and adds orders to an empty vendor.
    fileprivate func add(_ orders: [[OrderLine]]) async throws -> [GetSample<OrderID, Order>] {
        try await probe.reset(.empty)
        try await signIn()
        var samples: [GetSample<OrderID, Order>] = []
        for lines in orders {
            let order = try await probe.addOrder(lines)
            samples.append(GetSample(order.id, order))
        }
        return samples
    }
}
