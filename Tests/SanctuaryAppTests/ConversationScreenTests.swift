import Cofferdam
import CofferdamState
import SanctuaryApp
import SanctuaryDomain
import Testing

@Suite struct ConversationScreenTests {
    private func message(_ id: Int, by author: String = "amara", day: Int64 = 0) -> Message {
        Message(
            id: MessageID("m-\(id)"),
            author: author,
            text: "text \(id) <&>",
            sentAt: Instant(millisecondsSince1970: day * 86_400_000)
        )
    }

    private func screen(
        _ ports: Ports,
        _ configuration: MessageListConfiguration = MessageListConfiguration(),
        delegate: Delegate? = nil
    ) -> ConversationScreen {
        ports.features().conversation.screen(configuration: configuration, reader: "amara", delegate: delegate) {
            ("day \($0.millisecondsSince1970 / 86_400_000)", "noon")
        }
    }

    private final class Delegate: MessageListDelegate {
        private let state = Mutex<[String]>([])
        var calls: [String] { state.withLock { $0 } }
        func messageList(didSelect item: MessageListItem<ShownMessage>) {
            state.withLock { $0.append("selected \(item.model.id)") }
        }
        func messageList(willDisplay item: MessageListItem<ShownMessage>) {
            state.withLock { $0.append("displays \(item.model.id)") }
        }
    }

    private func lines(_ screen: ConversationScreen) -> [Substring] {
        screen.list.present(with: TerminalMessageListRenderer(isColoured: false)).split(separator: "\n")
    }

    @Test func `the conversation is a list for a terminal, and a page`() async throws {
        let messages = [message(1), message(2, by: "kenji"), message(3, by: "kenji", day: 1)]
        let screen = screen(Ports(messages: pages(messages)))
        #expect(lines(screen) == ["no messages yet"])
        try await screen.load()
        #expect(
            lines(screen) == [
                "day 0", "noon  amara  text 1 <&>", "noon  kenji  text 2 <&>", "day 1", "noon  kenji  text 3 <&>",
            ]
        )
        let page = screen.list.present(with: HTMLMessageListRenderer()).description
        #expect(page.contains("text 3 &lt;&amp;&gt;"))
        #expect(page.contains("<li class=\"message own\" data-id=\"m-1\">"))
    }

    @Test func `while following, it shows each message once and hides deleted ones`() async {
        let ports = Ports(
            messages: pages([message(1), message(2)]),
            messageEvents: {
                [
                    .success(.received(message(2))), .success(.received(message(3))), .success(.received(message(3))),
                    .success(.deleted(MessageID("m-1"))), .failure(SanctuaryError(.unreachable, "lost")),
                ]
            }
        )
        let screen = screen(ports, .defaults { $0.showsDays = false })
        var counts: [Int] = []
        await #expect(throws: SanctuaryError.self) {
            try await screen.follow { _ in counts.append(screen.list.rows.current.count) }
        }
        #expect(counts == [2, 3, 3, 2])
        #expect(lines(screen) == ["noon  amara  text 2 <&>", "noon         text 3 <&>"])
    }

    @Test func `a follower is ended by a sign-in, before the list would be out of date`()
        async throws
    {
        let events = EventBuffer<MessageEvent>()
        let ports = Ports(
            messages: pages([message(1)]),
            liveMessageEvents: events,
            signIn: { Account(id: $0.user, displayName: $0.user, currency: .eur) }
        )
        let features = ports.features()
        let screen = features.conversation.screen { _ in ("today", "noon") }
        let updates = Counter()
        let following = Task { try await screen.follow { _ in updates.add() } }
        while updates.count == 0 { await Task.yield() }
        _ = try await features.account.signIn(user: "amara", password: "sandbox")
        events.send(.received(message(2)), overflow: { Ports.Unexpected(call: "overflow") })
        events.finish()
        let error = await #expect(throws: SanctuaryError.self) { try await following.value }
        #expect(error?.code == .authenticationRequired)
        #expect(updates.count == 1)
        #expect(features.conversation.all.snapshot.contents == nil)
    }

    @Test func `a failure keeps the shown messages`() async throws {
        let attempts = Counter()
        let page = pages([message(1)])
        let ports = Ports(messages: { request in
            if request.cursor == nil { attempts.add() }
            if attempts.count > 1 { throw SanctuaryError(.unreachable, "lost") }
            return try await page(request)
        })
        let screen = screen(ports)
        try await screen.load()
        await #expect(throws: SanctuaryError.self) { try await screen.load() }
        #expect(lines(screen) == ["day 0", "noon  amara  text 1 <&>"])
    }

    @Test func `the client's own cell and delegate are the list's`() async throws {
        let delegate = Delegate()
        let screen = screen(
            Ports(messages: pages([message(1), message(2)])),
            .defaults { $0.limit = 1 },
            delegate: delegate
        )
        try await screen.load()
        let cell = TerminalMessageListRenderer<ShownMessage>(isColoured: false) { "* \($0.model.shown.text)" }
        #expect(screen.list.present(with: cell).hasSuffix("* text 2 <&>\n"))
        #expect(screen.list.select(MessageID("m-1")))
        #expect(delegate.calls == ["displays m-2", "selected m-1"])
    }
}
