#if Sandbox
import Cofferdam
import MenagerieService
import MenagerieV2
import MenagerieV2Adapter
import SanctuaryDomain
import Testing

@Suite struct CatalogueEndToEndTests {
    @Test("D1, D5, LIST-01: the whole catalogue, by the oldest ids, whatever the limit", arguments: [1000, 50, 7])
    func whole(limit: Int) async throws {
        try await OpenedSanctuary.with { sanctuary in
            let animals = try await sanctuary.allAnimals(limit: limit)
            #expect(animals.map(\.id.rawValue) == (1...107).map(String.init))
            #expect(animals.map(\.name).contains("kerberos"))
            #expect(sanctuary.issues.all.isEmpty)
        }
    }

    @Test(arguments: Handling.allCases)
    func `D5: a caller that asks for a thousand gets all, fifty at a time`(_ handling: Handling) async throws {
        try await opened(handling) { catalogue, _ in
            let count = try await catalogue.all(limit: 1000).count
            _ = try handling.refuses(count == 107)
        }
    }

    @Test(arguments: Handling.allCases)
    func `D3: names stay canonical in another language, display names do not`(_ handling: Handling) async throws {
        try await opened(handling, language: "de") { catalogue, _ in
            let kerberos = try #require(try await catalogue.all().first { $0.displayName == "Zerberus" })
            _ = try handling.refuses(kerberos.name == "kerberos")
        }
    }

    @Test("D1, GET-01: one animal by its old id, and by its UUID in any letter case")
    func one() async throws {
        try await OpenedSanctuary.with { sanctuary in
            let listed = try await sanctuary.allAnimals()
            for animal in listed.prefix(5) {
                let legacy = try #require(Int(animal.id.rawValue))
                let uuid = try #require(sanctuary.control.ids(ofAnimal: legacy)).uuid
                for id in [animal.id.rawValue, uuid, uuid.uppercased()] {
                    #expect(try await sanctuary.catalogue.animal(AnimalID(id)) == animal)
                }
            }
        }
    }

    @Test("D1: an instance that has seen nothing asks about an old id once")
    func resolution() async throws {
        try await OpenedSanctuary.with { sanctuary in
            _ = try await sanctuary.catalogue.animal(AnimalID("12"))
            _ = try await sanctuary.catalogue.animal(AnimalID("12"))
            #expect(sanctuary.control.calls(of: .resolveIdentifiers) == 1)
            #expect(sanctuary.control.calls(of: .getAnimal) == 2)
        }
    }

    @Test(arguments: Handling.allCases)
    func `D6, GET-02: missing, forbidden and out of reach are three different errors`(_ handling: Handling) async throws
    {
        try await opened(handling) { catalogue, sanctuary in
            await expect(.notFound) { try await catalogue.animal(AnimalID("999999")) }
            sanctuary.control.inject(.status(403), on: .getAnimal)
            let refused = await SanctuaryError.of { try await catalogue.animal(AnimalID("1")) }
            guard try handling.refuses(refused?.code == .forbidden) else {
                await sanctuary.stopService()
                await expect(.notFound) { try await catalogue.animal(AnimalID("1")) }
                return
            }
            let uuid = "00000000-0000-4000-8000-000000000000"
            for id in [uuid, "no such id", "", "0007"] {
                await expect(.notFound) { try await catalogue.animal(AnimalID(id)) }
            }
            await sanctuary.stopService()
            await expect(.unreachable) { try await catalogue.animal(AnimalID("1")) }
        }
    }

    @Test("D2: what is not recorded is unknown, and 0 is none")
    func counts() async throws {
        try await OpenedSanctuary.with(.empty) { sanctuary in
            sanctuary.control.addAnimal(name: "snake", kind: "reptile", legs: 0, heads: 1)
            sanctuary.control.addAnimal(name: "shade", kind: "other")
            let animals = try await sanctuary.allAnimals()
            #expect(animals.map(\.legs) == [.known(0), .unknown])
            #expect(animals.map(\.heads) == [.known(1), .unknown])
        }
    }

