import CofferdamPages
import CofferdamState
import SanctuaryApp
import Testing

@Suite struct MessageListRendererTests {
    struct Note: Identifiable, Sendable {
        var id: Int
        var writer = "amara"
        var words: String
        var day: String
    }

    private let talk = ProviderSource([
        Note(id: 1, words: "first\nline", day: "Mon"), Note(id: 2, words: "second", day: "Mon"),
        Note(id: 3, writer: "<kenji>", words: "\u{1B}[2J<script>alert('x')</script>\u{202E}", day: "Mon"),
    ])

    private func list(_ change: (inout MessageListConfiguration) -> Void = { _ in }) -> MessageListPresenter<Note> {
        MessageListPresenter(talk.provider, configuration: .defaults(change)) { note in
            MessageContent(
                author: note.writer,
                text: note.words,
                time: "0\(note.id):00",
                day: note.day,
                isOwn: note.writer == "amara"
            )
        }
    }

    @Test func `a terminal gets a line for each row, and no control characters of messages`() {
        let list = list {
            $0.title = "Talk"
            $0.limit = 3
        }
        list.select(2)
        #expect(
            list.present(with: TerminalMessageListRenderer(isColoured: false)) == """
                Talk

                Mon
                01:00  amara  first\\nline
                >  02:00         second
                03:00  <kenji>  \\u{1b}[2J<script>alert('x')</script>\\u{202e}

                """
        )
        let coloured = list.present(with: TerminalMessageListRenderer(isColoured: true))
        #expect(coloured.contains("\u{1B}[32mamara\u{1B}[0m"))
        #expect(coloured.contains("\u{1B}[2J") == false)
    }

    @Test func `a page holds every text, escaped, and loads nothing`() {
        let page = list { $0.title = "Talk & <b>" }.present(with: HTMLMessageListRenderer(language: "de"))
        #expect(page.hasPrefix("<!doctype html>\n<html lang=\"de\">"))
        #expect(page.contains("<title>Talk &amp; &lt;b&gt;</title>"))
        #expect(page.contains("<h1>Talk &amp; &lt;b&gt;</h1>"))
        #expect(page.contains("<li class=\"day\">Mon</li>"))
        #expect(page.contains("<p dir=\"auto\">first&#10;line</p>"))
        #expect(page.contains("<bdi class=\"author\">&lt;kenji&gt;</bdi>"))
        #expect(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"))
        #expect(page.contains("<script") == false)
        #expect(page.contains("\u{1B}") == false)
        #expect(page.contains("default-src 'none'"))
        #expect(page.components("class=\"author\"").count == 2)
        #expect(page.contains("class=\"message own\" data-id=\"1\""))
    }

    @Test func `a client can replace the standard cell by its own`() {
        let html = HTMLMessageListRenderer<Note> { "<em>\($0.model.words.count) \($0.content.author)</em>" }
        let page = list().present(with: html)
        #expect(page.contains("data-id=\"2\"><em>6 amara</em></li>"))
        #expect(page.contains("<em>\(talk.current[2].words.count) &lt;kenji&gt;</em>"))
        let terminal = TerminalMessageListRenderer<Note>(isColoured: false) { "- \($0.model.id)" }
        #expect(list { $0.showsDays = false }.present(with: terminal) == "- 1\n- 2\n- 3\n")
    }

    @Test func `notes and selections are marked`() {
        let list = list { $0.limit = 1 }
        list.select(3)
        let page = list.present(with: HTMLMessageListRenderer())
        #expect(page.contains("<li class=\"note\">2 earlier</li>"))
        #expect(page.contains("data-id=\"3\" aria-current=\"true\">"))
        #expect(list.present(with: TerminalMessageListRenderer(isColoured: false)).hasPrefix("(2 earlier)\n"))
        talk.set([])
        #expect(
            list.present(with: HTMLMessageListRenderer()).contains(
                "<li class=\"note\">no messages yet</li>"
            )
        )
    }
}

extension String {
    /// Returns the parts that are separated by `separator`, without the first one.
    fileprivate func components(_ separator: String) -> [Substring] { Array(split(separator: separator).dropFirst()) }
}
