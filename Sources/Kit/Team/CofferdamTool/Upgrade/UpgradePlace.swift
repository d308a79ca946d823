/// The place where upgrades are kept.
enum UpgradePlace: Sendable, Hashable {
    case directory(String)
    case fleet(FleetPlace)
    /// The address of a `cofferdam-server`.
    case server(String)
}
