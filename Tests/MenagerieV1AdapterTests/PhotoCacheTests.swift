#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import MenagerieV1
import SanctuaryDomain
import Testing

@testable import MenagerieV1Adapter

extension EndToEndTests {
    @Test(arguments: [true, false])
    func `D8: a picture is downloaded once, and a changed one is never returned stale`(isNaive: Bool)
        async throws
    {
        try await OpenSanctuary.with { sanctuary in
            let photos: any Photos = isNaive ? NaiveV1Photos() : sanctuary.services.photos
            let animal = AnimalID("5")
            let first = try await photos.photo(of: animal)
            #expect(try await photos.photo(of: animal) == first)
            #expect(sanctuary.control.pictureBytesSent == first.bytes.count)
            sanctuary.control.setPhoto([4, 5], contentType: "image/bmp", animal: 5)
            let isNew = try await photos.photo(of: animal) == Photo(bytes: [4, 5], mediaType: "image/bmp")
            #expect(isNew != isNaive, "the naive handling is to be refused, and ours is not")
        }
    }

    @Test func `D8: an error page is not stored as a picture`() async throws {
        try await OpenSanctuary.with { sanctuary in
            sanctuary.control.inject(.html, on: .photo)
            let error = await SanctuaryError.of { try await sanctuary.services.photos.photo(of: AnimalID("5")) }
            #expect(error?.code == .decoding)
            let photo = try await sanctuary.services.photos.photo(of: AnimalID("5"))
            #expect(photo.mediaType == "image/bmp")
        }
    }

    @Test(arguments: [true, false])
    func `D32: the bytes of an error page do not count as progress, and an unknown length is nil`(isNaive: Bool)
        async throws
    {
        try await OpenSanctuary.with { sanctuary in
            let photos: any Photos = isNaive ? NaiveV1Photos() : sanctuary.services.photos
            let reported = Mutex<[PhotoProgress]>([])
            sanctuary.control.inject(.html, on: .photo)
            let error = await SanctuaryError.of {
                try await photos.photo(of: AnimalID("5")) { progress in reported.withLock { $0.append(progress) } }
            }
            #expect(error?.code == .decoding)
            let isFull = reported.withLock { $0.contains { $0.fraction == 1 } }
            #expect(isFull == isNaive, "the naive handling is to be refused, and ours is not")
            reported.withLock { $0 = [] }
            sanctuary.control.inject(.chunked, on: .photo)
            _ = try await photos.photo(of: AnimalID("6")) { progress in reported.withLock { $0.append(progress) } }
            let hasNegative = reported.withLock { $0.contains { $0.total ?? 0 < 0 } }
            #expect(hasNegative == isNaive)
        }
    }

    @Test func `D6, D8: without the vendor a picture is unreachable, even one that is on the device`() async throws {
        try await OpenSanctuary.with { sanctuary in
            _ = try await sanctuary.services.photos.photo(of: AnimalID("5"))
            sanctuary.control.inject(.reset, on: .photo, times: 3)
            let error = await SanctuaryError.of { try await sanctuary.services.photos.photo(of: AnimalID("5")) }
            #expect(error?.code == .unreachable)
            let naive = try await NaiveV1Photos().photo(of: AnimalID("5"))
            #expect(!naive.bytes.isEmpty, "however old it is")
        }
    }

    @Test func `D8: the pictures on this device outlive the process`() async throws {
        try await OpenSanctuary.with { sanctuary in
            let first = try await sanctuary.services.photos.photo(of: AnimalID("5"))
            await sanctuary.services.close()
            let again = try await openMenagerieV1(
                MenagerieV1Configuration(
                    serviceURL: sanctuary.service.url,
                    key: "test",
                    directory: sanctuary.directory,
                    issues: sanctuary.issues.sink
                )
            )
            #expect(try await again.photos.photo(of: AnimalID("5")) == first)
            #expect(sanctuary.control.pictureBytesSent == first.bytes.count)
            await again.close()
        }
    }
}

/// The SDK with its defaults: a picture once fetched is never updated.
private struct NaiveV1Photos: Photos {
    func photo(of id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo {
        try await withCheckedThrowingContinuation { continuation in
            _ = Menagerie.shared.fetchPhoto(
                ofAnimal: Int(id.rawValue) ?? 0,
                progress: { @Sendable received, expected in
                    progress(PhotoProgress(completed: Int(received), total: Int(expected)))
                }
            ) { @Sendable bytes, mediaType, error in
                continuation.resume(
                    with: Result {
                        guard let bytes else { throw SanctuaryError(.unknown, error?.localizedDescription ?? "") }
                        return try Photo(bytes: [UInt8](bytes), declaredType: mediaType)
                    }
                )
            }
        }
    }
}
#endif
