#if Sandbox
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The directory in which the SDK keeps the session, readable by the user alone. The sandbox has its own beside it, so
/// that its session does not replace a real one.
struct StateDirectory {
    let path: String

    init(given: String?, isSandbox: Bool, environment: [String: String]) throws {
        path = try given ?? Self.defaultPath(environment) + (isSandbox ? "/sandbox" : "")
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

    private static func defaultPath(_ environment: [String: String]) throws -> String {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/sanctuary" }
        guard let home = environment["HOME"], !home.isEmpty else {
            throw Failure(.cannotWrite, "there is no home directory to keep the session in: give --state")
        }
        return home + "/.local/state/sanctuary"
    }
}
#endif
