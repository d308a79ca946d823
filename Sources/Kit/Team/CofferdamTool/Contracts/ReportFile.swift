import CofferdamContracts

/// A report to write to a file: "junit=out.xml".
struct ReportFile: Sendable, Hashable {
    enum Format: String, Sendable, Hashable, CaseIterable {
        case text, json, junit, markdown, html, timings
    }

    let format: Format
    let path: String

    /// - Throws: ``UnknownReport`` if the text is not FORMAT=FILE.
    init(_ text: String) throws(UnknownReport) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let format = Format(rawValue: parts[0].lowercased()), !parts[1].isEmpty else {
            throw UnknownReport(text: text)
        }
        self.format = format
        path = String(parts[1])
    }
}

struct UnknownReport: Error, Sendable, Hashable, CustomStringConvertible {
    let text: String

    var description: String {
        let known = ReportFile.Format.allCases.map(\.rawValue).joined(separator: ", ")
        return "'\(text)' is not FORMAT=FILE; the formats are \(known)"
    }
}
