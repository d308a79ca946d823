/// The shell of a page: usable on a phone, in light and dark mode, with a keyboard and with a screen reader. It is also
/// well-formed XML.
package struct Page: Sendable {
    /// How a browser gets the style sheet and the script.
    package enum Kind: Sendable, Hashable {
        /// The page is a file that needs nothing else, and runs no script.
        case saved
        /// A server provides the style sheet and the script at these paths, and sends the content security policy as a
        /// header.
        case served(style: String, script: String)
    }

    /// The outcome, in one line.
    package struct Verdict: Sendable, Hashable {
        package var tone: Tone
        package var text: String

        package init(_ tone: Tone, _ text: String) { (self.tone, self.text) = (tone, text) }
    }

    package var kind: Kind
    /// The window's title.
    package var title: String
    package var heading: String
    package var verdict: Verdict?
    /// Shown above the heading: links back.
    package var navigation: Markup
    /// Shown below the heading.
    package var subtitle: Markup
    /// The class and further attributes of the `main` element.
    package var mainAttributes: Markup
    package var content: Markup

    package init(
        _ kind: Kind = .saved,
        title: String,
        heading: String,
        verdict: Verdict? = nil,
        navigation: Markup = "",
        subtitle: Markup = "",
        mainAttributes: Markup = "",
        content: Markup
    ) {
        (self.kind, self.title, self.heading, self.verdict) = (kind, title, heading, verdict)
        (self.navigation, self.subtitle) = (navigation, subtitle)
        (self.mainAttributes, self.content) = (mainAttributes, content)
    }

    /// The whole document.
    package func html() -> String {
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8"/>
            <meta name="viewport" content="width=device-width, initial-scale=1"/>
            <meta name="color-scheme" content="light dark"/>
            \(head)
            <title>\(title)</title>
            </head>
            <body>
            <a class="skip" href="#main">Skip to the content</a>
            <header>\(navigation)<h1>\(heading)</h1>
            \(verdict.map { "<p class=\"\($0.tone.rawValue)\" role=\"status\"><strong>\($0.text)</strong></p>" as Markup } ?? "")\
            \(subtitle)</header>
            <main id="main"\(mainAttributes)>
            \(content)
            </main>
            </body>
            </html>

            """
        return page.description
    }

    private var head: Markup {
        switch kind {
        case .saved:
            """
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
            <style>
            \(Markup(stringLiteral: StyleSheet.text))
            </style>
            """
        case .served(let style, let script):
            """
            <meta name="referrer" content="same-origin"/>
            <link rel="stylesheet" href="\(style)"/>
            <script src="\(script)" defer="defer"></script>
            """
        }
    }
}
