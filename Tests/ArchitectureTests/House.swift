#if Sandbox
import Foundation

/// The checkout that these tests belong to.
enum House {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The folder of this build's products, including the tests' bundle.
    static let products: URL = {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
        return URL(filePath: bundle.components(separatedBy: ".xctest")[0]).deletingLastPathComponent()
    }()

    /// Returns every Swift file below these folders, sorted by its path from the root.
    static func swiftFiles(below folders: [String] = ["Sources", "VendorStubs", "Tests"]) throws -> [SourceFile] {
        try folders.flatMap { folder in
            try files(below: root.appending(path: folder)).filter { $0.pathExtension == "swift" }.map { file in
                SourceFile(
                    path: String(file.path(percentEncoded: false).dropFirst(root.path(percentEncoded: false).count)),
                    text: try String(contentsOf: file, encoding: .utf8)
                )
            }
        }
    }

    static func files(below folder: URL) throws -> [URL] {
        let manager = FileManager.default
        let names = try manager.subpathsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
        return names.map { folder.appending(path: $0) }.filter { !$0.hasDirectoryPath }.filter {
            var isDirectory: ObjCBool = false
            return manager.fileExists(atPath: $0.path(percentEncoded: false), isDirectory: &isDirectory)
                && !isDirectory.boolValue
        }
    }
}
#endif
