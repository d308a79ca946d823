#if Sandbox
import Cofferdam
import MenagerieV1
import SanctuaryDomain

extension Translator where Source == MenagerieSession, Target == Account {
    static var account: Self {
        Translator { source, _ throws(TranslationIssue) in
            guard let currency = Currency(source.currency) else {
                throw TranslationIssue("not a currency", at: "currency", raw: source.currency)
            }
            return Account(id: source.userID, displayName: source.displayName, currency: currency)
        }
    }
}
#endif
