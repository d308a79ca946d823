extension SandboxControl {
    /// Returns the bytes of an animal's picture as both APIs serve them; nil if there is no such animal.
    public func photo(ofAnimal legacyID: Int) -> [UInt8]? {
        sandbox.world.read { world in
            world.animals.animal(legacyID: legacyID).map { world.animals.picture(of: $0).bytes }
        }
    }

    /// The number of picture bytes sent by both APIs; an unmodified picture (304) counts as 0.
    public var pictureBytesSent: Int { sandbox.world.read { $0.animals.pictureBytesSent } }
}
