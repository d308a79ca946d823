#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import SanctuaryDomain
import Testing

@testable import MenagerieV1Adapter

extension EndToEndTests {
    @Test("D5, LIST-01: the whole catalogue, whatever the page size", arguments: [7, 50, 107, 1000])
    func catalogue(limit: Int) async throws {
        try await OpenSanctuary.with { sanctuary in
            let animals = try await sanctuary.services.catalogue.all(limit: limit)
            #expect(animals.count == 107)
            #expect(animals.map(\.id) == (1...107).map { AnimalID(String($0)) })
            #expect(try await sanctuary.services.catalogue.animal(animals[42].id) == animals[42])
            #expect(sanctuary.issues.issues.isEmpty)
        }
    }

    @Test("D3: in German the name stays canonical, and the display name is German", arguments: ["de", "de-AT"])
    func german(language: String) async throws {
        let english = try await OpenSanctuary.with { try await $0.services.catalogue.all(limit: 1000) }
        try await OpenSanctuary.with(language: language) { sanctuary in
            let german = try await sanctuary.services.catalogue.all(limit: 40)
            #expect(german.map(\.name) == english.map(\.name))
            let naive = try await NaiveV1Catalogue().all(limit: 1000)
            #expect(naive.map(\.name) != english.map(\.name), "the naive handling is to be refused")
            #expect(german.contains { $0.displayName != $0.name })
            let kerberos = try #require(german.first { $0.name == "kerberos" })
            #expect(kerberos.displayName == "Zerberus")
            #expect(try await sanctuary.services.catalogue.animal(kerberos.id) == kerberos)
        }
    }

    @Test("D4, GET-04: an unknown kind is data, a missing field an error with its path")
    func spoiltRecords() async throws {
        try await OpenSanctuary.with { sanctuary in
            let added = sanctuary.control.addAnimal(name: "yeti", kind: "cryptid")
            let yeti = try await sanctuary.services.catalogue.animal(AnimalID(String(added.legacyID)))
            #expect(yeti.group == .unknown("cryptid"))
            #expect(yeti.legs == .ambiguousZero)
            #expect(sanctuary.issues.issues.map(\.path) == ["kind"])
            sanctuary.control.corrupt(animal: 3, .extraField)
            #expect(try await sanctuary.services.catalogue.animal(AnimalID("3")).id == AnimalID("3"))
            sanctuary.control.corrupt(animal: 3, .missing("legs"))
            let one = await SanctuaryError.of { try await sanctuary.services.catalogue.animal(AnimalID("3")) }
            #expect(one?.code == .decoding)
            #expect(one?.subject == "legs")
            let page = await SanctuaryError.of { try await sanctuary.services.catalogue.animals(AnimalsRequest()) }
            #expect(page?.subject == "animals[2].legs")
        }
    }

    @Test("D6: missing, offline and forbidden are three results")
    func threeResults() async throws {
        try await OpenSanctuary.with { sanctuary in
            let catalogue = sanctuary.services.catalogue
            let missing = await SanctuaryError.of { try await catalogue.animal(AnimalID("4711")) }
            #expect(missing?.code == .notFound)
            #expect(missing?.subject == "4711")
            sanctuary.control.inject(.status(403), on: .getAnimal)
            #expect(await SanctuaryError.of { try await catalogue.animal(AnimalID("1")) }?.code == .forbidden)
            sanctuary.control.inject(.status(403), on: .getAnimal)
            let naive = await SanctuaryError.of { try await NaiveV1Catalogue().animal(AnimalID("1")) }
            #expect(naive?.code == .notFound, "the naive handling is to be refused")
            await sanctuary.services.close()
            let offline = try await openMenagerieV1(
                MenagerieV1Configuration(
                    serviceURL: "http://127.0.0.1:1",
                    key: "test",
                    directory: sanctuary.directory,
                    issues: sanctuary.issues.sink
                )
            )
            let error = await SanctuaryError.of { try await offline.catalogue.animal(AnimalID("1")) }
            #expect(error?.code == .unreachable)
            #expect(error?.isRetryable == true)
            await offline.close()
        }
    }

    @Test("D7, BIN-01: a picture arrives byte by byte", arguments: [0, 1, 65_535, 65_536, 65_537, 1_000_000])
    func photo(size: Int) async throws {
        try await OpenSanctuary.with { sanctuary in
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            sanctuary.control.setPhoto(bytes, contentType: "image/bmp", animal: 5)
            let photo = try await sanctuary.services.photos.photo(of: AnimalID("5"))
            #expect(photo == Photo(bytes: bytes, mediaType: "image/bmp"))
        }
    }

    @Test(
        "ERR-03, ERR-05: the errors of broken answers",
        arguments: [
            (Fault.html, SanctuaryError.Code.decoding), (.garbage, .decoding), (.truncated, .truncated),
            (.reset, .unreachable), (.status(500), .unavailable), (.status(429, retryAfter: .seconds(7)), .rateLimited),
            (.status(999), .unknown),
        ]
    )
    func brokenAnswers(fault: Fault, code: SanctuaryError.Code) async throws {
        try await OpenSanctuary.with { sanctuary in
            // A lost connection is retried once where that is safe.
            sanctuary.control.inject(fault, on: .listAnimals, times: 3)
            let error = await SanctuaryError.of { try await sanctuary.services.catalogue.animals(AnimalsRequest()) }
            #expect(error?.code == code)
            #expect(error?.retryAfter == (code == .rateLimited ? .seconds(7) : nil))
        }
    }

    @Test("CANC-02, CANC-04: cancelling a waiting call ends it at the vendor, too")
    func cancellation() async throws {
        try await OpenSanctuary.with { sanctuary in
            sanctuary.control.inject(.hold, on: .listAnimals)
            let catalogue = sanctuary.services.catalogue
            let call = Task { try await catalogue.animals(AnimalsRequest()) }
            await sanctuary.control.waitForHeld(exactly: 1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            await sanctuary.control.waitForHeld(exactly: 0)
            let after = try await catalogue.animal(AnimalID("1"))
            #expect(after.id == AnimalID("1"))
        }
    }

    @Test("D31, D3: of a group, too, the names are in the reader's language", arguments: [3, 1000])
    func narrowedNames(limit: Int) async throws {
        try await OpenSanctuary.with(language: "de") { sanctuary in
            let catalogue = sanctuary.services.catalogue
            let others = try await catalogue.all(limit: 1000).filter { $0.group == .other }
            var request = AnimalsRequest(PageRequest(limit: limit), group: .other)
            var found: [Animal] = []
            repeat {
                let page = try await catalogue.animals(request)
                found += page.items
                request.page.cursor = page.next
            } while request.page.cursor != nil
            #expect(found == others)
            #expect(found.contains { $0.name == "kerberos" && $0.displayName == "Zerberus" })
        }
    }

    @Test("LIFE-03: parallel answers are never mixed up")
    func parallel() async throws {
        try await OpenSanctuary.with(language: "de") { sanctuary in
            let catalogue = sanctuary.services.catalogue
            let all = try await catalogue.all(limit: 1000)
            try await withThrowingTaskGroup(of: (Int, Animal).self) { group in
                for index in all.indices {
                    group.addTask { (index, try await catalogue.animal(all[index].id)) }
                }
                for try await (index, animal) in group { #expect(animal == all[index]) }
            }
        }
    }
}
#endif
