public import Cofferdam  // pictures are the kit's loadables
public import SanctuaryDomain  // of the domain's animals

/// The animals' pictures as lists show them: one loadable for each animal, shared by all screens and kept for a while after its last use.
public struct Gallery: Sendable {
    private let pictures = LoadableCache()
    private let photos: PhotoFeature

    init(_ photos: PhotoFeature) { self.photos = photos }

    /// The animal's picture. Hold `activate()`'s token while it is in sight: it is fetched then if it is needed, and no
    /// longer once no screen shows it.
    public func picture(of id: AnimalID) -> Loadable<Photo> {
        pictures.loadable(Self.key(id)) { [photos] in
            Loadable { try await photos.photo(of: id) }
        }
    }

    /// Pictures that are in sight are fetched again at once, others when they come into sight.
    public func invalidate() { pictures.invalidate(under: Self.folder) }

    private static let folder: LoadableKey = ["pictures"]
    private static func key(_ id: AnimalID) -> LoadableKey { LoadableKey(folder.parts + [.init(id.rawValue)]) }
}
