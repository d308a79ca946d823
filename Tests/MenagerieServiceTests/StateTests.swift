#if Sandbox
import Foundation
import Testing

@testable import MenagerieService

@Suite(.timeLimit(.minutes(5)))
struct StateTests {
    #if SQLite
    @Test("A service that is started again on the same file has the same world")
    func restart() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sqlite").path
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
        let order: JSON = [
            "lines": [
                [
                    "article": "hay", "quantity": .integer(2),
                    "unitPrice": ["amount": "4.50", "currency": "EUR"],
                ]
            ]
        ]
        let key = ["Idempotency-Key": "k-1"]
        let configuration = ServiceConfiguration(animals: 5000, database: path)
        let (before, token, refreshToken, used) = try await withService(configuration) {
            service,
            client async throws in
            let (amara, refreshToken) = try await client.signedIn()
            #expect(try await amara.post("/v2/orders", order, headers: key).status == 201)
            try service.control.setStatus("shipped", order: "o-1")
            service.control.addAnimal(name: "yeti", kind: "cryptid")
            service.control.setKind("fish", animal: 4000)
            let posted = try service.control.postMessage(author: "noor", text: "hello")
            try service.control.postMessage(author: "noor", text: "stays")
            try service.control.deleteMessage(posted)
            try service.control.updateAccessory("feeder-1", battery: 9)
            // More events at once than the service keeps.
            try service.control.burst("scale-1", count: 25_000)
            service.control.advanceClock(by: .seconds(60))
            var other = client
            let (_, unused) = try await other.signedIn(as: "kenji")
            other.token = try await client.refresh(unused).json["accessToken"]?.text
            return (try await Self.world(amara), amara.token, refreshToken, unused)
        }
        try await withService(configuration) { service, client async throws in
            var amara = client
            amara.token = token
            #expect(try await Self.world(amara) == before)
            #expect(try await amara.post("/v2/orders", order, headers: key).status == 200)
            #expect(service.control.orderCount(of: "amara") == 4)
            #expect(service.control.now > Date().timeIntervalSince1970 + 50)
            #expect(try await client.refresh(refreshToken).status == 200)
            // Used before the restart: the family is revoked.
            #expect(try await client.refresh(used).json.errorCode == "token_reused")
            let second = await #expect(throws: ServiceError.self) { try await startService(configuration) }
            #expect(second?.message.contains("is locked") == true)
            let next = try service.control.postMessage(author: "noor", text: "next")
            #expect(next == "m-16")
        }
        let other = await #expect(throws: ServiceError.self) {
            try await startService(ServiceConfiguration(seed: 2, database: path))
        }
        #expect(other?.code == .badState)
        #expect(other?.message == "the stored world has the seed 1, not 2")
        try await withService(configuration) { service, _ async throws in service.control.reset(baseline: .empty) }
        try await withService(configuration) { service, _ async throws in
            #expect(service.control.animalCount == 0)
            #expect(service.control.orderCount(of: "amara") == 0)
        }
    }

    private static func world(_ client: ServiceClient) async throws -> [JSON] {
        var shown: [JSON] = []
        for address in ["v1/animals/4000", "v1/animals/5108", "v2/orders", "v2/messages", "v2/accessories"] {
            shown.append(try await client.get("/\(address)").withoutOrigin)
        }
        return shown
    }

    @Test(
        "A file that cannot be used is an error that names it",
        arguments: ["/nowhere/at/all.sqlite", "/dev/null/x"]
    )
    func unusable(path: String) async throws {
        let error = await #expect(throws: ServiceError.self) {
            try await startService(ServiceConfiguration(database: path))
        }
        #expect(error?.code == .badState)
        #expect(error?.message.contains(path) == true)
    }
    #else
    @Test("Without the trait, asking for a file is an error that names the trait")
    func withoutTheTrait() async throws {
        let error = await #expect(throws: ServiceError.self) {
            try await startService(ServiceConfiguration(database: "zoo.sqlite"))
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("trait SQLite") == true)
    }
    #endif

    @Test("A change that cannot be stored is not answered as a success, and the world records why")
    func fullDisk() throws {
        struct FullDisk: Storage {
            struct Full: Error {}
            func values(of part: String) throws -> [(position: Int, value: [UInt8])] { [] }
            func apply(_ changes: [StorageChange]) throws { throw Full() }
            func close() {}
        }
        let origin = World.Origin(seed: 1, zoo: [], moreAnimals: 0, frozenAt: nil)
        var world = World(baseline: .empty, of: origin)
        StoredWorld(storage: FullDisk()).save(&world)
        #expect(world.storageFailure == "the state cannot be stored: Full()")
    }

    @Test("The same seed and the same calls give the same bytes, and another seed gives others")
    func deterministic() async throws {
        func bytes(seed: UInt64) async throws -> [[UInt8]] {
            let clock = ServiceClock.frozen(secondsSince1970: 1_700_000_000)
            return try await withService(.init(seed: seed, animals: 10, clock: clock)) { service, client async throws in
                let (amara, token) = try await client.signedIn()
                var replies = [Array(token.utf8), Array((amara.token ?? "").utf8)]
                let line: JSON = [
                    "article": "hay", "quantity": .integer(2), "unitPrice": ["amount": "1", "currency": "JPY"],
                ]
                replies.append(try await amara.post("/v2/orders", ["lines": [line]]).body)
                for address in ["animals?limit=3", "orders", "messages", "accessories", "account"] {
                    replies.append(try await amara.get("/v2/\(address)").body)
                }
                return replies
            }
        }
        let first = try await bytes(seed: 1)
        #expect(try await bytes(seed: 1) == first)
        let other = try await bytes(seed: 2)
        #expect(zip(first, other).count { $0 != $1 } >= 6)
    }
}

extension ServiceClient.Reply {
    /// The body without addresses, which contain the port.
    fileprivate var withoutOrigin: JSON {
        guard case .object(var members) = json else { return json }
        members["photo_url"] = nil
        return .object(members)
    }
}
#endif
