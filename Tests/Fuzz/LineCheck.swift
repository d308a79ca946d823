@testable import CofferdamCurl

/// Checks the parser of newline-delimited JSON: every segmentation gives the result of a plain reading of the whole.
enum LineCheck {
    private struct Outcome: Equatable {
        var numbers: [Int] = []
        var lines: [[UInt8]] = []
        var error: CurlError.Code?
    }

    static func run(_ input: [UInt8]) {
        for maximumSize in [16, 1 << 20] {
            let expected = plainReading(input, maximumSize: maximumSize)
            for blocks in Cuts.all(of: input) {
                let outcome = parse(blocks, maximumSize: maximumSize)
                require(outcome == expected, "cut into \(blocks.count): \(outcome), not \(expected)")
            }
        }
    }

    private static func parse(_ blocks: [ArraySlice<UInt8>], maximumSize: Int) -> Outcome {
        var parser = NewlineDelimitedParser(maximumLineSize: maximumSize)
        var found: [NewlineDelimitedParser.Line] = []
        var outcome = Outcome()
        do throws(CurlError) {
            for block in blocks { try parser.feed(block, into: &found) }
            try parser.finish(into: &found)
        } catch {
            outcome.error = error.code
        }
        outcome.numbers = found.map(\.number)
        outcome.lines = found.map(\.bytes)
        return outcome
    }

    private static func plainReading(_ input: [UInt8], maximumSize: Int) -> Outcome {
        var outcome = Outcome()
        let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let content = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            if content.count > maximumSize {
                outcome.error = .tooLarge
                break
            }
            guard !content.isEmpty else { continue }
            outcome.numbers.append(index + 1)
            outcome.lines.append(Array(content))
        }
        return outcome
    }
}
