#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import MenagerieV2Adapter
import SanctuaryDomain
import Testing

@testable import MenagerieV2

@Suite(.timeLimit(.minutes(5))) struct PictureCacheTests {
    private let animal = AnimalID("5")

    @Test(arguments: Handling.allCases)
    func `D7: the same picture after its address has expired is downloaded once`(_ handling: Handling) async throws {
        try await OpenedSanctuary.with { sanctuary in
            try await self.photos(handling, sanctuary) { photos in
                let first = try await photos.photo(of: animal)
                sanctuary.control.advanceClock(by: .seconds(86_400))
                let second = try await photos.photo(of: animal)
                #expect(first == second)
                _ = try handling.refuses(sanctuary.control.pictureBytesSent == first.bytes.count)
            }
        }
    }

    @Test(arguments: Handling.allCases)
    func `D8: a changed picture is never returned stale`(_ handling: Handling) async throws {
        try await OpenedSanctuary.with { sanctuary in
            try await self.photos(handling, by: .uuid, sanctuary) { photos in
                sanctuary.control.setPhoto([1, 2, 3], contentType: "image/png", animal: 5)
                #expect(try await photos.photo(of: animal).bytes == [1, 2, 3])
                sanctuary.control.setPhoto([4, 5], contentType: "image/bmp", animal: 5)
                let photo = try await photos.photo(of: animal)
                _ = try handling.refuses(photo == Photo(bytes: [4, 5], mediaType: "image/bmp"))
            }
        }
    }

    @Test(arguments: Handling.allCases)
    func `D1, D7, D8: a picture is its animal's, however the animal is named`(_ handling: Handling) async throws {
        try await OpenedSanctuary.with { sanctuary in
            try await self.photos(handling, by: .spelling, sanctuary) { photos in
                let seventh = try await photos.photo(of: AnimalID("7"))
                // The seventh is one of those that the vendor spells in upper case.
                let uuid = try #require(sanctuary.control.ids(ofAnimal: 7)?.uuid)
                #expect(try await photos.photo(of: AnimalID(uuid)) == seventh)
                #expect(try await photos.photo(of: AnimalID("8")) != seventh)
                _ = try handling.refuses(sanctuary.control.pictureBytesSent == 2 * seventh.bytes.count)
            }
        }
    }

    @Test func `D6, D8: without the vendor a picture is unreachable, even one that is on the device`() async throws {
        try await OpenedSanctuary.with { sanctuary in
            _ = try await sanctuary.services.photos.photo(of: animal)
            await sanctuary.stopService()
            await expect(.unreachable) { try await sanctuary.services.photos.photo(of: animal) }
        }
    }

    @Test func `D8: what V1 has left is found, not touched, and removed on request`() async throws {
        try await OpenedSanctuary.with { sanctuary in
            let folder = sanctuary.directory + "/menagerie.photos"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for name in ["0123456789abcdef0123456789abcdef", "900150983cd24fb0d6963f7d28e17f72", "the user's own"] {
                try Data(count: 1000).write(to: URL(fileURLWithPath: folder + "/" + name))
            }
            _ = try await sanctuary.services.photos.photo(of: animal)
            let found = try OrphanedPictures.found(in: sanctuary.directory)
            #expect(found.files == 2 && found.bytes == 2000)
            #expect(try OrphanedPictures.remove(in: sanctuary.directory) == found)
            #expect(try OrphanedPictures.remove(in: sanctuary.directory).files == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["the user's own"])
            #expect(try OrphanedPictures.found(in: sanctuary.directory + "/none").files == 0)
        }
    }

    @Test func `D8: V2 keeps the latest pictures up to its limit, and none that takes a tenth of it`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        let cache = ImageCache(directory: directory, limit: 20_000)
        for index in 0..<40 {
            let entry = ImageCache.Entry(storedAt: Date(), bytes: Data(count: 1000))
            await cache.keep(entry, under: "animal-\(index)")
        }
        #expect((10_000...20_000).contains(cache.diskUsage))
        await cache.keep(ImageCache.Entry(storedAt: Date(), bytes: Data(count: 2000)), under: "large")
        #expect(await cache.entry(under: "large")?.bytes == nil)
        try FileManager.default.removeItem(atPath: directory)
    }

    @Test func `D8: an error page is not stored as a picture`() async throws {
        try await OpenedSanctuary.with { sanctuary in
            sanctuary.control.inject(.html, on: .photo)
            await expect(.decoding) { try await sanctuary.services.photos.photo(of: animal) }
            let photo = try await sanctuary.services.photos.photo(of: animal)
            #expect(photo.mediaType == "image/bmp")
        }
    }

    @Test(arguments: Handling.allCases)
    func `D32: the bytes of an error page do not count as progress`(_ handling: Handling) async throws {
        try await OpenedSanctuary.with { sanctuary in
            try await self.photos(handling, sanctuary) { photos in
                sanctuary.control.inject(.html, on: .photo)
                let highest = Mutex(0.0)
                let error = await SanctuaryError.of {
                    try await photos.photo(of: animal) { imageProgress in
                        highest.withLock { $0 = max($0, imageProgress.fraction ?? 0) }
                    }
                }
                #expect(error?.code == .decoding)
                _ = try handling.refuses(highest.withLock { $0 } < 1)
            }
        }
    }

    @Test func `D8: a damaged file is fetched again`() async throws {
        try await OpenedSanctuary.with { sanctuary in
            let photo = try await sanctuary.services.photos.photo(of: animal)
            let folder = sanctuary.directory + "/com.menagerie.v2.images"
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.count == 1)
            for name in names { try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/" + name)) }
            #expect(try await sanctuary.services.photos.photo(of: animal) == photo)
        }
    }

    private func photos(
        _ handling: Handling,
        by key: NaiveV2Photos.Key = .address,
        _ sanctuary: OpenedSanctuary,
        _ body: (any Photos) async throws -> Void
    ) async throws {
        guard handling == .naive else { return try await body(sanctuary.services.photos) }
        let options = MenagerieOptions(serviceURL: sanctuary.url, apiKey: "test", directory: sanctuary.directory)
        let client = MenagerieClient(options: options)
        try await client.configure()
        do {
            try await body(NaiveV2Photos(client: client, key: key))
        } catch {
            await client.shutdown()
            throw error
        }
        await client.shutdown()
    }
}
#endif
