import CofferdamSupport
import Testing

struct WrappedTextTests {
    @Test(arguments: [
        ("", 8, []), ("one two", 8, ["one two"]), ("one two three", 8, ["one two", "three"]),
        ("a_very_long_word x", 8, ["a_very_long_word", "x"]), ("獅子 獅子 獅子", 8, ["獅子", "獅子", "獅子"]),
    ])
    func `lines break between words, by the columns of a terminal`(text: String, width: Int, lines: [String]) {
        #expect(text.wrapped(to: width) == lines)
    }
}
