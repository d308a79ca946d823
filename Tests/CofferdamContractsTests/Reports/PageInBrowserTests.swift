import CofferdamContracts
import Foundation
import Testing

/// Looks at the page as readers do, in a browser, at the width of a phone and of a desk.
@Suite(
    .serialized,
    .enabled(if: Chromium.path != nil, "no chromium in the PATH: ./dev setup browser"),
    .timeLimit(.minutes(5))
)
struct PageInBrowserTests {
    private struct Look: Decodable {
        let page: Int
        let widest: Int
        let fontSize: Double
        let heading: Int
        let regions: Int
        let scrolling: Int
        let sheets: Int
    }

    @Test(arguments: [360, 1280])
    func `the page fits its width, and only tables scroll`(_ width: Int) async throws {
        let look = try await look(at: DocumentTests.document.html(), width: width)
        #expect(look.page <= width, "the page scrolls to the side")
        #expect(look.widest <= width, "something sticks out")
        #expect(look.fontSize >= 16)
        #expect(look.heading > 0)
        #expect(look.sheets == 1, "the style sheet was refused")
        #expect(look.regions == 3)
        #expect(width > 1000 ? look.scrolling == 0 : look.scrolling > 0)
    }

    /// Shows the page in a frame of that width, whose measures it reads, because a window has a least width.
    private func look(at page: String, width: Int) async throws -> Look {
        let source = page.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
        let frame = """
            <!DOCTYPE html><html><body style="margin: 0"><pre id="look"></pre>
            <iframe id="page" width="\(width)" height="800" style="border: 0" srcdoc="\(source)"></iframe>
            <script>
            document.getElementById("page").addEventListener("load", event => {
              const page = event.target.contentDocument, root = page.documentElement;
              const blocks = [...page.querySelectorAll("header, h1, h2, p, ul, dl, .scroll")];
              const regions = [...page.querySelectorAll(".scroll")];
              document.getElementById("look").textContent = "LOOK" + JSON.stringify({
                page: root.scrollWidth,
                widest: Math.ceil(Math.max(...blocks.map(block => block.getBoundingClientRect().right))),
                fontSize: parseFloat(event.target.contentWindow.getComputedStyle(page.body).fontSize),
                heading: Math.round(page.querySelector("h1").getBoundingClientRect().height),
                regions: regions.length,
                scrolling: regions.filter(region => region.scrollWidth > region.clientWidth).length,
                sheets: page.styleSheets.length
              }) + "END";
            });
            </script></body></html>
            """
        let text = try await Chromium.dump(frame)
        let json = try #require(text.components(separatedBy: "LOOK{").last?.components(separatedBy: "}END").first)
        return try JSONDecoder().decode(Look.self, from: Data("{\(json)}".utf8))
    }
}

/// The browser, if the machine has one.
private enum Chromium {
    static let path: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
        let candidates = names.flatMap { name in folders.map { "\($0)/\(name)" } }
        return candidates.first(where: FileManager.default.isExecutableFile)
    }()

    /// The document as it is after its scripts have run.
    static func dump(_ page: String) async throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, output) = (folder.appending(path: "page.html"), folder.appending(path: "out.html"))
        try Data(page.utf8).write(to: input)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(path))
        process.arguments = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--virtual-time-budget=5000",
            "--user-data-dir=\(folder.appending(path: "profile").path(percentEncoded: false))", "--dump-dom",
            input.absoluteString,
        ]
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
                process.terminationHandler = { _ in ended.resume() }
                do {
                    try process.run()
                } catch {
                    process.terminationHandler = nil
                    ended.resume(throwing: error)
                }
            }
        } onCancel: {
            if process.isRunning { process.terminate() }
        }
        return try String(contentsOf: output, encoding: .utf8)
    }
}
