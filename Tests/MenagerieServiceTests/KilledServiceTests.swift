#if Sandbox
#if SQLite
import Foundation
import Testing

@testable import MenagerieService

@Suite(.serialized, .timeLimit(.minutes(5)))
struct KilledServiceTests {
    @Test("Killed in the middle and started again, the service has all that it has answered, each order once")
    func killed() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sqlite").path
        defer {
            for suffix in ["", "-wal", "-shm", ".host"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        async let host: Void = Self.host(path)
        let (process, url) = try await Self.announced(path)
        let line: JSON = [
            "article": "hay", "quantity": .integer(2), "unitPrice": ["amount": "4.50", "currency": "EUR"],
        ]
        let order: JSON = ["lines": [line]]
        let amara = try await ServiceClient(url: url).signedIn().client
        var answered: [String: JSON?] = [:]
        for number in 1...20 {
            let reply = try await amara.post("/v2/orders", order, headers: ["Idempotency-Key": "k-\(number)"])
            #expect(reply.status == 201)
            answered["k-\(number)"] = reply.json["id"]
        }
        async let underWay = amara.post("/v2/orders", order, headers: ["Idempotency-Key": "k-21"])
        _ = kill(process, SIGKILL)
        // It is unknown whether it was placed.
        do { _ = try await underWay } catch {}
        await host
        try await withService(ServiceConfiguration(database: path)) { service, client async throws in
            let amara = try await client.signedIn().client
            for (key, id) in answered {
                let again = try await amara.post("/v2/orders", order, headers: ["Idempotency-Key": key])
                #expect((again.status, again.json["id"]) == (200, id))
            }
            let last = try await amara.post("/v2/orders", order, headers: ["Idempotency-Key": "k-21"])
            #expect([200, 201].contains(last.status))
            #expect(service.control.orderCount(of: "amara") == 3 + 21)
        }
    }

    /// A process with a service on that file, which prints its address.
    private static func host(_ path: String) async {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let service = try await startService(ServiceConfiguration(database: path))
            try "\(getpid()) \(service.url)".write(toFile: path + ".host", atomically: true, encoding: .utf8)
            // It is killed long before.
            try await Task.sleep(for: .seconds(30))
        }
    }

    private static func announced(_ path: String) async throws -> (process: pid_t, url: String) {
        while !FileManager.default.fileExists(atPath: path + ".host") {
            try Task.checkCancellation()
            await Task.yield()
        }
        let words = try String(contentsOfFile: path + ".host", encoding: .utf8).split(separator: " ")
        return (try #require(pid_t(words[0])), String(words[1]))
    }
}
#endif
#endif
