@testable import CofferdamCurl

/// Checks the parser of server-sent events: every segmentation gives the result of a plain reading of the whole.
enum EventCheck {
    private struct Outcome: Equatable {
        var events: [ServerSentEvent] = []
        var lastEventID: String?
        var reconnectionTime: Duration?
        var error: CurlError.Code?
    }

    static func run(_ input: [UInt8]) {
        for maximumSize in [24, 1 << 20] {
            let expected = plainReading(input, maximumSize: maximumSize)
            for blocks in Cuts.all(of: input) {
                let outcome = parse(blocks, maximumSize: maximumSize)
                require(outcome == expected, "cut into \(blocks.count): \(outcome), not \(expected)")
            }
            for event in expected.events {
                // A byte that is not UTF-8 becomes three.
                require(event.data.utf8.count <= 3 * maximumSize, "an event's data is bounded")
            }
        }
    }

    private static func parse(_ blocks: [ArraySlice<UInt8>], maximumSize: Int) -> Outcome {
        var parser = ServerSentEventParser(maximumEventSize: maximumSize)
        var outcome = Outcome()
        do throws(CurlError) {
            for block in blocks { try parser.feed(block, into: &outcome.events) }
            parser.finish(into: &outcome.events)
        } catch {
            outcome.error = error.code
        }
        outcome.lastEventID = parser.lastEventID
        outcome.reconnectionTime = parser.reconnectionTime
        return outcome
    }

    /// Applies the standard's steps to the whole input.
    private static func plainReading(_ input: [UInt8], maximumSize: Int) -> Outcome {
        var outcome = Outcome()
        var (type, data, id, retry) = ([UInt8](), [[UInt8]](), String?.none, Duration?.none)
        let (lines, rest) = cut(input)
        for (index, line) in (lines + rest).enumerated() {
            if line.count > maximumSize {
                outcome.error = .tooLarge
                break
            }
            guard index < lines.count else { break }
            let content = index == 0 && line.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(line.dropFirst(3)) : line
            if content.isEmpty {
                outcome.lastEventID = id
                if !data.isEmpty {
                    outcome.events.append(
                        ServerSentEvent(
                            event: type.isEmpty ? "message" : text(type),
                            data: text(Array(data.joined(separator: [UInt8(ascii: "\n")]))),
                            id: id,
                            retry: retry
                        )
                    )
                    retry = nil
                }
                (type, data) = ([], [])
                continue
            }
            let parts = content.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            var value = parts.count > 1 ? Array(parts[1]) : []
            if value.first == UInt8(ascii: " ") { value.removeFirst() }
            switch text(Array(parts[0])) {
            case "data": data.append(value)
            case "event": type = value
            case "id" where !value.contains(0): id = value.isEmpty ? nil : text(value)
            case "retry" where value.allSatisfy { (48...57).contains($0) }:
                if let milliseconds = Int(text(value)) {
                    retry = .milliseconds(milliseconds)
                    outcome.reconnectionTime = retry
                }
            default: break
            }
            if data.map(\.count).reduce(data.count - 1, +) > maximumSize {
                outcome.error = .tooLarge
                break
            }
        }
        return outcome
    }

    /// - Returns: the lines that have an end, and the rest.
    private static func cut(_ input: [UInt8]) -> (lines: [[UInt8]], rest: [[UInt8]]) {
        var lines: [[UInt8]] = [[]]
        for (index, byte) in input.enumerated() {
            if byte == UInt8(ascii: "\n"), index > 0, input[index - 1] == UInt8(ascii: "\r") { continue }
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                lines.append([])
            } else {
                lines[lines.count - 1].append(byte)
            }
        }
        return (lines.dropLast(), lines.suffix(1))
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
