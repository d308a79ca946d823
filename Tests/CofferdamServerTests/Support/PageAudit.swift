#if Server
import Foundation
import TestSupport

/// Finds what is wrong with a page for people with low vision, with only a keyboard, or with a small screen.
enum PageAudit {
    static func problems(of page: BrowserPage) async throws -> [String] {
        let violations = try await page.violations()
        return try JSONDecoder().decode([String].self, from: Data(try await page.evaluate(script).utf8)) + violations
    }

    /// What axe-core does not look for.
    private static let script = #"""
        (() => {
          const problems = [];
          const shown = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility === "visible";
          const name = (element) => element.outerHTML.slice(0, 90);
          const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);
          if (document.documentElement.scrollWidth > innerWidth) problems.push("the page scrolls to the side");
          const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
          for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) problems.push("twice: " + id);
          for (const element of document.querySelectorAll("[aria-labelledby]")) {
            if (!document.getElementById(element.getAttribute("aria-labelledby"))) problems.push("no label: " + name(element));
          }
          for (const part of all("[role=group]")) {
            const heading = document.getElementById(part.getAttribute("aria-labelledby"));
            if (!(part.getAttribute("aria-label") || heading?.textContent)) problems.push("a part without a name");
          }
          for (const image of all("svg, img")) {
            if (image.getAttribute("aria-hidden") !== "true" && !image.getAttribute("aria-label")) problems.push("no text: " + name(image));
          }
          for (const header of all("th")) if (!header.scope) problems.push("no scope: " + name(header));
          return JSON.stringify([...new Set(problems)]);
        })()
        """#
}
#endif
