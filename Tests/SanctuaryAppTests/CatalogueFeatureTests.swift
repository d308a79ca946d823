import Cofferdam
import SanctuaryApp
import SanctuaryDomain
import Testing

@Suite struct CatalogueFeatureTests {
    private func animal(_ name: String, _ group: AnimalGroup = .mammal, shown: String? = nil) -> Animal {
        Animal(
            id: AnimalID("id-\(name)"),
            name: name,
            displayName: shown ?? name,
            group: group,
            legs: .known(4),
            heads: .unknown
        )
    }

    private var zoo: [Animal] {
        [
            animal("bear", shown: "Bär"), animal("kerberos", .other, shown: "Zerberus"), animal("Cerberus", .other),
            animal("gnat", .unknown("insect")), animal("hydra", .unknown("serpent")), animal("medusa", .other),
            animal("carp", .fish), animal("polarbear"),
        ]
    }

    private func names(_ listing: AnimalListing) -> [String] { listing.animals.map(\.name) }

    @Test(
        arguments: [
            (.all, "", ["bear", "kerberos", "Cerberus", "gnat", "hydra", "medusa", "carp", "polarbear"]),
            (.mythological, "", ["kerberos", "Cerberus", "hydra", "medusa"]),
            (.regular, "", ["bear", "carp", "polarbear"]),
            (.all, "BEAR", ["bear", "polarbear"]),
            (.all, "bär", ["bear"]),
            (.mythological, "erberus", ["kerberos", "Cerberus"]),
            (.regular, "kerberos", []),
            (.remainder, "", ["gnat"]),
            (.all, "gnat", ["gnat"]),
            (.all, "unicorn", []),
        ] as [(AnimalKind, String, [String])]
    )
    func `animals are listed by kind and by a text in either of their names`(
        kind: AnimalKind,
        text: String,
        expected: [String]
    ) async throws {
        let features = Ports(animals: pages(zoo)).features()
        let listing = try await features.catalogue.animals(kind: kind, matching: text)
        #expect(names(listing) == expected)
        #expect(listing.total == zoo.count)
    }

    @Test func `each animal is in exactly one house, and those of an unknown group are seen`() async throws {
        let houses = try await Ports(animals: pages(zoo)).features().catalogue.animals().houses
        #expect(houses.mythological.map(\.creature) == [.kerberos, .kerberos, .hydra, .medusa])
        #expect(houses.remainder.map(\.name) == ["gnat"])
        #expect(houses.regular.count + houses.mythological.count + houses.remainder.count == zoo.count)
    }

    @Test(arguments: 0..<10)
    func `whatever the catalogue, no animal vanishes and none is in two houses`(seed: Int) {
        let names = ["bear", "kerberos", "CERBERUS", "hydra", "gnat", "medusa", "frog"]
        let groups: [AnimalGroup] = [.mammal, .other, .unknown("insect"), .fish]
        let animals = (0..<100).map { number in
            let mixed = (number &+ seed) &* 2_654_435_761 >> 7
            return Animal(
                id: AnimalID("\(number)"),
                name: names[mixed % names.count],
                displayName: "x",
                group: groups[mixed / 7 % groups.count],
                legs: .unknown,
                heads: .unknown
            )
        }
        let houses = AnimalHouses(animals)
        let housed = houses.mythological.map(\.animal) + houses.regular + houses.remainder
        #expect(housed.count == animals.count)
        #expect(Set(housed) == Set(animals))
        #expect(houses.remainder.allSatisfy { $0.group.isUnknown })
        #expect(houses.regular.allSatisfy { MythologicalAnimal($0) == nil })
    }

    @Test func `the catalogue is read once, and again when asked to`() async throws {
        let counter = Counter()
        let page = pages(zoo)
        let features = Ports(animals: { request in
            if request.cursor == nil { counter.add() }
            return try await page(request)
        }).features()
        _ = try await features.catalogue.animals()
        _ = try await features.catalogue.animals(kind: .regular)
        #expect(counter.count == 1)
        try await features.catalogue.refresh()
        #expect(counter.count == 2)
    }

    @Test func `what a detail has learned, the list shows`() async throws {
        var grown = zoo[0]
        grown.legs = .known(2)
        let answer = grown
        let features = Ports(animals: pages(zoo), animal: { _ in answer }).features()
        #expect(try await features.catalogue.animals().animals.first?.legs == .known(4))
        #expect(try await features.catalogue.animal(grown.id) == grown)
        #expect(try await features.catalogue.animals().animals.first?.legs == .known(2))
        #expect(features.catalogue.current.first == grown)
    }

    @Test func `a page that fails is the walk's error, and no short list`() async {
        let page = pages(zoo)
        let features = Ports(animals: { request in
            guard request.cursor != Cursor("+4") else { throw SanctuaryError(.decoding, "broken", subject: "items[1]") }
            return try await page(request)
        }).features()
        let error = await #expect(throws: SanctuaryError.self) { try await features.catalogue.animals() }
        #expect(error?.subject == "items[1]")
        #expect(features.catalogue.current.isEmpty)
    }

    @Test(
        arguments: [
            (WalkLimits(items: 8), nil), (WalkLimits(items: 7), "more than 7 items"),
            (WalkLimits(pages: 5), nil), (WalkLimits(pages: 4), "more than 4 pages"),
            (WalkLimits(pages: -1), "more than -1 pages"),
        ] as [(WalkLimits, String?)]
    )
    func `a walk ends at its bound with an error (LIST-02)`(limits: WalkLimits, message: String?) async throws {
        let features = Ports(animals: pages(zoo)).features(limits: limits)
        do {
            #expect(try await features.catalogue.animals().total == zoo.count)
            #expect(message == nil)
        } catch let error as FeatureError {
            #expect(error == FeatureError(.tooLong, message ?? "", subject: "animals"))
        }
    }

    @Test func `a cursor that comes back ends the walk with an error (LIST-05)`() async {
        let features = Ports(animals: { _ in Page(items: [], next: Cursor("again")) }).features()
        let error = await #expect(throws: SanctuaryError.self) { try await features.catalogue.animals() }
        #expect(error?.code == .invalidCursor)
        #expect(error?.subject == "again")
    }

    @Test func `an empty cursor is a cursor (LIST-04)`() async throws {
        let bear = animal("bear")
        let features = Ports(animals: { request in
            request.cursor == nil ? Page(items: [], next: Cursor("")) : Page(items: [bear], next: nil)
        }).features()
        #expect(try await features.catalogue.animals().animals == [bear])
    }
}
