#if Sandbox
import Cofferdam
import Foundation
import MenagerieV1
import SanctuaryDomain

extension Translator where Source == MenagerieMessage, Target == Message {
    static var message: Self {
        Translator { source, _ throws(TranslationIssue) in
            try Message(source.id, source.author, source.text, source.sentAt)
        }
    }
}

extension Translator where Source == MenagerieUnsentMessage, Target == Message {
    /// The message as it is once it has arrived.
    static var unsentMessage: Self {
        Translator { source, _ throws(TranslationIssue) in
            try Message(source.id, source.userID, source.text, source.sentAt)
        }
    }
}

extension Message {
    fileprivate init(_ id: String, _ author: String, _ text: String, _ sentAt: Date) throws(TranslationIssue) {
        guard let instant = Instant(seconds: sentAt.timeIntervalSince1970) else {
            throw TranslationIssue("not a valid time", at: "sent_at", raw: "\(sentAt.timeIntervalSince1970)")
        }
        self.init(id: MessageID(id), author: author, text: text, sentAt: instant)
    }
}

extension Date {
    init(_ instant: Instant) { self.init(timeIntervalSince1970: Double(instant.millisecondsSince1970) / 1000) }
}
#endif
