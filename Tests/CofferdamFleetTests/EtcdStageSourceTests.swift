import CofferdamCurl
@testable import CofferdamFleet
import CofferdamUpgrade
import Foundation
import Testing

@Suite struct EtcdStageSourceTests {
    private static let key = "/apps/shop/catalogue"

    /// A reply as etcd 3.4 writes it: base64, integers as strings, zero values left out.
    private static func reply(_ value: String?, key: String = key) -> String {
        let header = #""header":{"cluster_id":"14841639068965178418","member_id":"1","revision":"7","raft_term":"2"}"#
        guard let value else { return "{\(header)}" }
        let value64 = Data(value.utf8).base64EncodedString()
        let member = value.isEmpty ? "" : #","value":"\#(value64)""#
        let key64 = Data(key.utf8).base64EncodedString()
        return """
            {\(header),"kvs":[{"key":"\(key64)","create_revision":"2","mod_revision":"7","version":"3"\(member)}],"count":"1"}
            """
    }

    private func source(status: Int = 200, _ body: String, missing: Stage = .legacyOnly) -> EtcdStageSource {
        EtcdStageSource(
            key: Self.key,
            gateway: EtcdGateway { path, request in
                #expect(path == "/v3/kv/range")
                let object = try JSONSerialization.jsonObject(with: Data(request)) as? [String: String]
                #expect(object == ["key": Data(Self.key.utf8).base64EncodedString()])
                return (status, [UInt8](body.utf8))
            },
            missing: missing
        )
    }

    @Test(
        arguments: [
            (#"{"stage":"candidateOnly"}"#, .candidateOnly), (#"{"stage":"legacyOnly","epoch":4}"#, .legacyOnly),
            (#"{"stage":"canary(500)"}"#, .canary(share: 500)),
        ] as [(String, Stage)]
    )
    func `the key's value names the stage`(value: String, stage: Stage) async throws {
        #expect(try await source(Self.reply(value)).stage() == stage)
    }

    @Test(arguments: [Stage.legacyOnly, .shadow(sample: 100), .candidateOnly])
    func `a key that is not there is the default`(missing: Stage) async throws {
        #expect(try await source(Self.reply(nil), missing: missing).stage() == missing)
    }

    @Test(arguments: ["", "candidateOnly", "{}", #"{"stage":5}"#, #"{"stage":"canary"}"#])
    func `a value that names no stage is an error that names the key`(value: String) async {
        let error = await #expect(throws: StageError.self) { try await source(Self.reply(value)).stage() }
        #expect(error?.code == .unknownStage)
        #expect(error?.subject == Self.key)
        #expect(error?.message.contains("legacyOnly, shadow(SAMPLE), canary(SHARE)") == true)
    }

    @Test(arguments: [
        (200, "", "cannot be read"), (200, "<html>", "cannot be read"), (200, "{}", "cannot be read"),
        (200, #"{"header":{"revision":"1"},"kvs":[{"key":"!"}]}"#, "cannot be read"),
        (200, reply(#"{"stage":"candidateOnly"}"#, key: "/other"), "cannot be read"),
        (401, #"{"error":"x","code":16,"message":"invalid auth token"}"#, "answers 401: invalid auth token"),
        (503, "no leader", "answers 503"), (404, "404 page not found", "answers 404"),
    ])
    func `anything but an answer of etcd's is unavailable, never a stage`(
        status: Int,
        body: String,
        message: String
    ) async throws {
        let source = source(status: status, body, missing: .candidateOnly)
        let error = await #expect(throws: StageError.self) { try await source.stage() }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains(message) == true)
        let reading = try await source.reading()
        #expect(reading.stage == .legacyOnly)
        #expect(reading.error as? StageError == error)
    }

    @Test func `a service that cannot be reached is unavailable`() async {
        // Port 1 of the loopback is nobody's.
        let source = EtcdStageSource(key: "k", endpoint: "http://127.0.0.1:1/", client: CurlClient())
        let error = await #expect(throws: StageError.self) { try await source.stage() }
        #expect(error?.code == .unavailable)
        #expect(error?.subject == "k")
        let wrong = EtcdStageSource(key: "k", endpoint: "nowhere", client: CurlClient())
        await #expect(throws: StageError.self) { try await wrong.stage() }
    }

    @Test func `cancellation stays cancellation`() async {
        let source = EtcdStageSource(key: "k", gateway: EtcdGateway { _, _ in throw CancellationError() })
        await #expect(throws: CancellationError.self) { try await source.stage() }
    }
}
