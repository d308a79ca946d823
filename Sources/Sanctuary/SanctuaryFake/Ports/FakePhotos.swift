import Cofferdam
import SanctuaryContracts
import SanctuaryDomain

/// Pictures. Each instance keeps those it has fetched, which are sent again only if they have changed.
struct FakePhotos: Photos {
    let session: FakeSession
    private let kept = KeptPhotos()

    init(session: FakeSession) { self.session = session }

    func photo(of id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo {
        let transfer = Mutex(PhotoTransfer(progress))
        defer { transfer.withLock { $0.end() } }
        let known = kept.photos.withLock { $0[id] }
        let sent = try await session.call(.photo) { world in
            let sent = try world.update { state throws(SanctuaryError) in try state.sendPhoto(of: id, unless: known) }
            if let size = sent?.bytes.count { transfer.withLock { $0.received(size / 2, of: size) } }
            return sent
        }
        guard let photo = sent ?? known else { throw SanctuaryError(.decoding, "not modified, but nothing is kept") }
        _ = try Photo(bytes: photo.bytes, declaredType: photo.mediaType)
        kept.photos.withLock { $0[id] = photo }
        transfer.withLock { $0.finish(with: photo) }
        return photo
    }
}

private final class KeptPhotos: Sendable {
    let photos = Mutex<[AnimalID: Photo]>([:])
}

extension FakeState {
    /// Returns nil if the picture is the known one.
    fileprivate mutating func sendPhoto(of id: AnimalID, unless known: Photo?) throws(SanctuaryError) -> Photo? {
        guard let photo = photos[id] else {
            throw SanctuaryError(.notFound, "no such animal, or no picture of it", subject: id.rawValue)
        }
        if known != nil { photoTraffic.validators += 1 }
        guard photo != known else { return nil }
        photoTraffic.bytes += photo.bytes.count
        return photo
    }
}
