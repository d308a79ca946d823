extension SandboxControl {
    /// How many bytes of pictures both APIs have sent; a picture that the client had already (304) is none.
    public var pictureBytesSent: Int { sandbox.world.read { $0.animals.pictureBytesSent } }
}
