#if Sandbox
import Cofferdam
import Foundation

/// A journal of the vendor's answers about ids, on this device: one line each, appended below a header that names the
/// service.
///
/// Everything in it can be requested from the vendor again. An incomplete last line, from a process that was killed, is
/// dropped; any other unreadable content, and another service's ids, start a new journal. Failures are reported as
/// issues.
struct AnimalIDJournal: Sendable {
    enum Entry: Sendable, Hashable {
        case pair(legacy: Int, uuid: String)
        /// The vendor has no legacy id for it.
        case withoutLegacy(String)
    }

    private let url: URL
    private let header: String
    private let issues: IssueSink

    init(_ configuration: MenagerieV2Configuration) {
        self.init(in: configuration.directory, of: configuration.serviceURL, issues: configuration.issues)
    }

    init(in directory: String, of service: String, issues: IssueSink) {
        url = URL(fileURLWithPath: directory).appendingPathComponent("sanctuary.animal-ids")
        header = "animal ids, 1, of \(service)"
        self.issues = issues
    }

    func load() -> [Entry] {
        let content: String
        do {
            content = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        } catch CocoaError.fileReadNoSuchFile {
            return []
        } catch {
            report("cannot be read")
            return []
        }
        var lines = content.split(separator: "\n", omittingEmptySubsequences: false)
        let unfinished = lines.popLast() ?? ""
        guard lines.first.map(String.init) == header else {
            begin([], because: lines.isEmpty ? "it has no header" : nil)
            return []
        }
        let entries = lines.dropFirst().compactMap(Self.entry)
        guard entries.count == lines.count - 1 else {
            begin([], because: "a line is not an id")
            return []
        }
        if !unfinished.isEmpty { begin(entries, because: "its last line is incomplete") }
        return entries
    }

    func append(_ entries: [Entry]) {
        guard !entries.isEmpty else { return }
        do {
            let file = try FileHandle(forWritingTo: url)
            try file.seekToEnd()
            try file.write(contentsOf: Data(Self.text(entries).utf8))
            try file.close()
        } catch CocoaError.fileNoSuchFile, CocoaError.fileReadNoSuchFile {
            begin(entries, because: nil)
        } catch {
            report("cannot be written")
        }
    }

    /// Rewrites the whole journal; reports an issue if there is a reason.
    func begin(_ entries: [Entry], because reason: String?) {
        if let reason { report(reason) }
        do {
            let directory = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data((header + "\n" + Self.text(entries)).utf8).write(to: url, options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
        } catch {
            report("cannot be written")
        }
    }

    private func report(_ what: String) {
        let issue = TranslationIssue("the ids on this device: \(what)", at: url.path, raw: "", severity: .warning)
        issues.report([issue], of: "ids")
    }

    private static func text(_ entries: [Entry]) -> String {
        entries.reduce(into: "") { text, entry in
            switch entry {
            case .pair(let legacy, let uuid): text += "\(legacy) \(uuid)\n"
            case .withoutLegacy(let uuid): text += "- \(uuid)\n"
            }
        }
    }

    private static func entry(_ line: Substring) -> Entry? {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let uuid = AnimalIDMap.normalised(parts[1]), uuid == parts[1] else { return nil }
        if parts[0] == "-" { return .withoutLegacy(uuid) }
        guard let legacy = Int(parts[0]), legacy >= 0, String(legacy) == parts[0] else { return nil }
        return .pair(legacy: legacy, uuid: uuid)
    }
}
#endif
