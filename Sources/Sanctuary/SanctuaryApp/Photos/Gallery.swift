import Cofferdam
public import CofferdamState  // pictures are the kit's loadables
public import SanctuaryDomain  // of the domain's animals

/// The animals' pictures in lists: one loadable for each animal, which all screens share and which stays for a while
/// after its last use.
public struct Gallery: Sendable {
    private let pictures = LoadableCache()
    private let photos: PhotoFeature

    init(_ photos: PhotoFeature) { self.photos = photos }

    /// The animal's picture. Hold the token of `activate()` while the picture is in sight: it is fetched if necessary,
    /// and the fetch ends when no screen shows it.
    public func picture(of id: AnimalID) -> Loadable<Photo> {
        pictures.loadable(Self.key(id)) { [photos] in
            Loadable { try await photos.photo(of: id) }
        }
    }

    /// Fetches pictures in sight again at once, and others when they come into sight.
    public func invalidate() { pictures.invalidate(under: Self.folder) }

    private static let folder: LoadableKey = ["pictures"]
    private static func key(_ id: AnimalID) -> LoadableKey { LoadableKey(folder.parts + [.init(id.rawValue)]) }
}
