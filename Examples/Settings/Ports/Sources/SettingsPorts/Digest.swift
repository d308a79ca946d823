/// Identifies this package's sources: an app and its sides must be built with the same. The team's tool says the
/// new one after a change.
@_alwaysEmitIntoClient public var settingsPortsDigest: String { "cbc100af36e2d1f2" }
