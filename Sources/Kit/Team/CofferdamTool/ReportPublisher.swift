public import CofferdamUpgrade  // its team reports

/// The place where a team's tool publishes its reports with `--publish`: the console of the team's control plane.
///
/// ```swift
/// publisher: ReportPublisher(for: "orders") {
///     let server = try ServerAccess(environment: ProcessInfo.processInfo.environment).server()
///     return { try await server.publish($0) }
/// }
/// ```
public struct ReportPublisher: Sendable {
    /// Publishes a report, and returns once it is published. The command prints the errors that it throws.
    public typealias Publish = @Sendable (_ report: TeamReport) async throws -> Void

    /// The upgrade's name on the server.
    let capability: String
    let open: @Sendable () throws -> Publish

    /// Creates a publisher for the reports of a capability.
    ///
    /// - Parameters:
    ///   - capability: the upgrade's name on the server.
    ///   - open: called before a report is made, so that missing settings are reported at once.
    public init(for capability: String, open: @escaping @Sendable () throws -> Publish) {
        (self.capability, self.open) = (capability, open)
    }
}
