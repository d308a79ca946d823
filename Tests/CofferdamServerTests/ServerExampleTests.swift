#if Server && canImport(Subprocess)
import Cofferdam
import CofferdamCurl
import CofferdamDevice
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Subprocess
import Testing
import TestSupport
@testable import CofferdamServer

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// The files of Examples/Server, with the server that they are for.
@Suite("What it takes to run a server", .timeLimit(.minutes(1))) struct ServerExampleTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Examples/Server")

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    @Test(arguments: ["cofferdam-server.service", "Dockerfile", "README.md"])
    func `each option in a file is one of the server's`(name: String) async throws {
        var help = ""
        for command in ["serve", "token", "webhook test"] {
            let arguments = command.split(separator: " ").map(String.init) + ["--help"]
            help += try await ServerProgram.run(arguments: arguments).output
        }
        // From the words of the server's own lines: other programs have options too.
        let text = try Self.text(name).replacing("\\\n", with: " ")
        let lines = text.split(separator: "\n").filter { line in
            ["ExecStart=", "ENTRYPOINT", "CMD", "sudo -u cofferdam cofferdam-server "].contains { line.hasPrefix($0) }
        }
        let options = lines.flatMap { $0.matches(of: /--[a-z-]+/).map { String($0.output) } }
        #expect(options.count > 2)
        for option in options { #expect(help.contains(option + " "), "\(option)") }
    }

    @Test func `each command that makes a token names the file of tokens`() throws {
        let root = Self.folder.deletingLastPathComponent().deletingLastPathComponent()
        let files = FileManager.default.enumerator(
            at: root,
            includingPropertiesForKeys: nil,
            options: .skipsHiddenFiles
        )
        var commands: [String] = []
        for case let file as URL in try #require(files) where file.pathExtension == "md" {
            let text = try String(contentsOf: file, encoding: .utf8)
            commands += text.matches(of: /cofferdam-server token --[^`\n]+/).map { String($0.output) }
        }
        #expect(commands.count >= 5)
        for command in commands { #expect(command.contains(" --tokens "), "\(command)") }
    }

    @Test func `the README's commands use what they install, as the unit's account, in a directory that it owns`()
        throws
    {
        let (readme, unit) = (try Self.text("README.md"), try Self.text("cofferdam-server.service"))
        let account = try #require(unit.firstMatch(of: /\nUser=(.+)/)).output.1
        let directory = "/etc/" + (try #require(unit.firstMatch(of: /\nConfigurationDirectory=(.+)/)).output.1)
        let block = try #require(readme.firstMatch(of: /(?s)```sh\n(.+?)```/)).output.1
        let commands = block.split(separator: "\n").map {
            String($0).replacing("sudo -u \(account) ", with: "as-account ")
        }
        let programs = commands.compactMap { $0.firstMatch(of: #/^(?:as-account )?(cofferdam[a-z-]*) /#)?.output.1 }
        let install = try #require(block.firstMatch(of: /\.\/dev install [^ ]+ (.+)/)).output.1.split(separator: " ")
        #expect(Set(programs) == Set(install))
        let making = "sudo install -d -o \(account) -m 700 \(directory)"
        let made = try #require(commands.firstIndex(of: making))
        for (place, command) in commands.enumerated() where command.contains(directory) && command != making {
            #expect(place > made)
            #expect(command.hasPrefix("as-account ") || command.hasPrefix("sudo install -o \(account) "), "\(command)")
        }
        let files = unit.matches(of: /\/etc\/[a-z\/]+\.json/).map(\.output)
        #expect(files.count > 1)
        for file in files { #expect(block.contains(file), "nothing makes \(file)") }
    }

    private static let nginx = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/bin/nginx"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    private static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    private static func shell(_ script: String) async throws {
        let result = try await Subprocess.run(
            .path("/bin/sh"),
            arguments: ["-ec", script],
            output: .string(limit: 1 << 16),
            error: .string(limit: 1 << 16)
        )
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
    }

    @Test(.enabled(if: nginx != nil && hasOpenSSL, "needs nginx and openssl"))
    func `pages, waiting devices and streams go through the example's nginx, which names the client`() async throws {
        let nginx = try #require(Self.nginx)
        let proxies = try TrustedProxies(["127.0.0.1"])
        try await TestServer.with({ $0.trustedProxies = proxies }) { server in
            let (place, port) = (server.folder, try LoopbackSocket.freePort())
            let site = try Self.text("nginx.conf")
                .replacing("127.0.0.1:8090", with: "127.0.0.1:\(try server.plane.port)")
                .replacing("listen 443", with: "listen 127.0.0.1:\(port)")
                .replacing("/etc/ssl/", with: place + "/")
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
                "\($0)_temp_path \(place)/\($0);"
            }
            let configuration = """
                pid \(place)/nginx.pid;
                error_log \(place)/error.log;
                events { worker_connections 256; }
                http { access_log off; \(temporary.joined(separator: " "))
                \(site)
                }
                """
            try Data(configuration.utf8).write(to: URL(filePath: place + "/nginx.conf"))
            try await Self.shell(
                """
                openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
                    -keyout '\(place)/upgrades.key' -out '\(place)/upgrades.pem'
                chmod 755 '\(place)'
                '\(nginx)' -p '\(place)' -c '\(place)/nginx.conf'
                """
            )
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await Self.check("https://127.0.0.1:\(port)", server)) } catch {
                outcome = .failure(error)
            }
            try await Self.shell(
                "pid=$(cat '\(place)/nginx.pid'); kill -QUIT $pid; while kill -0 $pid 2>/dev/null; do :; done"
            )
            try outcome.get()
        }
    }

    private static func check(_ url: String, _ server: TestServer) async throws {
        var tls = CurlTLS()
        tls.authorities = .file(server.folder + "/upgrades.pem")
        let client = CurlClient(configuration: .defaults { [tls] in $0.tls = tls })
        func request(_ path: String, as role: ServerRole?, _ fields: HTTPFields = [:]) throws -> HTTPRequest {
            var fields = fields
            if let role { fields[.authorization] = "Bearer \(TestServer.tokens[role] ?? "")" }
            return try HTTPRequest(.get, url: url + path, headerFields: fields)
        }
        let page = try await client.send(request("/capabilities/orders", as: .reader))
        #expect(page.head.status == .ok)
        #expect(page.head.headerFields[.strictTransportSecurity] != nil)

        let path = "/v1/capabilities/orders/stage"
        let tag = try #require(try server.plane.parts.hub.stage(of: "orders")?.tag)
        async let waited = client.send(request(path + "?wait=50", as: .device, [.ifNoneMatch: tag]))
        let hub = try server.plane.parts.hub
        await until { hub.connected(of: "orders", isRecent: false).all == 1 }
        try await server.order("kill", #""reason": "orders fail", "target": "legacy""#)
        #expect(String(decoding: Array(try await waited.body), as: UTF8.self).contains(#""kill":"legacy""#))

        let stream = try await client.stream(request(path, as: .device, [.accept: "text/event-stream"]))
        for try await line in stream.body.lines() where String(decoding: line, as: UTF8.self) == "event: stage" {
            break
        }

        let forged = HTTPField.Name("X-Forwarded-For").map { [$0: "192.0.2.1"] as HTTPFields } ?? [:]
        #expect(try await client.send(request("/v1/capabilities", as: nil, forged)).head.status == .unauthorized)
        #expect(try await server.plane.parts.refusals.last(1).first?.address == "127.0.0.1")
    }
}
#endif
