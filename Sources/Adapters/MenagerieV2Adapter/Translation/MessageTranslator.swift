#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain

extension Translator where Source == MenagerieV2.Message, Target == SanctuaryDomain.Message {
    static var messages: Translator {
        Translator { source, _ throws(TranslationIssue) in
            guard let sentAt = Instant(rfc3339: source.sentAt) else {
                throw TranslationIssue("not an RFC 3339 date", at: "sentAt", raw: source.sentAt)
            }
            return SanctuaryDomain.Message(
                id: MessageID(source.id),
                author: source.author,
                text: source.text,
                sentAt: sentAt
            )
        }
    }
}

extension Translator where Source == MenagerieV2.Account, Target == SanctuaryDomain.Account {
    static var accounts: Translator {
        Translator { source, _ throws(TranslationIssue) in
            guard let currency = Currency(source.currency) else {
                throw TranslationIssue("not a currency", at: "account.currency", raw: source.currency)
            }
            return SanctuaryDomain.Account(id: source.id, displayName: source.displayName, currency: currency)
        }
    }
}
#endif
