#if Server
import Cofferdam
import CofferdamSupport
import CofferdamContracts
import CofferdamUpgrade
import Dispatch

/// Pages that take long to render. Each is kept until it shows something else. They are rendered one at a time, away
/// from the threads that answer devices.
final class RenderedPages: Sendable {
    /// What a page shows.
    struct Content: Sendable, Hashable {
        var capability: String
        /// The day of its verdict.
        var day: CalendarDay
        /// The reports, and the last publications.
        var publications: [Publication]
        /// What was chosen on it.
        var choice = ConsoleRules.Choice()
    }

    struct Page: Sendable, Hashable {
        var html: [UInt8]
        /// It changes with the page, whatever changes the page: also another version of the server.
        var tag: String

        fileprivate init(_ html: String) {
            self.html = Array(html.utf8)
            tag = "\"\(Digest.hexadecimal(Digest.sha256(of: self.html)))\""
        }
    }

    private let queue = DispatchQueue(label: "cofferdam.server.pages")
    /// The last page of each capability.
    private let kept = Mutex<[String: (content: Content, page: Page)]>([:])

    /// The page, rendered if the one that is kept shows something else.
    func page(_ content: Content, _ render: @escaping @Sendable () -> String) async -> Page {
        if let page = known(content) { return page }
        return await run { [self] in
            // It may have been rendered while this request waited.
            if let page = known(content) { return page }
            let page = Page(render())
            kept.withLock { $0[content.capability] = (content, page) }
            return page
        }
    }

    /// Runs work that renders.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: work()) } }
    }

    private func known(_ content: Content) -> Page? {
        kept.withLock { kept in kept[content.capability].flatMap { $0.content == content ? $0.page : nil } }
    }
}
#endif
