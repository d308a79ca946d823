#if canImport(Subprocess)
import Foundation
package import Testing  // a trait of tests

/// axe-core, which finds what keeps people with disabilities from using a page.
package enum Axe {
    /// Nil if `./dev setup browser` has not installed it.
    package static let script: String? = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appending(path: ".build-browser/axe_playwright_python/axe.min.js")
        return try? String(contentsOf: file, encoding: .utf8)
    }()
}

extension Trait where Self == ConditionTrait {
    package static var needsAxe: Self {
        .enabled(if: Axe.script != nil, "axe-core is not installed: ./dev setup browser")
    }
}

extension BrowserPage {
    /// Opens everything that is folded, and returns what axe-core finds: the rule and the element.
    package func violations() async throws -> [String] {
        // The page's policy forbids scripts of others, but not those of the protocol.
        _ = try await evaluate(try #require(Axe.script) + "\n;''")
        let found = try await evaluate(
            """
            (async () => {
              for (const folded of document.querySelectorAll("details")) folded.open = true;
              const result = await axe.run(document, {
                preload: false, resultTypes: ["violations"], rules: { "target-size": { enabled: true } }
              });
              return JSON.stringify(
                result.violations.flatMap((rule) => rule.nodes.map((node) => rule.id + ": " + node.html.slice(0, 90))));
            })()
            """
        )
        return try JSONDecoder().decode([String].self, from: Data(found.utf8))
    }
}
#endif
