import Testing

@testable import CofferdamPages

@Suite struct MarkupTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("a & b", "a &amp; b"), ("&amp;", "&amp;amp;"), ("<b>", "&lt;b&gt;"),
        ("\" onload=\"x", "&quot; onload=&quot;x"), ("it's", "it&#39;s"), ("</p><script>", "&lt;/p&gt;&lt;script&gt;"),
        ("a\n\tb", "a&#10;&#9;b"), ("a\0b\u{1B}c\u{7F}d\u{85}", "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}"),
        ("a\u{202E}b\u{2067}\u{FEFF}\u{2029}\u{AD}", "aU+202EbU+2067U+FEFFU+2029U+00AD"),
        ("\u{1F469}\u{200D}\u{1F467} می\u{200C}خواهم", "\u{1F469}\u{200D}\u{1F467} می\u{200C}خواهم"),
        ("a\r\nb", "a&#13;&#10;b"), ("Bär 🐻 بير", "Bär 🐻 بير"), ("<\u{301}", "&lt;\u{301}"),
    ])
    func `interpolated text is escaped, scalar by scalar`(text: String, escaped: String) {
        let markup: Markup = "<p title=\"\(text)\">\(text)</p>"
        #expect(markup.description == "<p title=\"\(escaped)\">\(escaped)</p>")
        #expect(Markup(text: text).description == escaped)
    }

    @Test func `interpolated markup stays as it is, alone and in an array`() {
        let part: Markup = "<b>\("<")</b>"
        let whole: Markup = "<p>\(part)\([part, "<br>"])</p>"
        #expect(whole.description == "<p><b>&lt;</b><b>&lt;</b><br></p>")
    }

    @Test func `any other value is escaped as its description`() {
        struct Tag: CustomStringConvertible { let description = "<tag>" }
        let markup: Markup = "\(7) \(Tag())"
        #expect(markup.description == "7 &lt;tag&gt;")
    }
}
