#if Sandbox
import Foundation
import Testing

/// Checks that a port's table and its forwarding conformance, which both contain the call of each method, agree.
@Suite("A port's table and its conformance call the same methods")
struct OperationTableTests {
    @Test("Each line of a conformance makes the call that its operation makes, for the method it stands in")
    func tables() throws {
        let files = try House.swiftFiles(below: ["Sources/Sanctuary/SanctuaryOperations"])
        #expect(files.flatMap { Self.lines(in: $0.text) }.count >= 17)
        #expect(files.flatMap { Self.problems(in: $0.text) } == [])
    }

    @Test("A line that calls another method is found, and one in another method's place")
    func spoiled() {
        let table = #"static let rate = PortOperation<any Rates, String, Int>("rate", .read) { try await $0.rate($1) }"#
        let good = "func rate(_ a: String) { try await call(RatesOperations.rate, a) { try await $0.rate($1) } }"
        #expect(Self.problems(in: table + "\n" + good) == [])
        let other = good.replacing("$0.rate(", with: "$0.fee(")
        #expect(Self.problems(in: table + "\n" + other).count == 2)
        let displaced = good.replacing("func rate", with: "func fee")
        #expect(Self.problems(in: table + "\n" + displaced) == ["fee calls $0.rate"])
    }

    private struct Line {
        let method: String
        let operation: String
        let body: String
    }

    private static func lines(in text: String) -> [Line] {
        text.matches(of: /func (\w+)\([^{]*\{\s*try await call\(\s*\w+\.(\w+)[^{]*\{([^}]*)\}/).map { match in
            Line(
                method: String(match.output.1),
                operation: String(match.output.2),
                body: words(of: String(match.output.3))
            )
        }
    }

    private static func problems(in text: String) -> [String] {
        let entries = text.matches(of: /static let (\w+) = PortOperation<[^{]*\{([^}]*)\}/)
        let table = Dictionary(
            entries.map { (String($0.output.1), words(of: String($0.output.2))) },
            uniquingKeysWith: { first, _ in first }
        )
        return lines(in: text).flatMap { line in
            var problems: [String] = []
            if table[line.operation] != line.body {
                problems.append("\(line.operation) is '\(table[line.operation] ?? "")', and its line '\(line.body)'")
            }
            let called = line.body.firstMatch(of: /\$0\.(\w+)/)?.output.1 ?? ""
            if called != line.method { problems.append("\(line.method) calls $0.\(called)") }
            return problems
        }
    }

    private static func words(of text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
#endif
