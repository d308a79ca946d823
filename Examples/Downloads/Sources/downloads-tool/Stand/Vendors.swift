import CofferdamContracts
import CofferdamStand
import DownloadsContract
import DownloadsFake
import DownloadsPort

/// The server, and the proxy through which a client reaches it.
final class ServerStand: DownloadsVendor {
    let server: FileServer
    let proxy: TestProxy

    /// The address at which clients reach the server.
    var address: String { "http://127.0.0.1:\(proxy.port)" }

    private init(_ server: FileServer, _ proxy: TestProxy) { (self.server, self.proxy) = (server, proxy) }

    static func start() async throws -> ServerStand {
        let server = try await FileServer.start()
        do {
            return ServerStand(server, try await proxy(to: server))
        } catch {
            await server.stop()
            throw error
        }
    }

    static func proxy(to server: FileServer) async throws -> TestProxy {
        let framing = HTTPFraming(classify: { request in
            switch request.path.split(separator: "/", omittingEmptySubsequences: false).count {
            case 2: "files"
            case 3: "file"
            default: "bytes"
            }
        })
        return try await TestProxy.start(to: .init(port: server.port), framing: framing)
    }

    func stop() async {
        await proxy.close()
        await server.stop()
    }

    func set(_ files: [FileInfo]) { server.set(files) }
    func put(_ bytes: [UInt8], as name: String) { server.put(bytes, as: name) }
    func grow(_ name: String) { server.put([], as: name, isGrowing: true) }
    func append(_ bytes: [UInt8], to name: String) { server.append(bytes, to: name) }
    func waitForReaders(exactly count: Int) async throws { try await server.waitForReaders(exactly: count) }
    func simulate(_ incident: StreamIncident) { server.simulate(incident) }

    func setQuirk(_ quirk: PagingQuirk) { server.setQuirk(quirk) }

    func inject(_ fault: VendorFault, on request: String, times: Int) throws {
        if case .encoded(let coding) = fault {
            server.encodeNext(coding)
        } else {
            try proxy.inject(fault, on: request, times: times)
        }
    }

    func clearFaults() async throws {
        proxy.clearRules()
        try await proxy.release()
    }

    func arrivals(of request: String) -> Int { proxy.arrivals(of: request) }

    func waitForArrivals(of request: String, atLeast count: Int) async throws {
        try await proxy.waitForArrivals(of: request, atLeast: count)
    }

    func waitForHeld(exactly count: Int) async throws { try await proxy.waitForHeld(exactly: count) }
    func release() async throws { try await proxy.release() }
}

/// The fake's shelf. It has no connection, so rules that need one are not checked.
struct FakeVendor: DownloadsVendor {
    let fake: FakeDownloads

    func set(_ files: [FileInfo]) { fake.set(files) }
    func put(_ bytes: [UInt8], as name: String) { fake.put(bytes, as: name) }
    func grow(_ name: String) { fake.put([], as: name, isGrowing: true) }
    func append(_ bytes: [UInt8], to name: String) { fake.append(bytes, to: name) }

    func waitForReaders(exactly count: Int) async throws {
        while fake.readers != count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    func simulate(_ incident: StreamIncident) {
        switch incident {
        case .heartbeat: break
        case .end: fake.endGrowing()
        case .loss, .truncation: fake.endGrowing(by: DownloadsError(.truncated, "the file is truncated"))
        }
    }

    private var noWire: UnmetRequirements { UnmetRequirements(harnessCapabilities: [.wire]) }

    func setQuirk(_ quirk: PagingQuirk) throws { throw noWire }
    func inject(_ fault: VendorFault, on request: String, times: Int) throws { throw noWire }
    func clearFaults() throws { throw noWire }
    func arrivals(of request: String) throws -> Int { throw noWire }
    func waitForArrivals(of request: String, atLeast count: Int) throws { throw noWire }
    func waitForHeld(exactly count: Int) throws { throw noWire }
    func release() throws { throw noWire }
}
