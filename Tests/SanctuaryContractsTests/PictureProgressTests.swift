#if Sandbox
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
    func `D32, BIN-05: whatever fault occurs, progress ends at 1 if the picture arrives, and never reaches it if not`(
        _ adapter: String,
        _ trouble: Trouble
    ) async throws {
        try await withSubject(adapter) { subject in
            let id = try await subject.addPicture(Self.bytes)
            try await subject.probe.inject(trouble.fault, on: .photo, times: 3)
            let log = ProgressLog()
            do {
                let photo = try await subject.services.photos.photo(of: id, progress: log.record)
                #expect(!trouble.isFatal && photo.bytes == Self.bytes)
                log.expectEnd()
            } catch {
                #expect(trouble.isFatal, "\(error)")
                log.expectNoEnd()
            }
        }
    }

    // The vendor's client reports progress on a silent connection only every five seconds, so one adapter is enough.
    @Test func `D32: progress is reported while the rest is awaited`() async throws {
        try await withSubject("v2") { subject in
            let id = try await subject.addPicture(Self.bytes)
            try await subject.probe.inject(.stall(afterBytes: 50_000), on: .photo, times: 1)
            let log = ProgressLog()
            let photo = Task { try await subject.services.photos.photo(of: id, progress: log.record) }
            let first = await log.first()
            #expect(first.total == Self.size && (1...50_000).contains(first.completed))
            try await subject.probe.waitForHeld(exactly: 1)
            try await subject.probe.releaseHeld()
            #expect(try await photo.value.bytes == Self.bytes)
            log.expectEnd()
        }
    }

    @Test(arguments: ["v1", "v2", "fake"])
    func `D32, D9: no progress is reported for a cancelled picture`(_ adapter: String) async throws {
        try await withSubject(adapter) { subject in
            let id = try await subject.addPicture(Self.bytes)
            try await subject.probe.inject(.stall(afterBytes: 50_000), on: .photo, times: 1)
            let log = ProgressLog()
            let photo = Task { try await subject.services.photos.photo(of: id, progress: log.record) }
            try await subject.probe.waitForHeld(exactly: 1)
            photo.cancel()
            await #expect(throws: CancellationError.self) { try await photo.value }
            let reported = log.all
            try await subject.probe.releaseHeld()
            // Late reports of the vendor arrive before the next picture.
            _ = try await subject.services.photos.photo(of: id)
            log.expectNoEnd()
            #expect(log.all == reported)
        }
    }

    @Test(arguments: ["v1", "v2", "fake"])
    func `D32, GET-08: a picture that is on the device is at 1 at once, and one that has changed is not`(
        _ adapter: String
    ) async throws {
        try await withSubject(adapter) { subject in
            let id = try await subject.addPicture(Self.bytes)
            for bytes in [Self.bytes, Self.bytes, []] {
                let log = ProgressLog()
                try await subject.probe.setPhoto(bytes, of: id)
                #expect(try await subject.services.photos.photo(of: id, progress: log.record).bytes == bytes)
                log.expectEnd()
            }
            let log = ProgressLog()
            _ = try await subject.services.photos.photo(of: id, progress: log.record)
            #expect(log.all == [PhotoProgress(completed: 0, total: 0)])
        }
    }
}

/// The progress reports of one picture.
private final class ProgressLog: Sendable {
    private let reports = Mutex<[PhotoProgress]>([])
    private let stream = AsyncStream.makeStream(of: PhotoProgress.self)

    var all: [PhotoProgress] { reports.withLock { $0 } }

    var record: @Sendable (PhotoProgress) -> Void {
        { [self] progress in
            reports.withLock { $0.append(progress) }
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
        for (report, next) in zip(all, all.dropFirst()) {
            #expect(report.completed <= next.completed && report.fraction ?? 0 <= next.fraction ?? 0, "\(all)")
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
#endif