    @Test(arguments: Handling.allCases)
    func `D4, GET-07: one unknown kind of 20 animals is 20 animals and one warning`(_ handling: Handling) async throws {
        try await opened(handling, .empty) { catalogue, sanctuary in
            sanctuary.control.seedAnimals(3)
            sanctuary.control.addAnimal(name: "axolotl", kind: "amphibian", legs: 4, heads: 1)
            sanctuary.control.seedAnimals(16)
            let animals = try await catalogue.all()
            try #require(animals.count == 20)
            guard try handling.refuses(animals[3].group == .unknown("amphibian")) else { return }
            #expect(sanctuary.issues.all.map(\.path) == ["items[3].kind"])
            #expect(sanctuary.issues.all.map(\.severity) == [.warning])
        }
    }

    @Test(
        "GET-03, GET-04: a spoilt animal fails its page at its path",
        arguments: [
            (.missing("name"), "items[3].name"), (.null("id"), "items[3].id"), (.wrongType("legs"), "items[3].legs"),
            (.extraField, nil), (.missing("legs"), nil), (.null("heads"), nil),
        ] as [(Corruption, String?)]
    )
    func spoilt(corruption: Corruption, path: String?) async throws {
        try await OpenedSanctuary.with(.empty) { sanctuary in
            sanctuary.control.seedAnimals(20)
            sanctuary.control.corrupt(animal: 4, corruption)
            guard let path else {
                let count = try await sanctuary.allAnimals().count
                #expect(count == 20)
                return
            }
            let error = await #expect(throws: SanctuaryError.self) { try await sanctuary.allAnimals() }
            #expect(error?.code == .decoding)
            #expect(error?.subject == path)
        }
    }

    @Test(arguments: Handling.allCases)
    func `D5, LIST-01: animals that are added during the walk are seen once, and so are the others`(
        _ handling: Handling
    ) async throws {
        try await opened(handling, .empty) { catalogue, sanctuary in
            sanctuary.control.seedAnimals(120)
            var ids: [String] = []
            var cursor: Cursor?
            repeat {
                let page = try await catalogue.animals(AnimalsRequest(PageRequest(cursor: cursor, limit: 20)))
                ids += page.items.map(\.id.rawValue)
                cursor = page.next
                if ids.count < 100 { sanctuary.control.seedAnimals(3) }
            } while cursor != nil
            #expect(Set(ids).count >= 120)
            guard try handling.refuses(Set(ids).count == ids.count) else { return }
            #expect(ids == (1...ids.count).map(String.init))
        }
    }

    @Test("D5, LIST-03, LIST-04: neither an empty page nor an empty cursor ends the walk")
    func quirks() async throws {
        for quirk in [PagingQuirk.emptyPageWithCursor, .emptyStringCursor] {
            try await OpenedSanctuary.with { sanctuary in
                sanctuary.control.setPagingQuirk(quirk)
                let count = try await sanctuary.allAnimals().count
                #expect(count == 107, "\(quirk)")
            }
        }
    }

    @Test("D5, LIST-05, LIST-06: repeated, expired and foreign cursors are invalidCursor")
    func cursors() async throws {
        try await OpenedSanctuary.with { sanctuary in
            sanctuary.control.setPagingQuirk(.repeatedCursor)
            await expect(.invalidCursor) { try await sanctuary.allAnimals() }
            sanctuary.control.setPagingQuirk(nil)
            let first = try await sanctuary.catalogue.animals(AnimalsRequest(PageRequest(limit: 10)))
            sanctuary.control.expireCursors()
            let calls = sanctuary.control.calls(of: .listAnimals)
            await expect(.invalidCursor) {
                try await sanctuary.catalogue.animals(AnimalsRequest(PageRequest(cursor: first.next)))
            }
            #expect(sanctuary.control.calls(of: .listAnimals) == calls + 1)
            for raw in ["", "50", "v2:nonsense"] {
                let request = AnimalsRequest(PageRequest(cursor: Cursor(raw)))
                await expect(.invalidCursor) { try await sanctuary.catalogue.animals(request) }
            }
            #expect(sanctuary.control.calls(of: .listAnimals) == calls + 1)
        }
    }

