import Cofferdam
import CofferdamContracts
import SanctuaryContracts
import SanctuaryDomain
import Testing

/// Checks what BIN-05 does not cover of a picture's progress: the effect of each fault, and reports in the middle.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PictureProgressTests {
    private static let size = 70_000
    private static let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    struct Trouble: Sendable, CustomTestStringConvertible {
        let fault: VendorFault
        var isFatal = true
        var testDescription: String { "\(fault)" }

        static let all = [
            Trouble(fault: .chunked, isFatal: false), Trouble(fault: .withoutLength, isFatal: false),
            Trouble(fault: .encoded(.gzip), isFatal: false), Trouble(fault: .encoded(.brotli), isFatal: false),
            // All announced bytes arrive, but they are not a picture.
            Trouble(fault: .html), Trouble(fault: .status(404)), Trouble(fault: .status(500)),
            Trouble(fault: .truncated), Trouble(fault: .wrongLength(by: 16)), Trouble(fault: .reset),
            Trouble(fault: .malformedChunk), Trouble(fault: .conflictingLengths),
        ]
    }

    @Test(arguments: ["v1", "v2", "fake"], Trouble.all)
    func `D32, BIN-05: whatever befalls a picture, 1 is its last word if it comes, and never if it does not`(
        _ adapter: String,
        _ trouble: Trouble
    ) async throws {
        try await withSubject(adapter) { subject in
            let id = try await subject.addPicture(Self.bytes)
            try await subject.probe.inject(trouble.fault, on: .photo, times: 3)
            let words = Words()
            do {
                let photo = try await subject.services.photos.photo(of: id, progress: words.hear)
                #expect(!trouble.isFatal && photo.bytes == Self.bytes)
                words.expectEnd()
            } catch {
                #expect(trouble.isFatal, "\(error)")
                words.expectNoEnd()
            }
        }
    }

    // The vendor's client reports progress on a silent connection only every five seconds, so one adapter is enough.
    @Test func `D32: what has come is told while the rest is awaited`() async throws {
        try await withSubject("v2") { subject in
            let id = try await subject.addPicture(Self.bytes)
            try await subject.probe.inject(.stall(afterBytes: 50_000), on: .photo, times: 1)
            let words = Words()
            let photo = Task { try await subject.services.photos.photo(of: id, progress: words.hear) }
            let first = await words.first()
            #expect(first.total == Self.size && (1...50_000).contains(first.completed))
            try await subject.probe.waitForHeld(exactly: 1)
            try await subject.probe.releaseHeld()
            #expect(try await photo.value.bytes == Self.bytes)
            words.expectEnd()
        }
    }

    @Test(arguments: ["v1", "v2", "fake"])
    func `D32, D9: nothing is told of a picture that was given up`(_ adapter: String) async throws {
        try await withSubject(adapter) { subject in
            let id = try await subject.addPicture(Self.bytes)
            try await subject.probe.inject(.stall(afterBytes: 50_000), on: .photo, times: 1)
            let words = Words()
            let photo = Task { try await subject.services.photos.photo(of: id, progress: words.hear) }
            try await subject.probe.waitForHeld(exactly: 1)
            photo.cancel()
            await #expect(throws: CancellationError.self) { try await photo.value }
            let heard = words.all
            try await subject.probe.releaseHeld()
            // Late reports of the vendor arrive before the next picture.
            _ = try await subject.services.photos.photo(of: id)
            words.expectNoEnd()
            #expect(words.all == heard)
        }
    }

    @Test(arguments: ["v1", "v2", "fake"])
    func `D32, GET-08: a picture that is on the device is at 1 at once, and one that has changed is not`(
        _ adapter: String
    ) async throws {
        try await withSubject(adapter) { subject in
            let id = try await subject.addPicture(Self.bytes)
            for bytes in [Self.bytes, Self.bytes, []] {
                let words = Words()
                try await subject.probe.setPhoto(bytes, of: id)
                #expect(try await subject.services.photos.photo(of: id, progress: words.hear).bytes == bytes)
                words.expectEnd()
            }
            let words = Words()
            _ = try await subject.services.photos.photo(of: id, progress: words.hear)
            #expect(words.all == [PhotoProgress(completed: 0, total: 0)])
        }
    }
}

/// The progress reports of one picture.
private final class Words: Sendable {
    private let told = Mutex<[PhotoProgress]>([])
    private let stream = AsyncStream.makeStream(of: PhotoProgress.self)

    var all: [PhotoProgress] { told.withLock { $0 } }

    var hear: @Sendable (PhotoProgress) -> Void {
        { [self] progress in
            told.withLock { $0.append(progress) }
            stream.continuation.yield(progress)
        }
    }

    func first() async -> PhotoProgress {
        for await progress in stream.stream { return progress }
        return PhotoProgress(completed: -1, total: nil)
    }

    func expectEnd() {
        expectNoStepBack()
        #expect(all.count { $0.fraction == 1 } == 1, "\(all)")
        #expect(all.last?.fraction == 1, "\(all)")
    }

    func expectNoEnd() {
        expectNoStepBack()
        #expect(all.allSatisfy { ($0.fraction ?? 0) < 1 }, "\(all)")
    }

    private func expectNoStepBack() {
        for (word, next) in zip(all, all.dropFirst()) {
            #expect(word.completed <= next.completed && word.fraction ?? 0 <= next.fraction ?? 0, "\(all)")
        }
    }
}

extension SanctuarySubject {
    /// Adds an animal with that picture.
    fileprivate func addPicture(_ bytes: [UInt8]) async throws -> AnimalID {
        let id = try await probe.addAnimal(AnimalFixture(name: "argus", group: "bird", legs: 2, heads: 1))
        try await probe.setPhoto(bytes, of: id)
        return id
    }
}
