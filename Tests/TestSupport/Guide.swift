package import Foundation

/// A guide of the documentation, and the code that it shows, which is in files beside its tests between `// snippet:
/// NAME` and `// end`.
package struct Guide {
    package let text: String
    /// The code by name, without the indentation of its first line.
    package let snippets: [String: String]
    /// The code blocks in the guide.
    package let blocks: [(name: String, text: String)]

    /// - Parameters:
    ///   - path: the article's path in the checkout.
    ///   - folder: the folder of the code.
    package init(_ path: String, codeIn folder: URL) throws {
        var root = folder
        while !FileManager.default.fileExists(atPath: root.appending(path: "Package.swift").path) {
            guard root.pathComponents.count > 1 else { throw CocoaError(.fileNoSuchFile) }
            root.deleteLastPathComponent()
        }
        text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        var found: [String: String] = [:]
        let mark = "// snippet: "
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.pathExtension == "swift" {
            for part in try String(contentsOf: file, encoding: .utf8).components(separatedBy: mark).dropFirst() {
                let lines = part.components(separatedBy: "\n")
                let body = lines.dropFirst().prefix { $0.trimmingCharacters(in: .whitespaces) != "// end" }
                let indent = body.first.map { $0.prefix { $0 == " " }.count } ?? 0
                let bare = body.map { $0.allSatisfy { $0 == " " } ? "" : String($0.dropFirst(indent)) }
                found[lines[0]] = bare.map { $0 + "\n" }.joined()
            }
        }
        snippets = found
        let parts = text.components(separatedBy: "```swift\n")
        blocks = zip(parts, parts.dropFirst()).map {
            let name = $0.components(separatedBy: "<!-- snippet: ").last?.components(separatedBy: " -->\n")[0] ?? ""
            return (name, $1.components(separatedBy: "```")[0])
        }
    }
}
