import Cofferdam
import CofferdamUpgrade
import SanctuaryDomain

struct RoutedPhotos: Photos {
    let route: Route<any Photos>

    // Two sides may tell of one picture, one after the other: the caller hears of one transfer, and nothing afterwards.
    func photo(of id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo {
        let transfer = Transfer(progress)
        defer { transfer.end() }
        let photo = try await route.read("photo", (id, transfer), comparing: .photos) { port, call in
            try await port.photo(of: call.0) { call.1.received($0) }
        }
        transfer.finish(with: photo)
        return photo
    }
}

private final class Transfer: Sendable {
    private let transfer: Mutex<PhotoTransfer>

    init(_ progress: @escaping @Sendable (PhotoProgress) -> Void) { transfer = Mutex(PhotoTransfer(progress)) }

    func received(_ progress: PhotoProgress) {
        transfer.withLock { $0.received(progress.completed, of: progress.total) }
    }
    func finish(with photo: Photo) { transfer.withLock { $0.finish(with: photo) } }
    func end() { transfer.withLock { $0.end() } }
}