    @Test(arguments: Handling.allCases)
    func `D5, LIST-05: a cursor that the vendor repeats ends the walk`(_ handling: Handling) async throws {
        try await opened(handling) { catalogue, sanctuary in
            sanctuary.control.setPagingQuirk(.repeatedCursor)
            var cursor: Cursor?
            var pages = 0
            let error = await SanctuaryError.of {
                repeat {
                    cursor = try await catalogue.animals(AnimalsRequest(PageRequest(cursor: cursor, limit: 10))).next
                    pages += 1
                } while cursor != nil && pages < 20
            }
            _ = try handling.refuses(error?.code == .invalidCursor)
        }
    }

    @Test(arguments: Handling.allCases)
    func `D5, LIST-06: a cursor that has expired is the port's error`(_ handling: Handling) async throws {
        try await opened(handling) { catalogue, sanctuary in
            let first = try await catalogue.animals(AnimalsRequest(PageRequest(limit: 10)))
            #expect(first.next != nil)
            sanctuary.control.expireCursors()
            let error = await SanctuaryError.of {
                try await catalogue.animals(AnimalsRequest(PageRequest(cursor: first.next)))
            }
            _ = try handling.refuses(error?.code == .invalidCursor)
        }
    }

    @Test("BIN-01, D7: pictures byte by byte, of any size, by a new address each time")
    func photos() async throws {
        try await OpenedSanctuary.with { sanctuary in
            for size in [0, 1, 65_535, 65_536, 1_000_000] {
                let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
                sanctuary.control.setPhoto(bytes, contentType: "image/png", animal: 5)
                let photo = try await sanctuary.services.photos.photo(of: AnimalID("5"))
                #expect(photo == Photo(bytes: bytes, mediaType: "image/png"), "\(size)")
            }
            #expect(sanctuary.control.calls(of: .imageURL) == 5)
            // Another picture: an unchanged one has no body that could be truncated.
            sanctuary.control.setPhoto(Array(repeating: 1, count: 1000), contentType: "image/png", animal: 5)
            sanctuary.control.inject(.truncated, on: .photo)
            await expect(.truncated) { try await sanctuary.services.photos.photo(of: AnimalID("5")) }
            await expect(.notFound) { try await sanctuary.services.photos.photo(of: AnimalID("999999")) }
        }
    }

    @Test("D7: an address that expires on the way is signed anew, once")
    func expiredSignature() async throws {
        try await OpenedSanctuary.with { sanctuary in
            sanctuary.control.inject(.hold, on: .photo)
            async let photo = sanctuary.services.photos.photo(of: AnimalID("5"))
            await sanctuary.control.waitForHeld(exactly: 1)
            sanctuary.control.advanceClock(by: .seconds(901))
            sanctuary.control.releaseHeld()
            let isEmpty = try await photo.bytes.isEmpty
            #expect(!isEmpty)
            #expect(sanctuary.control.calls(of: .imageURL) == 2)
        }
    }

    private func opened(
        _ handling: Handling,
        _ baseline: Baseline = .seeded,
        language: String = "en",
        _ body: (any Catalogue, OpenedSanctuary) async throws -> Void
    ) async throws {
        try await OpenedSanctuary.with(baseline, language: language) { sanctuary in
            guard handling == .naive else { return try await body(sanctuary.catalogue, sanctuary) }
            let options = MenagerieOptions(
                serviceURL: sanctuary.url,
                apiKey: "test",
                directory: sanctuary.directory,
                language: language
            )
            let client = MenagerieClient(options: options)
            try await client.configure()
            let result: Result<Void, any Error>
            do { result = .success(try await body(NaiveV2Catalogue(client: client), sanctuary)) } catch {
                result = .failure(error)
            }
            await client.shutdown()
            try result.get()
        }
    }
}
#endif
