#if Sandbox
import Cofferdam
import Foundation
import MenagerieService
import MenagerieV1Adapter
import MenagerieV2Adapter
import SanctuaryDomain

/// The cost of the upgrade for users with pictures on their device. It reads the same pictures through V1, again
/// through V1, through V2 in the same directory, and again through V2.
public struct PictureCacheMeasurement: Sendable, Hashable, Codable {
    public var pictures: Int
    /// The bytes of pictures that the service sent in each of the four walks.
    public var downloaded: [Int]
    /// The bytes in the state directory after each walk.
    public var onDisk: [Int]
    /// The bytes in the state directory after V1's pictures are removed.
    public var onDiskWithoutV1: Int

    /// Runs the measurement against a separate service.
    public static func run(pictures: Int = 20) async throws -> PictureCacheMeasurement {
        let service = try await startService()
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        do {
            var measurement = PictureCacheMeasurement(
                pictures: pictures,
                downloaded: [],
                onDisk: [],
                onDiskWithoutV1: 0
            )
            try await menagerieV1Turnstile.run {
                for _ in 1...2 {
                    try await measurement.walk(service, directory.path) {
                        try await openV1(at: $0, directory: $1, issues: $2)
                    }
                }
            }
            for _ in 1...2 {
                try await measurement.walk(service, directory.path) {
                    try await openV2(at: $0, directory: $1, issues: $2)
                }
            }
            try OrphanedPictures.remove(in: directory.path)
            measurement.onDiskWithoutV1 = bytes(in: directory.path)
            await service.stop()
            return measurement
        } catch {
            await service.stop()
            throw error
        }
    }

    private mutating func walk(
        _ service: RunningService,
        _ directory: String,
        _ open: (_ url: String, _ directory: String, _ issues: IssueSink) async throws -> SanctuaryServices
    ) async throws {
        let before = service.control.pictureBytesSent
        let services = try await open(service.url, directory, IssueSink { _, _ in })
        do {
            for number in 1...pictures { _ = try await services.photos.photo(of: AnimalID("\(number)")) }
        } catch {
            await services.close()
            throw error
        }
        await services.close()
        downloaded.append(service.control.pictureBytesSent - before)
        onDisk.append(Self.bytes(in: directory))
    }

    private static func bytes(in directory: String) -> Int {
        let files = FileManager.default.enumerator(
            at: URL(fileURLWithPath: directory),
            includingPropertiesForKeys: [.fileSizeKey, .isRegularFileKey]
        )
        return (files?.compactMap { $0 as? URL } ?? []).reduce(0) { sum, file in
            let values = try? file.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])  // 0 if it is gone
            return sum + (values?.isRegularFile == true ? values?.fileSize ?? 0 : 0)
        }
    }
}
#endif
