public import Cofferdam  // operations are the kit's values
public import SanctuaryDomain  // of the domain's ports

/// The operations of ``Photos``.
public enum PhotosOperations {
    public struct Request: Sendable {
        public var id: AnimalID
        public var progress: @Sendable (PhotoProgress) -> Void

        public init(_ id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void = { _ in }) {
            self.id = id
            self.progress = progress
        }
    }

    public static let photo = PortOperation<any Photos, Request, Photo>("photo", .read) {
        try await $0.photo(of: $1.id, progress: $1.progress)
    }
    .compared(by: .photos)
    .reporting(.photos)
    .recorded(as: PhotoRecord.self) { ["id": $0.id.rawValue] }
}

extension Intercepted: Photos where Port == any Photos {
    public func photo(of id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo {
        try await call(PhotosOperations.photo, PhotosOperations.Request(id, progress: progress)) {
            try await $0.photo(of: $1.id, progress: $1.progress)
        }
    }
}

extension ProgressReporting<PhotosOperations.Request, Photo> {
    /// The caller sees the progress of one transfer, however many sides are asked for the picture.
    fileprivate static var photos: Self {
        ProgressReporting { request in
            let transfer = Transfer(request.progress)
            return Session(
                input: PhotosOperations.Request(request.id) { transfer.received($0) },
                finish: { transfer.finish(with: $0) },
                end: { transfer.end() }
            )
        }
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
