/// Identifies this package's sources: an app and its sides must be built with the same sources. After a change, the
/// team's tool prints the new digest.
@_alwaysEmitIntoClient public var settingsPortsDigest: String { "cbc100af36e2d1f2" }
