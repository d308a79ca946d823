#if CommandLine && canImport(Subprocess)
import Foundation
import Testing
import TestSupport

@testable import CofferdamRehearsal

/// Opens a rehearsal's page in a browser, and checks the browser's console and network requests.
@Suite(
    .serialized,
    .enabled(if: Browser.path != nil, "no chromium in the PATH: ./dev setup browser"),
    .timeLimit(.minutes(5))
)
struct ScenarioPageInBrowserTests {
    @Test func `the page is drawn without an error on the console and without any request`() async throws {
        let reports = [try await ToyUpgrade.walk(.wrong), try await ToyUpgrade.walk(.crashing)]
        let look = try await Browser.look(at: ScenarioPage(reports).html())
        #expect(look.document.contains("<h1>The upgrade, rehearsed</h1>"))
        // Five lines for each of the two walks.
        #expect(look.document.components(separatedBy: "<polyline").count - 1 == 10)
        #expect(look.console.isEmpty)
        #expect(look.requests.isEmpty)
    }

    @Test(.needsAxe) func `the page is accessible, in the dark too`() async throws {
        let html = ScenarioPage([try await ToyUpgrade.walk(.wrong), try await ToyUpgrade.walk(.crashing)]).html()
        try await BrowserPage.with { page in
            for isDark in [false, true] {
                try await page.show(html, isDark: isDark)
                let violations = try await page.violations()
                #expect(violations == [])
            }
        }
    }

    @Test func `a page that asks for something, or complains, would be caught`() async throws {
        let look = try await Browser.look(
            at:
                "<!DOCTYPE html><p>hello</p><img src=\"http://127.0.0.1:9/x.png\"><script>console.error('no')</script>"
        )
        #expect(look.document.contains("hello"))
        #expect(look.console.contains { $0.contains("\"no\"") })
        #expect(look.requests.contains { $0.contains("127.0.0.1:9/x.png") })
    }
}
#endif
