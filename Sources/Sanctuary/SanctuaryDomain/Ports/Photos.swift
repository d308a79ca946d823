/// Port: animals' pictures.
///
/// Isolation, cancellation and errors are those of ``Catalogue``.
public protocol Photos: Sendable {
    /// Returns the animal's picture, byte for byte as the vendor has it, of any size from 0 bytes (BIN-01), whether or
    /// not it is a valid image (BIN-07).
    ///
    /// The animal's id is the only key: a URL that the vendor signs or lets expire never leaves the adapter, and a
    /// picture that is on the device already is not downloaded again (D7, GET-08). The vendor is asked each time
    /// whether the picture is current: the result is never older than the call, whatever the SDK's cache would return
    /// (D8).
    ///
    /// `progress` receives the transfer's progress, one call at a time, on any thread, and never after this method has
    /// returned or thrown (BIN-05). Neither the bytes nor the fraction ever decreases. ``PhotoProgress/fraction`` is 1
    /// exactly once, in the last call, when the complete picture, stored on the device if required, is about to be
    /// returned. This also holds for a picture of 0 bytes, and for one that was on the device already, for which it is
    /// the only call; in it `completed` and `total` are equal. The fraction never reaches 1 if no picture is returned,
    /// even if all its bytes have arrived. If the vendor does not announce the size, `total` is nil until the last
    /// call. The closure must be quick and must not block.
    ///
    /// - Throws: `notFound` if the animal or its picture does not exist; `truncated` if the connection ended early: a
    ///   partial picture is never returned (BIN-02).
    func photo(of id: AnimalID, progress: @escaping @Sendable (PhotoProgress) -> Void) async throws -> Photo
}

extension Photos {
    /// Returns the animal's picture without reporting progress.
    public func photo(of id: AnimalID) async throws -> Photo { try await photo(of: id, progress: { _ in }) }
}
