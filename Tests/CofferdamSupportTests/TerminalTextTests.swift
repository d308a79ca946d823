import Testing

@testable import CofferdamSupport

struct TerminalTextTests {
    @Test(
        "Characters that could steer a terminal or deceive its reader are spelled out",
        arguments: [
            ("plain", "plain"), ("", ""), ("\u{1B}[31mred", "\\u{1b}[31mred"), ("a\nb\rc\td", "a\\nb\\rc\\td"),
            ("\u{7F}\u{9B}", "\\u{7f}\\u{9b}"), ("\u{0}", "\\u{0}"), ("abc\u{202E}cba", "abc\\u{202e}cba"),
            ("r\r\nn", "r\\r\\nn"), ("Zerberus ✓ 獅子 e\u{301}", "Zerberus ✓ 獅子 e\u{301}"),
        ]
    )
    func escapes(_ text: String, _ escaped: String) {
        #expect(text.escapedForTerminal == escaped)
        #expect(escaped.escapedForTerminal == escaped)
    }

    @Test(
        "Width counts columns: two for wide characters, none for combining marks",
        arguments: [
            ("", 0), ("lion", 4), ("Löwe", 4), ("Lo\u{308}we", 4), ("獅子", 4), ("ライオン", 8), ("사자", 4), ("🦁", 2),
            ("👨‍👩‍👧", 2),
            ("❤\u{FE0F}", 2), ("✓–…", 3), ("ＡＢ", 4), ("a\u{200B}b", 2), ("🇩🇪", 2),
        ]
    )
    func width(_ text: String, _ width: Int) {
        #expect(text.displayWidth == width)
    }
}
