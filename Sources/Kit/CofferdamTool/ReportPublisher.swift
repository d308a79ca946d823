public import CofferdamUpgrade  // publishes its reports

/// Where a team's tool publishes its reports, with `--publish`: the console of the team's control plane.
///
/// ```swift
/// publisher: ReportPublisher(for: "orders") {
///     let server = try ServerAccess(environment: ProcessInfo.processInfo.environment).server()
///     return { try await server.publish($0) }
/// }
/// ```
public struct ReportPublisher: Sendable {
    /// Returns when the report is published. The text of an error that it throws is shown.
    public typealias Publish = @Sendable (_ report: TeamReport) async throws -> Void

    /// The upgrade's name at the server.
    let capability: String
    let open: @Sendable () throws -> Publish

    /// Publishes the reports of a capability.
    ///
    /// - Parameters:
    ///   - capability: the upgrade's name at the server.
    ///   - open: is called before a report is made, so that what is missing is said at once.
    public init(for capability: String, open: @escaping @Sendable () throws -> Publish) {
        (self.capability, self.open) = (capability, open)
    }
}
