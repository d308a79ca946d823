#if Sandbox
import CofferdamCurl
import CommandTestSupport
import Foundation
import HTTPTypes
import Subprocess
import Synchronization
import Testing

@Suite("The page of a rehearsal", .timeLimit(.minutes(5)))
struct ConsoleTests {
    #if Server
    @Test
    func `a person watches a rehearsal on its page and moves it there, until Ctrl-C`() async throws {
        let seen = Mutex(Console())
        let finished = try await BuiltCommand.vendorctl.run(["console", "--scenario", "good"], sending: .interrupt) {
            line in
            let console = seen.withLock { seen in
                if let place = line.firstRange(of: "http://") { seen.url = String(line[place.lowerBound...]) }
                if let token = line.split(separator: " ").last, token.hasPrefix("cofferdam_") {
                    seen.tokens.append(String(token))
                }
                return seen
            }
            if line.contains("to move it") {
                do { try await console.check() } catch { seen.withLock { $0.problem = "\(error)" } }
            }
            return line.contains("until Ctrl-C")
        }
        #expect(finished.code == 0, "\(finished.error)")
        #expect(seen.withLock { $0.problem } == nil)
        #expect(finished.output.contains("rolled back") || finished.output.contains("rolledBack"))
        // The server no longer listens.
        let url = seen.withLock { $0.url }
        await #expect(throws: CurlError.self) {
            try await CurlClient().send(HTTPRequest(.get, url: url + "healthz"))
        }
    }

    @Test func `the runbook's commands stop V2 on all devices of a drill, and each step has its time`() async throws {
        let finished = try await BuiltCommand.vendorctl.run(["rehearse", "--drill", "--play"])
        #expect(finished.code == 0, "\(finished.error)")
        #expect(finished.output.hasPrefix("ALERT  sanctuary: 1 device has switched `place` from V2 to V1"))
        #expect(
            finished.output.contains(#/\d s +first look/#)
                && finished.output.contains(#/\d s +stop asked: stopped: all on V1/#)
        )
        #expect(finished.output.contains(#/\d s +confirmed by 20 of 20 devices/#), "\(finished.output)")
        // A poll that a device has given up counts as one until the server answers it.
        #expect(finished.output.contains(#/\n20 of [2-9]\d connected devices have it\./#))
    }

    @Test func `a drill that is not answered ends with 1, and one that walks a scenario is refused`() async throws {
        let late = try await BuiltCommand.vendorctl.run(["rehearse", "--drill", "--within", "1"])
        #expect(late.code == 1 && late.output.contains("after 1 s, devices still use V2"), "\(late.error)")
        for option in [["--drill", "--json"], ["--drill", "--scenario", "good"], ["--play"]] {
            #expect(try await BuiltCommand.vendorctl.run(["rehearse"] + option).code == 64, "\(option)")
        }
    }

    private struct Console: Sendable {
        var url = ""
        var tokens: [String] = []
        var problem: String?

        /// Reads the page and the status, is refused with the reader's token, and sets the kill switch.
        func check() async throws {
            let reader = tokens.first ?? ""
            let page = try await send(.get, "", "Basic " + Data("me:\(reader)".utf8).base64EncodedString())
            #expect(page.head.status == .ok)
            #expect(String(decoding: Array(page.body), as: UTF8.self).contains("sanctuary"))
            let status = try await send(.get, "v1/capabilities/sanctuary", "Bearer \(reader)")
            let text = String(decoding: Array(status.body), as: UTF8.self)
            #expect(text.contains("rehearsal of good"), "\(text)")
            let kill = #"{"reason": "it is enough", "target": "legacy"}"#
            let path = "v1/capabilities/sanctuary/kill"
            #expect(try await send(.post, path, "Bearer \(reader)", kill).head.status == .forbidden)
            #expect(try await send(.post, path, "Bearer \(tokens.last ?? "")", kill).head.status == .ok)
        }

        private func send(
            _ method: HTTPRequest.Method,
            _ path: String,
            _ authorization: String,
            _ body: String? = nil
        ) async throws -> CurlReply {
            var fields: HTTPFields = [.authorization: authorization]
            if body != nil { fields[.contentType] = "application/json" }
            let request = try HTTPRequest(method, url: url + path, headerFields: fields)
            return try await CurlClient().send(request, body: body.map { .bytes(Array($0.utf8)) } ?? .empty)
        }
    }

    @Test func `Ctrl-C in the middle of the rehearsal ends it like any other command`() async throws {
        let finished = try await BuiltCommand.vendorctl.run(["console"], sending: .interrupt) {
            $0.contains("to move it")
        }
        #expect(finished.code == 130, "\(finished.error)")
    }

    @Test func `the page shows one scenario`() async throws {
        for command in [["console"], ["rehearse", "--console"]] {
            let finished = try await BuiltCommand.vendorctl.run(command + ["--scenario", "all"])
            #expect(finished.code == 64)
            #expect(finished.error.contains("the page shows one scenario"))
        }
    }
    #else
    @Test(arguments: [["console"], ["rehearse", "--console"]])
    func `a build without a server says what to build`(_ command: [String]) async throws {
        let finished = try await BuiltCommand.vendorctl.run(command)
        #expect(finished.code == 64)
        #expect(finished.error.contains("build it with the trait Server"))
    }
    #endif
}
#endif
