#if Server
import Foundation
import TestSupport

/// Finds what is wrong with a page for people with low vision, with only a keyboard, or with a small screen.
enum PageAudit {
    static func problems(of page: BrowserPage) async throws -> [String] {
        try JSONDecoder().decode([String].self, from: Data(try await page.evaluate(script).utf8))
    }

    private static let script = #"""
        (() => {
          const problems = [];
          const shown = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility === "visible";
          const name = (element) => element.outerHTML.slice(0, 90);
          const all = (selector) => [...document.querySelectorAll(selector)].filter(shown);
          if (document.documentElement.scrollWidth > innerWidth) problems.push("the page scrolls to the side");
          if (!document.documentElement.lang) problems.push("no language");
          if (all("main").length !== 1 || all("h1").length !== 1) problems.push("not one main and one h1");
          let level = 0;
          for (const heading of all("h1, h2, h3, h4")) {
            const next = Number(heading.nodeName[1]);
            if (next > level + 1) problems.push("heading order: " + name(heading));
            level = next;
          }
          const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
          for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) problems.push("twice: " + id);
          for (const element of document.querySelectorAll("[aria-labelledby]")) {
            if (!document.getElementById(element.getAttribute("aria-labelledby"))) problems.push("no label: " + name(element));
          }
          for (const region of all("[role=region]")) {
            const heading = document.getElementById(region.getAttribute("aria-labelledby"));
            if (!(region.getAttribute("aria-label") || heading?.textContent)) problems.push("a region without a name");
            if (region.tabIndex !== 0) problems.push("the keyboard does not reach " + name(region));
          }
          for (const image of all("svg, img")) {
            if (image.getAttribute("aria-hidden") !== "true" && !image.getAttribute("aria-label")) problems.push("no text: " + name(image));
          }
          for (const field of all("input, select")) {
            if (!field.labels.length) problems.push("no label: " + name(field));
          }
          for (const control of all("button, a")) {
            if (!control.textContent.trim()) problems.push("no name: " + name(control));
          }
          for (const control of all("button, select, input:not([type=checkbox])")) {
            if (control.getBoundingClientRect().height < 24) problems.push("too small: " + name(control));
          }
          for (const header of all("th")) if (!header.scope) problems.push("no scope: " + name(header));
          for (const list of all("ul, ol")) {
            if ([...list.children].some((child) => child.nodeName !== "LI")) problems.push("a list with others than items");
          }
          // https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
          const parts = (colour) => colour.match(/[\d.]+/g).map(Number);
          const luminance = (colour) => {
            const [r, g, b] = parts(colour).map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const ground = (element) => {
            for (let at = element; at; at = at.parentElement) {
              const colour = getComputedStyle(at).backgroundColor;
              if (parts(colour)[3] !== 0) return colour;
            }
            return "rgb(255, 255, 255)";
          };
          const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          for (let text = texts.nextNode(); text; text = texts.nextNode()) {
            const element = text.parentElement;
            if (!text.data.trim() || !shown(element) || element.closest(".unseen, svg, script")) continue;
            const style = getComputedStyle(element), size = parseFloat(style.fontSize);
            const [a, b] = [luminance(style.color), luminance(ground(element))];
            const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
            if (contrast < least) problems.push("contrast " + contrast.toFixed(2) + ": " + text.data.trim().slice(0, 40));
          }
          return JSON.stringify([...new Set(problems)]);
        })()
        """#
}
#endif
