#if Sandbox
import Cofferdam
import Foundation
import MenagerieV1
import SanctuaryDomain

extension Translator where Source == MenagerieMessage, Target == Message {
    static var message: Self {
        Translator { source, _ throws(TranslationIssue) in
            guard let sentAt = Instant(seconds: source.sentAt.timeIntervalSince1970) else {
                throw TranslationIssue("not a valid time", at: "sent_at", raw: "\(source.sentAt.timeIntervalSince1970)")
            }
            return Message(id: MessageID(source.id), author: source.author, text: source.text, sentAt: sentAt)
        }
    }
}

extension Date {
    init(_ instant: Instant) { self.init(timeIntervalSince1970: Double(instant.millisecondsSince1970) / 1000) }
}
#endif
