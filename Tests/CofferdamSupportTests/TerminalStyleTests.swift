import Cofferdam
import Testing

@testable import CofferdamSupport

struct TerminalStyleTests {
    @Test(
        "Colours are used on a terminal that can show them, unless the environment refuses them",
        arguments: [
            (true, ["TERM": "xterm"], true), (false, ["TERM": "xterm"], false), (true, ["TERM": "dumb"], false),
            (true, [:], false), (true, ["TERM": "xterm", "NO_COLOR": "1"], false),
            (true, ["TERM": "xterm", "NO_COLOR": ""], true),
        ]
    )
    func isColoured(_ isTerminal: Bool, _ environment: [String: String], _ expected: Bool) {
        #expect(TerminalStyle(isTerminal: isTerminal, environment: environment).isColoured == expected)
    }

    @Test("A colour is set and reset around the text, and nothing is written around an empty one")
    func apply() {
        let coloured = TerminalStyle(isColoured: true)
        #expect(coloured.apply(.red, to: "lost") == "\u{1B}[31mlost\u{1B}[0m")
        #expect(coloured.apply(.red, to: "") == "")
        #expect(coloured.apply(nil, to: "lost") == "lost")
        #expect(TerminalStyle(isColoured: false).apply(.red, to: "lost") == "lost")
    }

    @Test("Progress replaces its own line, and is silent where no terminal shows it", arguments: [true, false])
    func progress(isTerminal: Bool) {
        let written = Mutex("")
        let line = ProgressLine(isTerminal: isTerminal) { text in written.withLock { $0 += text } }
        line.show("1 of 2\u{7}")
        line.clear()
        #expect(written.withLock { $0 } == (isTerminal ? "\r\u{1B}[2K1 of 2\\u{7}\r\u{1B}[2K" : ""))
    }

    @Test(
        "A permanent line is always written, on a terminal above the line that changes",
        arguments: [true, false]
    )
    func permanentLine(isTerminal: Bool) {
        let written = Mutex("")
        let line = ProgressLine(isTerminal: isTerminal) { text in written.withLock { $0 += text } }
        line.show("2 of 2")
        line.tell("one\u{7}")
        let onTerminal = "\r\u{1B}[2K2 of 2\r\u{1B}[2Kone\\u{7}\n2 of 2"
        #expect(written.withLock { $0 } == (isTerminal ? onTerminal : "one\\u{7}\n"))
    }
}
