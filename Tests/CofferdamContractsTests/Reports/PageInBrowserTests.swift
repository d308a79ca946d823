#if canImport(Subprocess)
import CofferdamContracts
import Foundation
import Testing
import TestSupport

/// Views the page in a browser, at the width of a phone and of a desktop.
@Suite(
    .serialized,
    .enabled(if: Browser.path != nil, "no chromium in the PATH: ./dev setup browser"),
    .timeLimit(.minutes(5))
)
struct PageInBrowserTests {
    private struct Look: Decodable {
        let page: Int
        let widest: Int
        let fontSize: Double
        let heading: Int
        let regions: Int
        let scrolling: Int
        let sheets: Int
    }

    @Test(arguments: [360, 1280])
    func `the page fits its width, and only tables scroll`(_ width: Int) async throws {
        let look = try await look(at: DocumentTests.document.html(), width: width)
        #expect(look.page <= width, "the page scrolls to the side")
        #expect(look.widest <= width, "something sticks out")
        #expect(look.fontSize >= 16)
        #expect(look.heading > 0)
        #expect(look.sheets == 1, "the style sheet was refused")
        #expect(look.regions == 3)
        #expect(width > 1000 ? look.scrolling == 0 : look.scrolling > 0)
    }

    @Test(.needsAxe) func `the page is accessible, in the dark too`() async throws {
        try await BrowserPage.with { page in
            for isDark in [false, true] {
                try await page.show(DocumentTests.document.html(), isDark: isDark)
                let violations = try await page.violations()
                #expect(violations == [])
            }
        }
    }

    /// Shows the page in a frame of that width, because windows have a minimum width, and measures the frame.
    private func look(at page: String, width: Int) async throws -> Look {
        let source = page.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
        let frame = """
            <!DOCTYPE html><html><body style="margin: 0"><pre id="look"></pre>
            <iframe id="page" width="\(width)" height="800" style="border: 0" srcdoc="\(source)"></iframe>
            <script>
            document.getElementById("page").addEventListener("load", event => {
              const page = event.target.contentDocument, root = page.documentElement;
              const blocks = [...page.querySelectorAll("header, h1, h2, p, ul, dl, .scroll")];
              const regions = [...page.querySelectorAll(".scroll")];
              document.getElementById("look").textContent = "LOOK" + JSON.stringify({
                page: root.scrollWidth,
                widest: Math.ceil(Math.max(...blocks.map(block => block.getBoundingClientRect().right))),
                fontSize: parseFloat(event.target.contentWindow.getComputedStyle(page.body).fontSize),
                heading: Math.round(page.querySelector("h1").getBoundingClientRect().height),
                regions: regions.length,
                scrolling: regions.filter(region => region.scrollWidth > region.clientWidth).length,
                sheets: page.styleSheets.length
              }) + "END";
            });
            </script></body></html>
            """
        let text = try await Browser.look(at: frame).document
        let json = try #require(text.components(separatedBy: "LOOK{").last?.components(separatedBy: "}END").first)
        return try JSONDecoder().decode(Look.self, from: Data("{\(json)}".utf8))
    }
}
#endif
