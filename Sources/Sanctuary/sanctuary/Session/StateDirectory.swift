#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where the SDK keeps the session: the user's own, readable by nobody else; for the sandbox one that ends with it,
/// because a sandbox's session is worth nothing afterwards and must not replace a real one.
struct StateDirectory {
    let path: String
    private let isTemporary: Bool

    init(given: String?, isSandbox: Bool, environment: [String: String]) throws {
        isTemporary = given == nil && isSandbox
        path = try given ?? (isSandbox ? Self.temporaryPath : Self.defaultPath(environment))
        guard !path.isEmpty else { throw Failure(.usage, "--state must not be empty") }
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw Failure(.cannotWrite, "cannot create the state directory \(path)")
        }
    }

    /// Removes it if it was made for this command alone.
    func removeIfTemporary() {
        guard isTemporary else { return }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            Diagnostics.write("warning: cannot remove the temporary directory \(path)")
        }
    }

    private static var temporaryPath: String {
        FileManager.default.temporaryDirectory.appending(path: "sanctuary-\(UUID().uuidString)").path
    }

    private static func defaultPath(_ environment: [String: String]) throws -> String {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/sanctuary" }
        guard let home = environment["HOME"], !home.isEmpty else {
            throw Failure(.cannotWrite, "there is no home directory to keep the session in: give --state")
        }
        return home + "/.local/state/sanctuary"
    }
}
