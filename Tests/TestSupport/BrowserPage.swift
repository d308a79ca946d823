#if canImport(Subprocess)
package import Foundation  // a picture is its data
import Subprocess
import Testing

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A page in a headless browser that a test drives as a person does, over the DevTools protocol.
package final class BrowserPage {
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
    }

    private let input: StandardInputWriter
    private var messages: SubprocessOutputSequence.StringSequence<UTF8>.AsyncIterator
    private var last = 0
    private var session: String?
    private var hasLoaded = false
    /// The page's console messages, and the resources that it could not load.
    package private(set) var complaints: [String] = []

    private init(_ input: StandardInputWriter, _ messages: SubprocessOutputSequence.StringSequence<UTF8>) {
        (self.input, self.messages) = (input, messages.makeAsyncIterator())
    }

    // The protocol is spoken over the file descriptors 3 and 4.
    private static let script = #"exec "$@" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null"#

    /// Opens a separate browser for the body.
    package static func with(_ body: @escaping (BrowserPage) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "browser-\(UUID().uuidString)")
        defer { removeFolder(folder.path) }
        let arguments = [
            "-c", script, "sh", try #require(Browser.path), "--headless", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
            "--user-data-dir=\(folder.path)", "about:blank",
        ]
        // Cancelling this call ends the browser.
        _ = try await Subprocess.run(
            .path("/bin/sh"),
            arguments: Arguments(arguments),
            input: .inputWriter,
            output: .sequence,
            error: .discarded
        ) { execution in
            let page = BrowserPage(
                execution.standardInputWriter,
                execution.standardOutput.strings(
                    separatedBy: .unicodeScalarSequence(["\0"]),
                    bufferingPolicy: .unbounded
                )
            )
            let outcome: Result<Void, any Error>
            do {
                try await page.attach()
                outcome = .success(try await body(page))
            } catch {
                outcome = .failure(error)
            }
            _ = try? await page.call("Browser.close", ofBrowser: true)
            try await execution.standardInputWriter.finish()
            try outcome.get()
        }
    }

    private func attach() async throws {
        let target = try await call("Target.createTarget", ["url": "about:blank"], ofBrowser: true)
        let attached = try await call(
            "Target.attachToTarget",
            ["targetId": target["targetId"] ?? "", "flatten": true],
            ofBrowser: true
        )
        session = attached["sessionId"] as? String
        for domain in ["Page", "Runtime", "Log"] { try await call("\(domain).enable") }
    }

    // MARK: A person's actions

    /// Opens an address, at that width.
    package func visit(_ url: String, width: Int = 1280, isDark: Bool = false) async throws {
        try await call(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600]
        )
        let scheme = ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]
        try await call("Emulation.setEmulatedMedia", ["features": [scheme]])
        try await loading { try await self.call("Page.navigate", ["url": url]) }
    }

    /// Opens a page that no server has.
    package func show(_ html: String, isDark: Bool) async throws {
        try await visit("data:text/html;base64,\(Data(html.utf8).base64EncodedString())", isDark: isDark)
    }

    /// Runs the body, and returns when it has loaded another page.
    package func loading(_ body: () async throws -> Void) async throws {
        hasLoaded = false
        try await body()
        while !hasLoaded { _ = try await next() }
    }

    /// Presses a key: "Tab" or "Enter".
    package func press(_ key: String) async throws {
        let codes = ["Tab": 9, "Enter": 13]
        var event: [String: Any] = ["key": key, "code": key, "windowsVirtualKeyCode": codes[key] ?? 0]
        if key == "Enter" { event["text"] = "\r" }
        try await call("Input.dispatchKeyEvent", event.merging(["type": "keyDown"]) { $1 })
        event["text"] = nil
        try await call("Input.dispatchKeyEvent", event.merging(["type": "keyUp"]) { $1 })
    }

    /// Types into the focused element.
    package func type(_ text: String) async throws { try await call("Input.insertText", ["text": text]) }

    /// Presses Tab until the expression holds.
    package func tab(until condition: String, limit: Int = 80) async throws {
        for _ in 0..<limit {
            try await press("Tab")
            if try await evaluate("String(\(condition))") == "true" { return }
        }
        throw Problem(description: "the keyboard does not reach: \(condition)")
    }

    /// Returns the value of an expression that is a string, or a promise of one.
    package func evaluate(_ expression: String) async throws -> String {
        let answer = try await call(
            "Runtime.evaluate",
            ["expression": expression, "awaitPromise": true, "returnByValue": true]
        )
        if let problem = answer["exceptionDetails"] { throw Problem(description: "\(expression): \(problem)") }
        return (answer["result"] as? [String: Any])?["value"] as? String ?? ""
    }

    /// Returns when the expression holds. It is evaluated after each change of the document.
    package func wait(until condition: String) async throws {
        let script = """
            new Promise((resolve) => {
              const look = () => { if (\(condition)) { watch.disconnect(); resolve("") } };
              const watch = new MutationObserver(look);
              watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
              look();
            })
            """
        _ = try await evaluate(script)
    }

    /// Returns a picture of the whole page, as PNG.
    package func picture() async throws -> Data {
        let answer = try await call("Page.captureScreenshot", ["format": "png", "captureBeyondViewport": true])
        return Data(base64Encoded: answer["data"] as? String ?? "") ?? Data()
    }

    // MARK: The protocol

    @discardableResult
    package func call(
        _ method: String,
        _ parameters: [String: Any] = [:],
        ofBrowser isOfBrowser: Bool = false
    ) async throws -> [String: Any] {
        last += 1
        var message: [String: Any] = ["id": last, "method": method, "params": parameters]
        if !isOfBrowser { message["sessionId"] = session }
        let bytes = Array(try JSONSerialization.data(withJSONObject: message)) + [0]
        _ = try await input.write(bytes)
        let id = last
        while true {
            let answer = try await next()
            guard answer["id"] as? Int == id else { continue }
            if let problem = answer["error"] { throw Problem(description: "\(method): \(problem)") }
            return answer["result"] as? [String: Any] ?? [:]
        }
    }

    /// Returns the next message, after recording what it reports about the page.
    private func next() async throws -> [String: Any] {
        guard let text = try await messages.next() else { throw Problem(description: "the browser has ended") }
        let message = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
        let details = message["params"] as? [String: Any] ?? [:]
        switch message["method"] as? String {
        case "Page.loadEventFired": hasLoaded = true
        case "Runtime.consoleAPICalled", "Runtime.exceptionThrown": complaints.append("\(details)")
        case "Log.entryAdded":
            let entry = details["entry"] as? [String: Any] ?? [:]
            complaints.append("\(entry["text"] ?? "") \(entry["url"] ?? "")")
        default: break
        }
        return message
    }
}
#endif
