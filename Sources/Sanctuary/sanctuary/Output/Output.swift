import Cofferdam

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where results go: tables for people, JSON for machines.
struct Output: Sendable {
    let isJSON: Bool
    let style: TerminalStyle

    init(isJSON: Bool, environment: [String: String]) {
        self.isJSON = isJSON
        style = StandardStream.output.style(environment: environment)
    }

    /// One result: a JSON document, or the table.
    func show(_ value: some Encodable, as table: (TerminalStyle) -> String) throws {
        if isJSON {
            try StandardStream.output.write(Array(Self.encoder(.prettyPrinted).encode(value)) + [10])
        } else {
            try StandardStream.output.write(table(style))
        }
    }

    /// One of many results that come one after the other: a JSON document on a line of its own, or lines of text.
    func showLines(_ value: some Encodable, as lines: (TerminalStyle) -> [String]) throws {
        if isJSON {
            try StandardStream.output.write(Array(Self.encoder([]).encode(value)) + [10])
        } else {
            try StandardStream.output.write(lines(style).map { $0 + "\n" }.joined())
        }
    }

    private static func encoder(_ formatting: JSONEncoder.OutputFormatting) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, formatting]
        return encoder
    }
}
