#if Sandbox
import Cofferdam
import CofferdamSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The destination of results: tables for humans, JSON for machines.
struct Output: Sendable {
    let isJSON: Bool
    let style: TerminalStyle

    init(isJSON: Bool, environment: [String: String]) {
        self.isJSON = isJSON
        style = StandardStream.output.style(environment: environment)
    }

    /// Prints one result: a JSON document, or the table.
    func show(_ value: some Encodable, as table: (TerminalStyle) -> String) throws {
        if isJSON {
            try StandardStream.output.write(Array(Self.encoder(.prettyPrinted).encode(value)) + [10])
        } else {
            try StandardStream.output.write(table(style))
        }
    }

    /// Prints one of a series of results: a JSON document on one line, or lines of text.
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
#endif
