#if TestStand
import CofferdamStand
import CofferdamTesting
import Foundation
import Testing

@Suite("The stand's guide", .timeLimit(.minutes(1)))
struct GuideTests {
    @Test("Its example passes")
    func example() async throws {
        let tiny = try await TinyServer.resp()
        let server = tiny.upstream
        // snippet: stand
        try await TestProxy.withProxy(to: server, framing: RESPFraming()) { proxy in
            let sdk = try await Client(port: proxy.port)

            // The server counts, and the answer is lost: what does the SDK say?
            proxy.apply(.cut(.afterForwarding, by: .reset), to: "INCR")
            await #expect(throws: (any Error).self) { try await sdk.increment("visits") }
            #expect(proxy.arrivals(of: "INCR") == 1)

            // A call that is given up is held no more.
            proxy.apply(.hold, to: "GET")
            let call = Task { try await sdk.get("visits") }
            try await proxy.waitForHeld(exactly: 1)
            call.cancel()
            try await proxy.waitForHeld(exactly: 0)
        }
        // end
        try await tiny.close()
    }

    @Test("Its example is the code that is tested")
    func snippet() throws {
        let path = "../../Sources/Kit/Team/CofferdamStand/CofferdamStand.docc/CofferdamStand.md"
        let guide = URL(filePath: #filePath).deletingLastPathComponent().appending(path: path)
        let shown = try String(contentsOf: guide, encoding: .utf8).components(separatedBy: "```")[1]
        let tested = try String(contentsOfFile: #filePath, encoding: .utf8)
            .components(separatedBy: "// snippet: stand\n")[1].components(separatedBy: "        // end\n")[0]
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("        ") ? $0.dropFirst(8) : $0 }.joined(separator: "\n")
        #expect(shown == "swift\n\(tested)")
    }

    /// An SDK with a connection for each call.
    private struct Client {
        struct Lost: Error {}
        let port: Int

        init(port: Int) async throws { self.port = port }

        func increment(_ key: String) async throws -> String { try await ask("INCR \(key)\r\n") }
        func get(_ key: String) async throws -> String { try await ask("GET \(key)\r\n") }

        private func ask(_ command: String) async throws -> String {
            let client = try await TinyClient(port: port)
            try await client.send(command)
            guard case .bytes(let text) = await client.next() else {
                try? await client.close()
                throw Lost()
            }
            try await client.close()
            return text
        }
    }
}
#endif
