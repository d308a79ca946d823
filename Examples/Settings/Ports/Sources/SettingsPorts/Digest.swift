/// Identifies the version of this package's sources: an app and its sides must be built with the same ones. After a
/// change, the team's tool refuses to run and prints the new digest.
@_alwaysEmitIntoClient public var settingsPortsDigest: String { "c2571935a11db05c" }
