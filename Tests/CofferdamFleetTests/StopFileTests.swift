#if Fleet
import Cofferdam
import CofferdamCurl
import CofferdamDevice
import CofferdamFleet
import CofferdamUpgrade
import Foundation
import TestSupport
import Testing

@Suite struct StopFileTests {
    /// The first keys of RFC 8032, 7.1.
    private static let privateKey = "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A="
    private static let publicKey = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
    private static var key: StopSignature.PrivateKey { get throws { try .init(privateKey, subject: "stop.key") } }
    private static let stop = SignedStop(["orders"], by: "amara", reason: "orders fail", at: 1_764_000_000)

    private func withFile(
        _ status: Int,
        _ body: [UInt8],
        _ test: (StopFile) async throws -> Void
    ) async throws {
        let server = try LoopbackServer()
        server.answers { _ in (status, String(decoding: body, as: UTF8.self)) }
        let address = "http://\(server.address)/stop.json"
        try await test(StopFile(address, key: Self.publicKey, transport: .curl(CurlClient())))
    }

    @Test func `a signed file stops the upgrades that it names`() async throws {
        try await withFile(200, Self.key.sign(Self.stop)) { file in
            let found = try await file.stop(of: "orders")
            #expect(found == StopNotice(by: "amara", reason: "orders fail", at: 1_764_000_000))
            #expect(try await file.stop(of: "catalogue") == nil)
        }
    }

    @Test func `a file that names none stops all`() async throws {
        var stop = Self.stop
        stop.capabilities = []
        try await withFile(200, Self.key.sign(stop)) { file in
            let found = try await file.stop(of: "catalogue")
            #expect(found != nil)
        }
    }

    @Test(arguments: [404, 410])
    func `no file is no stop`(status: Int) async throws {
        try await withFile(status, Array("<h1>no</h1>".utf8)) { file in
            let found = try await file.stop(of: "orders")
            #expect(found == nil)
        }
    }

    @Test func `a file that another key has signed, or that was changed, is an error`() async throws {
        let signed = String(decoding: try Self.key.sign(Self.stop), as: UTF8.self)
        let other = try StopSignature.PrivateKey().sign(Self.stop)
        let files = [
            other, Array(signed.replacingOccurrences(of: "orders fail", with: "orders work").utf8), [],
            Array("{}".utf8), Array("<html>".utf8), Array(signed.utf8.prefix(80)),
        ]
        for file in files {
            try await withFile(200, file) { stops in
                await #expect { try await stops.stop(of: "orders") } throws: {
                    ($0 as? UpgradeStoreError)?.code == .unreadable
                }
            }
        }
    }

    @Test(arguments: [500, 403])
    func `another answer is an error that names it`(status: Int) async throws {
        try await withFile(status, []) { stops in
            await #expect { try await stops.stop(of: "orders") } throws: {
                ($0 as? UpgradeStoreError)?.message.contains("status \(status)") == true
            }
        }
    }

    @Test func `a file without end, or of another size than it may have, is an error`() async throws {
        try await withFile(200, Array(repeating: 32, count: 70_000)) { stops in
            await #expect { try await stops.stop(of: "orders") } throws: {
                ($0 as? UpgradeStoreError)?.code == .unavailable
            }
        }
    }

    @Test func `a time that no date has is an error`() throws {
        for at: Int64 in [-1, .max] {
            var stop = Self.stop
            stop.at = at
            let (file, key) = (try Self.key.sign(stop), try StopSignature.PublicKey(Self.publicKey, subject: ""))
            #expect(throws: UpgradeStoreError.self) { try StopSignature.open(file, with: key, subject: "") }
        }
    }

    @Test(
        arguments: [
            (["COFFERDAM_STOP_FILE": "https://a/stop.json"], "COFFERDAM_STOP_KEY"),
            (["COFFERDAM_STOP_KEY": Self.publicKey], "COFFERDAM_STOP_FILE"),
            (["COFFERDAM_STOP_FILE": "https://a/s", "COFFERDAM_STOP_KEY": "c2hvcnQ="], "COFFERDAM_STOP_KEY"),
            (["COFFERDAM_STOP_FILE": "a b", "COFFERDAM_STOP_KEY": Self.publicKey], "COFFERDAM_STOP_FILE"),
        ]
    )
    func `the environment names both or neither, and an error names the variable`(
        environment: [String: String],
        subject: String
    ) {
        #expect { try StopFile(environment: environment) } throws: { ($0 as? UpgradeStoreError)?.subject == subject }
        #expect(throws: Never.self) { try StopFile(environment: [:]) }
    }

    @Test func `a key survives its text, and an error does not show it`() throws {
        #expect(try Self.key.publicKey == Self.publicKey)
        #expect(try Self.key.text == Self.privateKey)
        #expect { try StopSignature.PrivateKey("c2VjcmV0", subject: "stop.key") } throws: {
            !"\($0)".contains("c2VjcmV0")
        }
    }
}
#endif
