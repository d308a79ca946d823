public import DownloadsPort

#if Staged
import AsyncHTTPDownloads
import CofferdamUpgrade
import DownloadsUpgrade
import URLSessionDownloads
#elseif AsyncHTTP
import AsyncHTTPDownloads
#elseif URLSession
import URLSessionDownloads
#endif

/// The client that this build of the app links; one line of Package.swift selects it.
public enum LinkedClient {
    #if Staged
    public static let name = "staged"

    /// Opens both clients, with the stages between them.
    public static func open(server: String, token: String, user: String) async throws -> DownloadsService {
        let upgrade = try downloadsUpgrade(
            from: { openURLSessionDownloads(server: server, token: token) },
            to: { openAsyncHTTPDownloads(server: server, token: token) },
            // An app keeps its stage on disk: `.directory(path, decides: false)`, with the kit's trait SQLite.
            backend: .memory()
        )
        await upgrade.start()
        return DownloadsService(upgrade.downloads(for: user)) { await upgrade.close() }
    }
    #elseif AsyncHTTP
    public static let name = "async-http"

    public static func open(server: String, token: String, user: String) async throws -> DownloadsService {
        openAsyncHTTPDownloads(server: server, token: token)
    }
    #elseif URLSession
    public static let name = "urlsession"

    public static func open(server: String, token: String, user: String) async throws -> DownloadsService {
        openURLSessionDownloads(server: server, token: token)
    }
    #endif
}
