#if CommandLine && canImport(Subprocess)
    import Foundation
    import Testing

    @testable import CofferdamTool

    /// Opens the page of a rehearsal as readers do, and listens to what the browser says of it and asks the network for.
    @Suite(
        .serialized,
        .enabled(if: Browser.path != nil, "no chromium in the PATH: ./dev setup browser"),
        .timeLimit(.minutes(5))
    )
    struct ScenarioPageInBrowserTests {
        @Test func `the page is drawn, with no error on the console and no request to anywhere`() async throws {
            let reports = [try await ToyUpgrade.walk(.wrong), try await ToyUpgrade.walk(.crashing)]
            let look = try await Browser.look(at: ScenarioPage(reports).html())
            #expect(look.document.contains("<h1>The upgrade, rehearsed</h1>"))
            #expect(look.document.components(separatedBy: "<polyline").count == 1 + 2 * 5)
            #expect(look.console.isEmpty)
            #expect(look.requests.isEmpty)
        }

        @Test func `a page that asks for something, or complains, would be caught`() async throws {
            let look = try await Browser.look(
                at:
                    "<!DOCTYPE html><p>hello</p><img src=\"http://127.0.0.1:9/x.png\"><script>console.error('no')</script>"
            )
            #expect(look.document.contains("hello"))
            #expect(look.console.contains { $0.contains("\"no\"") })
            #expect(look.requests.contains { $0.contains("127.0.0.1:9/x.png") })
        }
    }

    /// The browser, if the machine has one.
    private enum Browser {
        struct Look {
            /// As it is when everything has run.
            var document: String
            var console: [String]
            var requests: Set<String>
        }

        static let path: String? = {
            let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            let names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
            let candidates = names.flatMap { name in folders.map { "\($0)/\(name)" } }
            return candidates.first(where: FileManager.default.isExecutableFile)
        }()

        static func look(at page: String) async throws -> Look {
            let folder = FileManager.default.temporaryDirectory.appending(path: "scenarios-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let (input, network) = (folder.appending(path: "page.html"), folder.appending(path: "network.json"))
            try Data(page.utf8).write(to: input)
            let arguments = [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--virtual-time-budget=5000",
                "--user-data-dir=\(folder.appending(path: "profile").path)", "--enable-logging=stderr",
                "--log-net-log=\(network.path)", "--dump-dom", input.absoluteString,
            ]
            let output = try await ChildProcess(path: "/bin/sh")
                .output(["-c", "exec \"$0\" \"$@\" 2>&1", try #require(path)] + arguments, within: .seconds(120))
            let log = try String(contentsOf: network, encoding: .utf8)
            return Look(
                document: output,
                console: output.split(whereSeparator: \.isNewline).map(String.init).filter { $0.contains(":CONSOLE:") },
                requests: Set(log.matches(of: /"url":"([^"]*)"/).map { String($0.output.1) })
            )
        }
    }
#endif
