#if Sandbox
import MenagerieV1
import SanctuaryDomain

/// The conversation in the order in which it arrives, in whole seconds.
enum NaiveV1Messages {
    static func list() async -> [Message] {
        await withCheckedContinuation { continuation in
            let token = Menagerie.shared.session?.token ?? ""
            _ = Menagerie.shared.fetchMessages(token: token, offset: 0, limit: 1000) { @Sendable messages, _, _ in
                continuation.resume(
                    returning: (messages ?? []).map { source in
                        Message(
                            id: MessageID(source.id),
                            author: source.author,
                            text: source.text,
                            sentAt: NaiveDates.read(source.sentAt)
                        )
                    }
                )
            }
        }
    }
}
#endif
