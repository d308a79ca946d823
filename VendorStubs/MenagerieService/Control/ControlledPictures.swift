extension SandboxControl {
    /// The bytes of an animal's picture as both APIs give them; nil if there is no such animal.
    public func photo(ofAnimal legacyID: Int) -> [UInt8]? {
        sandbox.world.read { world in
            world.animals.animal(legacyID: legacyID).map { world.animals.picture(of: $0).bytes }
        }
    }

    /// How many bytes of pictures both APIs have sent; a picture that the client had already (304) is none.
    public var pictureBytesSent: Int { sandbox.world.read { $0.animals.pictureBytesSent } }
}
