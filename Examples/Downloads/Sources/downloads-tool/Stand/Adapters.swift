import AsyncHTTPDownloads
import Cofferdam
import CofferdamContracts
import CofferdamStand
import DownloadsContract
import DownloadsFake
import DownloadsPort
import Foundation
import URLSessionDownloads

/// Opens a client's adapter with a server's address.
typealias Open = @Sendable (_ server: String, _ clock: any Clock<Duration>) -> DownloadsService

extension AdapterUnderTest<DownloadsSubject> {
    /// The version of the adapters, which are part of this package.
    private static let version = "1.0"

    static let urlSession = live("urlsession", of: "Foundation of \(swiftVersion)") {
        openURLSessionDownloads(server: $0, token: FileServer.token, clock: $1)
    }
    static let asyncHTTP = live("async-http", of: "async-http-client from 1.37.0") {
        openAsyncHTTPDownloads(server: $0, token: FileServer.token, clock: $1)
    }

    /// Each case has its own server, and a proxy in front of it.
    private static func live(_ name: String, of client: String, _ open: @escaping Open) -> Self {
        Self(
            name: name,
            capabilities: ["progress", .http, "instances"],
            harnessCapabilities: [.wire, "orderlyEnd"],
            identity: AdapterIdentity(version: version, sdk: client),
            open: {
                let stand = try await ServerStand.start()
                return try subject(stand, at: stand.address, open)
            },
            close: { subject in
                await subject.service.close()
                await (subject.vendor as? ServerStand)?.stop()
                remove(subject.directory)
            }
        )
    }

    private static func subject(_ stand: ServerStand, at server: String, _ open: @escaping Open) throws
        -> DownloadsSubject
    {
        let clock = AdjustableClock()
        return DownloadsSubject(
            service: open(server, clock),
            vendor: stand,
            secret: FileServer.token,
            clock: clock,
            directory: try temporaryDirectory(),
            open: { address in try subject(stand, at: address?.server(instead: server) ?? server, open) }
        )
    }

    static let fake = Self(
        name: "fake",
        harnessCapabilities: ["orderlyEnd"],
        identity: AdapterIdentity(.fake, version: version, sdk: "none"),
        open: {
            let fake = FakeDownloads()
            return try subject(fake)
        },
        close: { subject in
            await subject.service.close()
            remove(subject.directory)
        }
    )

    private static func subject(_ fake: FakeDownloads) throws -> DownloadsSubject {
        DownloadsSubject(
            service: fake.service,
            vendor: FakeVendor(fake: fake),
            secret: "none",
            clock: AdjustableClock(),
            directory: try temporaryDirectory(),
            open: { address in
                guard address == nil else { throw UnmetRequirements(harnessCapabilities: [.wire]) }
                return try subject(fake)
            }
        )
    }
}

extension DeadAddress {
    fileprivate func server(instead server: String) -> String {
        switch self {
        // A label longer than DNS allows, so that no resolver is asked.
        case .noSuchHost: "http://\(String(repeating: "absent", count: 12)).invalid"
        // A reserved port on which nothing listens.
        case .refused: "http://127.0.0.1:1"
        case .tlsFailure: server.replacing("http://", with: "https://")
        }
    }
}

/// Creates a new directory; ``remove(_:)`` removes it with everything in it.
func temporaryDirectory() throws -> String {
    let url = FileManager.default.temporaryDirectory.appending(path: "downloads-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url.path
}

func remove(_ directory: String) {
    do {
        try FileManager.default.removeItem(atPath: directory)
    } catch {
        // The system empties its temporary directory.
    }
}

/// The Swift version, because URLSession comes with the compiler's Foundation.
private var swiftVersion: String {
    #if compiler(>=6.4)
    "Swift 6.4 or later"
    #elseif compiler(>=6.3)
    "Swift 6.3"
    #else
    "Swift 6.2"
    #endif
}
