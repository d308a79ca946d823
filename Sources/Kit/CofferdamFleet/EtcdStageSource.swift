public import CofferdamCurl  // asks through an HTTP client that it is given
public import CofferdamUpgrade  // it is one of the sources of stages

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads the stage that a whole fleet follows from one key of etcd, whose value is `{"stage": "candidateOnly"}`; members
/// that are unknown are ignored.
///
/// Each call asks etcd, once, by a linearizable read: what it says was agreed on by a majority at that moment. How long
/// it may take is the client's configuration.
public struct EtcdStageSource: StageSource {
    public let key: String
    private let gateway: EtcdGateway
    private let missing: Stage

    /// - Parameters:
    ///   - key: "/apps/shop/catalogue".
    ///   - endpoint: where etcd's JSON gateway is: "http://127.0.0.1:2379".
    ///   - missing: the stage where there is no such key.
    public init(key: String, endpoint: String, client: CurlClient, missing: Stage = .legacyOnly) {
        self.init(key: key, gateway: EtcdGateway(endpoint: endpoint, client: client), missing: missing)
    }

    init(key: String, gateway: EtcdGateway, missing: Stage = .legacyOnly) {
        self.key = key
        self.gateway = gateway
        self.missing = missing
    }

    /// - Throws: ``StageError``: `unavailable` if etcd cannot be asked or does not answer as it should, `unknownStage` for a
    ///   value that names no stage; `CancellationError`.
    public func stage() async throws -> Stage {
        guard let entry = try await gateway.entry(key) else { return missing }
        let name: String
        do {
            name = try JSONDecoder().decode(StoredStage.self, from: Data(entry.value)).stage
        } catch {
            throw StageError.unknownStage(String(decoding: entry.value, as: UTF8.self), in: key)
        }
        guard let stage = Stage(rawValue: name) else { throw StageError.unknownStage(name, in: key) }
        return stage
    }
}

private struct StoredStage: Decodable {
    var stage: String
}
