#if Server
import Cofferdam
import CofferdamCurl
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
import TestSupport
@testable import CofferdamServer

@Suite("Every answer of the API", .timeLimit(.minutes(5))) struct AnswerTableTests {
    // MARK: Each address, method and role

    private enum Access {
        case everyone
        case only(Set<ServerRole>)

        static let devices = only([.device])
        static let holders = only(Set(ServerRole.allCases))
        static let readers = only([.reader, .operator, .admin])
        static let changers = only([.operator, .admin])
        static let admins = only([.admin])
    }

    private static let capability = "/v1/capabilities/{name}"

    /// What each address is for, and who may do it. `HEAD` is as `GET`.
    private static let addresses: [String: [String: Access]] = {
        var all: [String: [String: Access]] = [
            "/healthz": ["GET": .everyone], "/readyz": ["GET": .everyone], "/style.css": ["GET": .everyone],
            "/console.js": ["GET": .everyone], "/metrics": ["GET": .readers], "/": ["GET": .readers],
            "/live": ["GET": .readers], "/capabilities/{name}": ["GET": .readers],
            "/capabilities/{name}/contracts": ["GET": .readers], "/v1/capabilities": ["GET": .readers],
            "/v1/refusals": ["GET": .admins], capability: ["GET": .readers],
            "\(capability)/decisions": ["GET": .readers], "\(capability)/publications": ["GET": .readers],
            "\(capability)/contracts": ["GET": .readers, "PUT": .changers],
            "\(capability)/drift": ["GET": .readers, "PUT": .changers], "\(capability)/stage": ["GET": .holders],
            "\(capability)/evidence": ["POST": .devices], "\(capability)/enrolments": ["POST": .devices],
        ]
        for move in AnswerRow.moves {
            all["\(capability)/\(move.name)"] = ["POST": .changers]
            all["/capabilities/{name}/\(move.name)"] = ["POST": .changers]
        }
        return all
    }()

    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    @Test func `each address answers each method and each role as the table says, and a refusal changes nothing`()
        async throws
    {
        try await TestServer.with({ ($0.addressRate, $0.tokenRate) = (AnswerRow.noLimit, AnswerRow.noLimit) }) {
            server in
            for kind in ["contracts", "drift"] { try await AnswerRow.publish(kind, to: server) }
            let before = try await AnswerRow.snapshot(server)
            for (pattern, allowed) in Self.addresses {
                let path = pattern.replacing("{name}", with: "orders")
                for method in Self.methods {
                    for (role, token) in Self.holders {
                        let (status, code) = Self.expected(allowed[method == "HEAD" ? "GET" : method], method, role)
                        var headers = HTTPFields()
                        if let token { headers[.authorization] = "Bearer \(token)" }
                        let request = HTTPRequest(
                            method: try #require(.init(method)),
                            scheme: "http",
                            authority: "127.0.0.1:\(try server.plane.port)",
                            path: path,
                            headerFields: headers
                        )
                        let stream = try await server.client.stream(request)
                        let place = "\(method) \(path) as \(token ?? "no one")"
                        #expect(stream.head.status.code == status, "\(place)")
                        let type = stream.head.headerFields[.contentType] ?? ""
                        guard !type.hasPrefix("text/event-stream") else { continue }
                        var body: [UInt8] = []
                        for try await block in stream.body { body += block }
                        if status == 405 { #expect(stream.head.headerFields[.allow] != nil, "\(place)") }
                        if method == "HEAD" { #expect(body.isEmpty, "\(place)") }
                        guard let code, method != "HEAD", type == "application/json" else { continue }
                        let problem = try JSONDecoder().decode(TestServer.Problem.self, from: Data(body))
                        #expect(problem.error.code == code, "\(place)")
                    }
                }
            }
            #expect(try await AnswerRow.snapshot(server) == before)
        }
    }

    /// No token, one that is not valid, and those of the roles.
    private static let holders: [(role: ServerRole?, token: String?)] =
        [(nil, nil), (nil, "wrong")] + ServerRole.allCases.map { ($0, TestServer.tokens[$0]) }

    private static func expected(_ access: Access?, _ method: String, _ role: ServerRole?) -> (Int, String?) {
        // Who may send a body is told that it must be of some type.
        let yes = ["POST", "PUT"].contains(method) ? (415, nil) : (200, nil as String?)
        switch access {
        case nil: return (405, "methodNotAllowed")
        case .everyone: return yes
        case .only(let roles):
            guard let role else { return (401, "unauthorized") }
            return roles.contains(role) ? yes : (403, "forbidden")
        }
    }

    // MARK: Each outcome

    @Test(arguments: AnswerRow.all)
    func `a yes has its effect, and a refusal has none`(_ row: AnswerRow) async throws {
        try await TestServer.with({ configuration in
            configuration.addressRate = AnswerRow.noLimit
            row.configure(&configuration)
        }) { server in
            try await row.prepare(server)
            let before = try await AnswerRow.snapshot(server)
            let answer = try await row.send(server)
            #expect(answer.status == row.status, "\(answer.text.prefix(500))")
            if let code = row.code {
                // A page has the message only; the audit log has the code.
                var found = answer.code
                if found == nil { found = try await server.plane.parts.refusals.last(1).first?.code }
                #expect(found == code)
            }
            if let effect = row.effect {
                #expect(try await effect(server), "\(answer.text.prefix(500))")
            } else {
                #expect(try await AnswerRow.snapshot(server) == before)
            }
        }
    }

    // MARK: Completeness

    /// The codes of rules that no request reaches, with the reason.
    private static let unreached = [
        "needsPerson": "the gate asks for a person by itself, and then approves no promotion",
        "invalidUnits": "a server knows no unit by name", "outOfTouch": "for instances that follow a server",
        "outdated": "a promotion is decided and made at one stage, or has moved on",
        "contradiction": "the server makes the decision itself",
    ]

    @Test func `each route of the server is in the table`() async throws {
        try await TestServer.with { server in
            let routes = Set(ServerResponder(try server.plane.parts).routes.map(\.name))
            let table = Self.addresses.flatMap { path, methods in methods.keys.map { "\($0) \(path)" } }
            #expect(Set(table) == routes)
            let changing = routes.filter { !$0.hasPrefix("GET") }
            #expect(changing.isSubset(of: AnswerRow.all.map(\.route)), "each has rows of its own")
        }
    }

    @Test func `each code of the server is in the table, and in the API's description`() throws {
        var codes: Set<String> = []
        for file in try Checkout.files(in: "Sources/Kit/Upgrade/CofferdamServer") {
            let text = try String(contentsOf: file, encoding: .utf8)
            // Each code stands where it is used, so that this finds it.
            for match in text.matches(of: /HTTPRefusal\(\s*(?:\.\w+,\s*("?)(\w+)"?,|refused\))/) {
                guard let code = match.output.2 else { continue }
                #expect(match.output.1 == "\"", "\(file.lastPathComponent): \(code) is not written out")
                codes.insert(String(code))
            }
            let all = text.matches(of: /HTTPRefusal\(/).count
            let read = text.matches(of: /HTTPRefusal\(\s*(?:\.\w+,\s*"\w+",|refused\))/).count
            #expect(all == read, "\(file.lastPathComponent) has a code that this does not find")
        }
        let rules = try Checkout.text("Sources/Kit/Upgrade/CofferdamUpgrade/State/UpgradeRefusal.swift")
        codes.formUnion(rules.matches(of: /Code\(rawValue: "(\w+)"\)/).map { String($0.output.1) })
        codes.formUnion(
            try Checkout.text("Sources/Kit/Upgrade/CofferdamServer/Upgrades/FreezeWindow.swift")
                .matches(of: /Code\(rawValue: "(\w+)"\)/).map { String($0.output.1) }
        )
        #expect(codes.count > 30, "the search finds them")
        let matrix = ["methodNotAllowed", "unauthorized", "forbidden"]
        let table = Set(AnswerRow.all.compactMap(\.code) + matrix)
        #expect(codes.subtracting(Self.unreached.keys).subtracting(table).isEmpty, "codes without a row")
        #expect(table.isSubset(of: codes), "rows without a code")
        #expect(table.isDisjoint(with: Self.unreached.keys))
        let description = try Checkout.text("Sources/Kit/Upgrade/CofferdamServer/REST.md")
        for code in table.sorted() { #expect(description.contains("`\(code)`"), "REST.md lacks \(code)") }
    }
}

/// The files of this checkout.
private enum Checkout {
    private static let root: URL = {
        var folder = URL(filePath: #filePath)
        while folder.pathComponents.count > 1,
            !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
        { folder.deleteLastPathComponent() }
        return folder
    }()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The Swift files in a folder and below it.
    static func files(in path: String) throws -> [URL] {
        let folder = root.appending(path: path)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return paths.filter { $0.hasSuffix(".swift") }.map { folder.appending(path: $0) }
    }
}
#endif
