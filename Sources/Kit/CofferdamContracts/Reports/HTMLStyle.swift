import Cofferdam

/// The look of the page, with nothing that would be loaded.
package enum HTMLStyle {
    /// The colours of one scheme, as `#rrggbb`; each text colour is read against the background.
    package struct Palette: Sendable, Hashable {
        package let background: String
        package let text: String
        package let muted: String
        package let good: String
        package let bad: String
        package let warn: String
        package let line: String

        fileprivate var variables: String {
            "--background: \(background); --text: \(text); --muted: \(muted); --good: \(good); --bad: \(bad); "
                + "--warn: \(warn); --line: \(line);"
        }
    }

    package static let light = Palette(
        background: "#ffffff",
        text: "#1b1b1b",
        muted: "#595959",
        good: "#0b6b2e",
        bad: "#a8071a",
        warn: "#7a4a00",
        line: "#8c8c8c"
    )

    package static let dark = Palette(
        background: "#141414",
        text: "#ececec",
        muted: "#a8a8a8",
        good: "#6fdc8c",
        bad: "#ff9c9c",
        warn: "#ffcf70",
        line: "#767676"
    )

    static var sheet: Markup { Markup(stringLiteral: text) }

    /// The style sheet, for every page that the kit writes.
    package static var text: String {
        """
        :root { color-scheme: light dark; \(light.variables) }
        @media (prefers-color-scheme: dark) { :root { \(dark.variables) } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 75rem; padding: 1rem; background: var(--background); color: var(--text);
          font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
        h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; }
        .good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
        .muted { color: var(--muted); }
        .verdict { font-size: 2rem; font-weight: bold; margin: 0; } small { font-size: 1rem; }
        a { color: inherit; } :focus-visible { outline: 3px solid; outline-offset: 2px; }
        .skip { position: absolute; left: -999rem; } .skip:focus { position: static; }
        .scroll { overflow-x: auto; border: 1px solid var(--line); }
        table { border-collapse: collapse; width: 100%; }
        th, td { border-bottom: 1px solid var(--line); padding: 0.4rem 0.6rem; text-align: left;
          vertical-align: top; white-space: nowrap; }
        tbody th { position: sticky; left: 0; background: var(--background); }
        td.wide { white-space: normal; min-width: 16rem; }
        ul { padding-left: 1.2rem; } li:target { outline: 2px solid; }
        dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: 0 1rem; }
        dt { color: var(--muted); } dd { margin: 0; }
        @media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: 0.5rem; } }
        """
    }
}
