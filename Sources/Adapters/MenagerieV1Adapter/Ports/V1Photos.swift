#if Sandbox
import Cofferdam
import Foundation
import MenagerieV1
import SanctuaryDomain

/// Pictures. The SDK caches each picture without expiry, so this adapter makes it revalidate them.
struct V1Photos: Photos {
    let vendor: Vendor

    func photo(of id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo {
        try Task.checkCancellation()
        try vendor.lifetime.check()
        let number = try id.number()
        // The SDK may still report progress from its queue when the caller no longer waits.
        let transfer = Mutex(PhotoTransfer(progress))
        defer { transfer.withLock { $0.end() } }
        let photo: Photo = try await vendor.call(of: id.rawValue) { sdk, answer in
            sdk.fetchPhoto(
                ofAnimal: number,
                cachePolicy: .validate,
                progress: { @Sendable received, expected in
                    transfer.withLock { $0.received(Int(received), of: expected < 0 ? nil : Int(expected)) }
                },
                completion: { @Sendable bytes, mediaType, error in answer(bytes.map { ($0, mediaType) }, error) }
            )
        } translate: { bytes, mediaType throws(SanctuaryError) in
            try Photo(bytes: [UInt8](bytes), declaredType: mediaType)
        }
        transfer.withLock { $0.finish(with: photo) }
        return photo
    }
}
#endif
