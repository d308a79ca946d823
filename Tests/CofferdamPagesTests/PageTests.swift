import CofferdamPages
import Testing

struct PageTests {
    private static let evil = "<script>'\"&"

    @Test func `a saved page needs nothing else, and a served one has its style and script from the server`() {
        let saved = Page(title: Self.evil, heading: Self.evil, content: "<p>x</p>").html()
        #expect(saved.contains("default-src 'none'; style-src 'unsafe-inline'"))
        #expect(saved.contains("<style>") && !saved.contains("<script") && !saved.contains("<link"))
        let served = Page(.served(style: "/s.css", script: "/c.js"), title: "t", heading: "h", content: "").html()
        #expect(served.contains(#"<link rel="stylesheet" href="/s.css"/>"#))
        #expect(served.contains(#"<script src="/c.js" defer="defer"></script>"#) && !served.contains("<style>"))
    }

    @Test func `every text is escaped, wherever it is`() {
        let text = Markup(text: Self.evil)
        let parts: [Markup] = [
            PagePart.section("a", text, ""), PagePart.badge(Self.evil, .bad), PagePart.list([text]),
            PagePart.facts([(Self.evil, text)]), PagePart.preformatted(Self.evil, label: Self.evil),
            PagePart.track(Self.evil, [.init(Self.evil, .current)]),
            PageTable("a", [.init(Self.evil)], [[text]]).markup,
            LineChart(Self.evil, [.init(Self.evil, .first, [])], unit: Self.evil, ticks: [(0, Self.evil)], seconds: 1)
                .markup,
        ]
        for part in parts { #expect(!part.description.contains("<script") && !part.description.contains("'")) }
    }

    @Test(arguments: [(-1.0, 0.0, "part"), (0.5, 50.0, "part"), (1, 100, "good"), (9, 120, "good"), (.nan, 0, "part")])
    func `a bar is as long as its fraction of the threshold`(_ value: Double, _ width: Double, _ style: String) {
        let bar = PagePart.bar(value * 4, of: 4).description
        #expect(bar.contains("class=\"\(style)\" width=\"\(width)\""), "\(bar)")
    }

    @Test func `a track shows its position without colour`() {
        let track = PagePart.track("Stages", [.init("a", .passed), .init("b", .current), .init("c", .ahead)])
        #expect(track.description.contains("<li class=\"current\" aria-current=\"step\">"))
        for words in ["passed</span>", "current</span>", "to come</span>"] {
            #expect(track.description.contains(words))
        }
    }
}
